import { createTool, createTools, dialects } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { argumentsOf } from './arguments.js';

const leaving = (seconds: string) => `nohup sleep ${seconds} >/dev/null 2>&1 & echo x`;

describe.each([...dialects])('the option background of %s', (dialect) => {
  it('ends what a command leaves, with kill', async () => {
    await using tool = createTool(dialect, { background: 'kill', session: 'none' });
    const seconds = tag();
    const { text } = await tool.execute(argumentsOf(dialect, leaving(seconds)));
    expect(text).toContain('x');
    expect(text).not.toContain('still running');
    await until(() => living(seconds).length === 0, 'the process is gone');
  });

  it('makes a job of what a command leaves, with adopt, which ends with the toolset', async () => {
    const toolset = createTools(dialect, { background: 'adopt', session: 'none' });
    const seconds = tag();
    const args = argumentsOf(dialect, leaving(seconds));
    const { text, data } = await toolset.call(String(toolset.tools[0]?.name), args);
    const pid = await until(() => living(seconds)[0], 'the process runs');
    expect([text, JSON.stringify(data)]).toEqual([expect.stringContaining('x'), expect.any(String)]);
    expect(toolset.jobs.list().map(({ status }) => status)).toEqual(['running']);
    expect(pid).toBeGreaterThan(0);
    await toolset.dispose();
    await until(() => living(seconds).length === 0, 'the process is gone');
  });

  it('leaves what a command leaves after the toolset, with keep', async () => {
    const toolset = createTools(dialect, { background: 'keep' });
    const seconds = tag();
    const args = argumentsOf(dialect, leaving(seconds));
    await toolset.call(String(toolset.tools[0]?.name), args);
    await toolset.dispose();
    await until(() => living(seconds).length === 1, 'the process runs');
  });
});

describe('an adopted process', () => {
  it('is named with its job, which is listed, read and ended', async () => {
    await using toolset = createTools('bash', { background: 'adopt' });
    const seconds = tag();
    const { text, data } = await toolset.call('bash', { command: leaving(seconds) });
    const pid = await until(() => living(seconds)[0], 'the process runs');
    const { job } = data;
    expect(text).toBe(`x\n[still running in the background as ${job}: pid ${pid}]\n[exit code: 0]`);
    expect((await toolset.call('bash_read', { job })).text).toBe(`(no new output)\n[running, pid ${pid}]`);
    expect((await toolset.call('bash_list', {})).text).toContain(`[running, pid ${pid}]`);
    expect((await toolset.call('bash_kill', { job })).text).toMatch(new RegExp(`^${job} was ended`));
    await until(() => living(seconds).length === 0, 'the process is gone');
  });

  it('of a job goes on as that job', async () => {
    await using toolset = createTools('bash', { background: 'adopt' });
    const seconds = tag();
    const { data } = await toolset.call('bash', { command: leaving(seconds), background: true });
    await toolset.jobs.get(data.job)?.ready({ pattern: 'x' });
    await until(() => living(seconds).length === 1, 'the shell is gone');
    const { text } = await toolset.call('bash_read', { job: data.job });
    expect(text).toMatch(/\[running, pid \d+\]$/);
    await toolset.call('bash_kill', { job: data.job });
    await until(() => living(seconds).length === 0, 'the process is gone');
  });

  it('in a table of the host ends with the toolset too', async () => {
    await using other = createTools('bash');
    const toolset = createTools('bash', { background: 'adopt', jobs: other.jobs });
    const seconds = tag();
    await toolset.call('bash', { command: leaving(seconds) });
    await toolset.dispose();
    expect(living(seconds)).toEqual([]);
  });
});

describe('background', () => {
  it('is refused unless it is one of three words', () => {
    expect(() => createTools('bash', { background: 'leave' as never })).toThrow(
      "Invalid option 'options.background'",
    );
  });
});
