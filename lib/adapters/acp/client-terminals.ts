import type { ClientTerminals } from 'agent-bash/tools';
import { abortSignal, invalid, object } from '../../options/checks.ts';

/** Offers the terminals of an ACP client to a toolset. The types say what the arguments mean. */
export function clientTerminals(client: unknown, sessionId: unknown, given: unknown = {}): ClientTerminals {
  const { createTerminal } = Object(client);
  if (typeof createTerminal !== 'function') {
    throw invalid('client', "an object with createTerminal(), such as the SDK's connection", client);
  }
  if (typeof sessionId !== 'string') throw invalid('sessionId', 'a string', sessionId);
  const { signal } = object('options', given, ['signal']);
  return {
    create: (request) => createTerminal.call(client, { sessionId, ...request }),
    signal: abortSignal('options.signal', signal),
  };
}
