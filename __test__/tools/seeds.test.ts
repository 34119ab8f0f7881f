import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createTool, createTools } from 'agent-bash/tools';
import { describe, expect, it, vi } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';

describe('rye', () => {
  it.each(['..', '/', 'link'])('keeps the working directory within the project: %s', async (working_dir) => {
    const directory = temporaryDirectory();
    symlinkSync('/', join(directory, 'link'));
    const { data } = await createTool('rye', { cwd: directory }).execute({ command: 'pwd', working_dir });
    expect(data).toEqual({ success: false, error: 'Working directory is outside the project workspace' });
  });

  it('takes an absolute directory within the project', async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'sub'));
    const tool = createTool('rye', { cwd: directory });
    const { data } = await tool.execute({ command: 'basename "$PWD"', working_dir: join(directory, 'sub') });
    expect(data).toMatchObject({ success: true, stdout: 'sub\n' });
  });
});

describe('voice', () => {
  it.each([
    [undefined, '\n[Exit code: 137]', 137],
    ['signal', '\n[Exit code: unknown]', 137],
    [true, '\n[Exit code: unknown]', 137],
  ])('reports an end by a signal, or has the text of the original: %s', async (compat, text, exit_code) => {
    const { data, ...answer } = await createTool('voice', { compat }).execute({ command: 'kill -9 $$' });
    expect([answer.text, data.exit_code]).toEqual([text, exit_code]);
  });

  it('refuses what is not on the list in safe mode', async () => {
    const { text, isError } = await createTool('voice', { safeMode: true }).execute({ command: 'rm x' });
    expect([text, isError]).toEqual(['Error: Command not allowed in safe mode', true]);
  });
});

describe('execute_bash_command', () => {
  it('rejects a directory that is missing', async () => {
    const tool = createTool('execute_bash_command', { cwd: temporaryDirectory() });
    const { text } = await tool.execute({ command: 'pwd', directory: 'none' });
    expect(text).toBe('Command rejected: pwd\nReason: Directory must exist.');
  });

  it('does not leave the project by a relative directory', async () => {
    const tool = createTool('execute_bash_command', { cwd: temporaryDirectory() });
    const { text } = await tool.execute({ command: 'pwd', directory: '../..' });
    expect(text).toBe('Command rejected: pwd\nReason: Directory must be within the project root directory.');
  });

  it('lists processes in sessions of their own', async () => {
    const tool = createTool('execute_bash_command');
    const { data } = await tool.execute({ command: 'setsid sleep 2 >/dev/null 2>&1 &' });
    expect(data.background_pids).toHaveLength(1);
  });
});

describe('agentrail', () => {
  it.each([
    [undefined, 137],
    ['signal', 0],
  ])('reports an end by a signal, or success as the original does: %s', async (compat, exit_code) => {
    await using tool = createTool('agentrail', { compat });
    const { text, data } = await tool.execute({ command: 'kill -9 $$' });
    expect(text).toBe(`(no output)\n[exit code: ${exit_code}]`);
    expect(data.exit_code).toBe(exit_code);
  });

  it('keeps the output of a command in the background readable', async () => {
    await using toolset = createTools('agentrail');
    const { data } = await toolset.call('Bash', { command: 'sleep 0.2; echo late', timeout: 0 });
    expect(data).toMatchObject({ mode: 'background', pid: expect.any(Number) });
    await toolset.jobs.wait(data.job_id);
    expect(toolset.jobs.read(data.job_id).text).toBe('late\n');
  });
});

describe('oh-my-pi', () => {
  it('moves a command that takes long to the background, with its output so far', async () => {
    await using toolset = createTools('oh-my-pi', { autoBackground: { thresholdMs: 300 } });
    const { text, data, jobId } = await toolset.call('bash', { command: 'echo one; sleep 99' });
    expect(text).toContain(`one\n\nBackground job ${jobId} started: echo one; sleep 99`);
    expect(data.async).toEqual({ state: 'running', jobId, type: 'bash' });
  });

  it('gives a command a terminal if the agent has a user interface', async () => {
    await using tool = createTool('oh-my-pi', { hasUI: true });
    const { data } = await tool.execute({ command: 'tty; stty size', pty: true });
    expect(data.output).toMatch(/^\/dev\/pts\/\d+\n40 120$/);
    await using other = createTool('oh-my-pi');
    expect((await other.execute({ command: 'tty', pty: true })).data.output).toBe('not a tty');
  });

  it('gives no terminal where PI_NO_PTY is 1', async () => {
    vi.stubEnv('PI_NO_PTY', '1');
    await using tool = createTool('oh-my-pi', { hasUI: true });
    expect((await tool.execute({ command: 'tty', pty: true })).data.output).toBe('not a tty');
    vi.unstubAllEnvs();
  });
});

describe('codex-exec', () => {
  it('gives a session with tty a terminal, which takes keys', async () => {
    await using toolset = createTools('codex-exec');
    const command = { cmd: 'tty; cat; echo over', tty: true, login: false, yield_time_ms: 250 };
    const { data } = await toolset.call('exec_command', command);
    expect(data).toMatchObject({
      tty: true,
      session_id: expect.any(Number),
      output: expect.stringMatching(/^\/dev\/pts/),
    });
    const { session_id } = data;
    const typed = await toolset.call('write_stdin', { session_id, chars: 'typed\n', yield_time_ms: 250 });
    // Once as its echo, and once by cat.
    expect(typed.data.output).toBe('typed\ntyped\n');
    const ended = await toolset.call('write_stdin', { session_id, chars: '\u0004', yield_time_ms: 10_000 });
    expect(ended.data).toMatchObject({ exit_code: 0, output: expect.stringContaining('over') });
  });

  it('passes Ctrl-C to the program in the terminal', async () => {
    await using toolset = createTools('codex-exec');
    const cmd = `stty raw; head -c 1 | od -An -tx1`;
    const { data } = await toolset.call('exec_command', { cmd, tty: true, login: false, yield_time_ms: 500 });
    const chars = '\u0003';
    const ended = await toolset.call('write_stdin', {
      session_id: data.session_id,
      chars,
      yield_time_ms: 10_000,
    });
    expect(ended.data).toMatchObject({ exit_code: 0, output: expect.stringContaining('03') });
  });
});
