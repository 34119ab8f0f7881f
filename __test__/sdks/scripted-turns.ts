// The turns of a scripted model of the AI SDK, for versions 6 and 7 of its providers.

import type { Call } from './contract.js';

// biome-ignore lint/suspicious/noExplicitAny: two versions of a package, whose types differ.
type Any = any;

export const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** Returns what the model says in a turn. */
export const turn = (content: object[], reason: string): Any => ({
  content,
  finishReason: { unified: reason, raw: reason },
  usage: USAGE,
  warnings: [],
});

export const done: Any = turn([{ type: 'text', text: 'done' }], 'stop');

/** Returns a turn with these calls of tools. */
export const toolCalls = (calls: readonly Call[]): Any =>
  turn(
    calls.map(({ name, args }, index) => ({
      type: 'tool-call',
      toolCallId: `call-${index}`,
      toolName: name,
      input: JSON.stringify(args),
    })),
    'tool-calls',
  );
