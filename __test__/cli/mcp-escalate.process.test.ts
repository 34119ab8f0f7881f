import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { commandLine, LineClient } from './support.js';

const ASKING = () => ['--root', temporaryDirectory(), '--sandbox', 'workspace-write', '--escalate', 'ask'];

const outside = () => temporaryDirectory('/var/tmp');

describe('agent-bash mcp --escalate ask', { tags: ['sandbox'] }, () => {
  it.each(['ask', 'auto'])('asks the user for what is beyond the sandbox, in the mode %s', async (mode) => {
    const place = outside();
    const client = new LineClient(...ASKING(), '--mode', mode);
    await client.initialize({ elicitation: {} });
    const ask = { allow_writes: [place], reason: 'to publish' };
    for (const [number, action] of ['decline', 'accept'].entries()) {
      const id = client.call(`touch ${place}/${action}`, ask);
      const questions = () => client.messages.filter(({ method }) => method === 'elicitation/create');
      const question = await until(() => questions()[number], 'a question');
      expect(question.params.message).toContain(`to write below "${place}"`);
      expect(question.params.message).toContain('The model\'s reason, in its own words: "to publish"');
      client.send({ id: question.id, result: { action, ...(action === 'accept' && { content: {} }) } });
      const { result } = await client.answer(id);
      expect(result.isError === true).toBe(action === 'decline');
    }
    expect(readdirSync(place)).toEqual(['accept']);
  });

  it('grants nothing by itself where the client can not ask', async () => {
    const place = outside();
    const client = new LineClient(...ASKING(), '--mode', 'auto');
    await client.initialize();
    const { result } = await client.answer(
      client.call(`touch ${place}/made`, { unsandboxed: true, reason: 'x' }),
    );
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('cannot ask the user') }],
    });
    expect(readdirSync(place)).toEqual([]);
  });

  it('needs a sandbox', async () => {
    const { code, stderr } = await commandLine(['mcp', '--escalate', 'ask']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--escalate needs --sandbox')]);
  });
});
