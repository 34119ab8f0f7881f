// `client` of the examples in docs/sdks.md: a script in place of Anthropic's API. It calls the tool `bash`,
// and says what it got.

import Anthropic from '@anthropic-ai/sdk';

const message = (block: object, stop_reason: string) =>
  Response.json({ role: 'assistant', content: [block], stop_reason, usage: {} });

export const client: Anthropic = new Anthropic({
  apiKey: 'none',
  fetch: async (_url, init) => {
    const { messages } = JSON.parse(String(init?.body));
    const [{ type, content }] = messages.at(-1).content;
    return type === 'tool_result'
      ? message({ type: 'text', text: content }, 'end_turn')
      : message(
          { type: 'tool_use', id: '1', name: 'bash', input: { command: 'node --version' } },
          'tool_use',
        );
  },
});
