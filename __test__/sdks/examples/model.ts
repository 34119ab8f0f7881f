// `model` of the examples in docs/sdks.md: a script in place of a model of the AI SDK. It calls the tool
// `bash`, and says what it got.

import type { LanguageModelV4Content, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { MockLanguageModelV4 } from 'ai/test';

type Reason = LanguageModelV4GenerateResult['finishReason']['unified'];

const usage: LanguageModelV4GenerateResult['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const turn = (part: LanguageModelV4Content, unified: Reason): LanguageModelV4GenerateResult => ({
  content: [part],
  finishReason: { unified, raw: unified },
  usage,
  warnings: [],
});
const call: LanguageModelV4Content = {
  type: 'tool-call',
  toolCallId: '1',
  toolName: 'bash',
  input: '{"command":"node --version"}',
};

export const model: MockLanguageModelV4 = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const last = prompt.at(-1);
    if (last?.role !== 'tool') return turn(call, 'tool-calls');
    const [answer] = last.content;
    const text =
      answer?.type === 'tool-result' && 'value' in answer.output ? String(answer.output.value) : '';
    return turn({ type: 'text', text }, 'stop');
  },
});
