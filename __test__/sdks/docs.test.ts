import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const PAGE = readFileSync(new URL('../../docs/sdks.md', import.meta.url), 'utf8');

/** `./model.mjs` of the examples: models that follow a script, which call a tool once and say what they got. */
const MODELS = `
  import { AIMessage } from '@langchain/core/messages';
  import { fakeModel } from '@langchain/core/testing';
  import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
  import { setTracingDisabled } from '@openai/agents';
  import Anthropic from '@anthropic-ai/sdk';
  import OpenAI from 'openai';
  import { MockLanguageModelV4 } from 'ai/test';

  setTracingDisabled(true);
  const args = { command: 'node --version' };
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const turn = (content, unified) => ({ content, finishReason: { unified, raw: unified }, usage, warnings: [] });
  export const model = new MockLanguageModelV4({
    doGenerate: [
      turn([{ type: 'tool-call', toolCallId: '1', toolName: 'bash', input: JSON.stringify(args) }], 'tool-calls'),
      turn([{ type: 'text', text: 'done' }], 'stop'),
    ],
  });
  export const agentsModel = new ScriptedModel([
    [functionCall('bash', args, { callId: '1' })],
    [assistantMessage('done')],
  ]);
  export const agentsShellModel = new ScriptedModel([
    [{ type: 'shell_call', callId: '1', status: 'completed', action: { commands: [args.command] } }],
    [assistantMessage('done')],
  ]);
  export const langchainModel = fakeModel()
    .respondWithTools([{ name: 'bash', args, id: '1' }])
    .respond(new AIMessage('done'));

  function answering(turns) {
    return async (_url, { body }) => {
      sent.push(body);
      return Response.json(turns.shift());
    };
  }
  const sent = [];
  export const openai = new OpenAI({
    apiKey: 'none',
    fetch: answering([
      { output: [{ type: 'function_call', call_id: '1', name: 'bash', arguments: JSON.stringify(args) }] },
      { output: [] },
    ]),
  });
  const message = (content, stop_reason) => ({ role: 'assistant', content, stop_reason, usage: {} });
  export const anthropic = new Anthropic({
    apiKey: 'none',
    fetch: answering([
      message([{ type: 'tool_use', id: '1', name: 'bash', input: args }], 'tool_use'),
      message([{ type: 'text', text: 'done' }], 'end_turn'),
    ]),
  });

  /** The last messages that the models got. */
  export const lastSent = () =>
    JSON.stringify([model.doGenerateCalls.at(-1)?.prompt, agentsModel.lastCall?.request.input, agentsShellModel.lastCall?.request.input, langchainModel.calls.at(-1)?.messages, sent.at(-1)]);
`;

const examples = [...PAGE.matchAll(/^```js\n(.*?)^```$/gms)].map(({ 1: program = '', index }) => ({
  place: `docs/sdks.md:${PAGE.slice(0, index).split('\n').length}`,
  program,
}));

describe('an example of docs/sdks.md', () => {
  it.concurrent.each(examples)(
    'runs, and the model gets the output of its command: $place',
    async ({ program }) => {
      // Here, since the SDKs are found from here.
      const directory = mkdtempSync(join(HERE, 'node_modules/.example-'));
      const remove = () => rmSync(directory, { recursive: true, force: true });
      try {
        writeFileSync(join(directory, 'model.mjs'), MODELS);
        const isModelAsked = program.includes("'./model.mjs'");
        const check = isModelAsked ? `\nconsole.log((await import('./model.mjs')).lastSent());` : '';
        writeFileSync(join(directory, 'example.mjs'), readable(program) + check);
        const { stdout } = await promisify(execFile)(process.execPath, ['example.mjs'], {
          cwd: directory,
          timeout: 50_000,
        });
        if (isModelAsked && !program.includes('toolApproval')) expect(stdout).toContain(process.version);
      } finally {
        remove();
      }
    },
  );
});

/** `await using` for Node 20, which does not know it: without the disposal at the end of a program. */
function readable(program: string): string {
  return program.replaceAll('await using ', 'const ');
}
