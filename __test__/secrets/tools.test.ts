import { createTools } from 'agent-bash/tools';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RedactOptions } from '../../index.js';
import { leaksOnlyWithout, MARK, QUOTED, redact, textOf, VALUE } from './support.js';

const OFF: RedactOptions = { environment: false };

/** Calls the bash tool of a toolset, and returns what it gives out: the result, updates and events. */
async function called(command: string, options: object, args: object = {}): Promise<unknown[]> {
  const seen: unknown[] = [];
  await using toolset = createTools('bash', {
    session: 'none',
    ...options,
    onEvent: (event) => seen.push(event),
  });
  const tool = toolset.get('bash');
  seen.push(await tool?.decide({ command, ...args }).then((decision) => ({ ...decision, token: '' })));
  const result = await tool?.execute({ command, ...args }, { onUpdate: (update) => seen.push(update) });
  return [result, ...seen];
}

describe('a tool', () => {
  beforeEach(() => {
    vi.stubEnv('DEPLOY_TOKEN', VALUE);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('does not give out the values of variables that look secret', async () => {
    const command = 'echo $DEPLOY_TOKEN; sleep 0.2; echo $DEPLOY_TOKEN';
    expect(textOf(await called(command, { redact: OFF }))).toContain(VALUE);
    const shown = textOf(await called(command, {}));
    expect(shown).not.toContain(VALUE);
    expect(shown).toContain('[redacted:DEPLOY_TOKEN]');
  });

  it('does not give out a value in its arguments, decisions, questions and events', async () => {
    const asked: unknown[] = [];
    const show = async (own: RedactOptions | undefined) => {
      const approve = (pending: unknown) => {
        asked.push(pending);
        return 'deny' as const;
      };
      return [await called(`rm -rf ${QUOTED}`, { redact: own ?? OFF, approve }), asked.splice(0)];
    };
    vi.unstubAllEnvs();
    await leaksOnlyWithout(show);
  });

  it('does not give out a value in the result of a background job', async () => {
    vi.unstubAllEnvs();
    await leaksOnlyWithout(async (own) => {
      const seen: unknown[] = [];
      await using toolset = createTools('claude-code', {
        redact: own ?? OFF,
        onEvent: (event) => seen.push(event),
      });
      const tool = toolset.get('Bash');
      const started = await tool?.execute({ command: `echo ${QUOTED}`, run_in_background: true });
      await Promise.all(toolset.jobs.list().map((job) => job.result));
      return [started, seen];
    });
  });

  it('refuses a command with a mark, which would be written where the value was', async () => {
    const text = textOf(await called('echo key=[redacted:DEPLOY_TOKEN] > settings', {}));
    expect(text).toContain(
      'The command contains [redacted:DEPLOY_TOKEN], which stands for a secret. Use "$DEPLOY_TOKEN".',
    );
    expect(textOf(await called(`echo ${MARK}`, { redact: OFF }))).toContain(MARK);
    const named = textOf(await called(`echo ${MARK}`, { redact }));
    expect(named).toContain(`The command contains ${MARK}, which stands for a secret.`);
  });

  it('keeps a value out of its session', async () => {
    for (const session of ['cwd', 'carry', 'live']) {
      expect(textOf(await called('echo $DEPLOY_TOKEN', { session, redact: OFF }))).toContain(VALUE);
      expect(textOf(await called('echo $DEPLOY_TOKEN', { session }))).not.toContain(VALUE);
    }
  });

  it('checks the option when it is created', () => {
    expect(() => createTools('bash', { redact: { values: { A: 'abc' } } })).toThrow(
      "Invalid option 'options.redact.values.A': expected 6 to 8192 bytes, got 3",
    );
  });
});
