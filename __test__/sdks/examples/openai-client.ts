// `client` of the examples in docs/sdks.md: a script in place of OpenAI's API, which calls the tool `bash`
// once.

import OpenAI from 'openai';

const call = { type: 'function_call', call_id: '1', name: 'bash', arguments: '{"command":"node --version"}' };
const turns = [{ output: [call] }, { output: [] }];
export const client: OpenAI = new OpenAI({ apiKey: 'none', fetch: async () => Response.json(turns.shift()) });
