import { createTool, createTools, type Dialect, dialects } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { argumentsOf } from '../arguments.js';

const HIDDEN = 'sh -c "echo failed; exit 3" | tail -1';
const NOTE = 'of the pipeline with 2 parts, part 1 exited with 3';

describe('a pipeline in bash', () => {
  it('says which part has failed where the exit code hides it', async () => {
    await using tool = createTool('bash');
    const { text, data, isError } = await tool.execute({ command: HIDDEN });
    expect(text).toBe(`failed\n[${NOTE}]\n[exit code: 0]`);
    expect([data.pipe_status, data.exit_code, isError]).toEqual([[3, 0], 0, false]);
  });

  it('says so to a caller that gets updates, and in a session', async () => {
    for (const session of ['none', 'cwd', 'carry', 'live'] as const) {
      await using tool = createTool('bash', { session });
      const { text } = await tool.execute({ command: HIDDEN }, { onUpdate: () => {} });
      expect([session, text]).toEqual([session, `failed\n[${NOTE}]\n[exit code: 0]`]);
    }
  });

  it.each([
    ['true | cat', '(no output)\n[exit code: 0]'],
    ['echo one | sh -c "cat; exit 4"', 'one\n[exit code: 4]'],
    ['seq 99999 | head -1', '1\n[exit code: 0]'],
    ['echo one', 'one\n[exit code: 0]'],
  ])('says nothing of one whose exit code tells all: %s', async (command, text) => {
    await using tool = createTool('bash');
    expect((await tool.execute({ command })).text).toBe(text);
  });

  it('says nothing where the host does not want it', async () => {
    await using tool = createTool('bash', { pipeStatus: false });
    const { text, data } = await tool.execute({ command: HIDDEN });
    expect([text, data.pipe_status]).toEqual(['failed\n[exit code: 0]', null]);
  });
});

/** The dialects that run a command line. */
const WITH_SHELL = dialects.filter((dialect) => dialect !== 'openai-local-shell');

/** The arguments for a command line; `codex-shell` takes one as text. */
function lineOf(dialect: Dialect, command: string): object {
  return dialect === 'codex-shell' ? { command, login: false } : argumentsOf(dialect, command);
}

describe.each(WITH_SHELL)('a pipeline in %s', (dialect) => {
  it('says which part has failed by the option pipeStatus', async () => {
    await using tool = createTool(dialect, { pipeStatus: true, shell: 'bash' });
    const { text } = await tool.execute(lineOf(dialect, HIDDEN));
    expect(text).toContain(NOTE);
    expect(text).not.toContain('pipe-');
  });

  it('says it by no other way, unless it is that of this package', async () => {
    await using tool = createTool(dialect, { shell: 'bash' });
    const { text } = await tool.execute(lineOf(dialect, HIDDEN));
    expect(text.includes(NOTE)).toBe(dialect === 'bash');
  });
});

describe('pipeStatus', () => {
  it('is refused unless it is a boolean', () => {
    expect(() => createTools('bash', { pipeStatus: 'yes' as never })).toThrow("'options.pipeStatus'");
  });
});

describe('a pipeline of a job', () => {
  it('says which part has failed when the job is read and listed', async () => {
    await using toolset = createTools('bash');
    const { data } = await toolset.call('bash', { command: HIDDEN, background: true });
    await toolset.jobs.wait(data.job);
    const { text } = await toolset.call('bash_read', { job: data.job });
    // The output may have been in the first answer.
    expect(text).toMatch(/^(failed|\(no new output\))\n/);
    expect(text).toContain(`\n[${NOTE}]\n[exit code: 0]`);
    expect((await toolset.call('bash_list', {})).text).toContain(`[${NOTE}] [exit code: 0]`);
  });

  it('says it of a command that was moved to the background', async () => {
    await using toolset = createTools('bash', { timeout: { yield: 50 } });
    const { data } = await toolset.call('bash', { command: `sleep 0.3; ${HIDDEN}` });
    await toolset.jobs.wait(data.job);
    const { text } = await toolset.call('bash_read', { job: data.job });
    expect(text).toBe(`failed\n[${NOTE}]\n[exit code: 0]`);
  });
});
