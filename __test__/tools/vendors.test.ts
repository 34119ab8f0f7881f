import { readFileSync, realpathSync } from 'node:fs';
import { createTool, createTools } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';

describe('a job that is only started', () => {
  it('leaves the output of a short command to be read', async () => {
    await using toolset = createTools('claude-code');
    const command = 'echo out; echo err >&2';
    const { text, data } = await toolset.call('Bash', { command, run_in_background: true });
    expect(text).toBe('Command running in background with ID: bash_1');
    expect([data.stdout, data.backgroundTaskId]).toEqual(['', 'bash_1']);
    await toolset.jobs.get(String(toolset.jobs.list()[0]?.id))?.result;
    const read = await toolset.call('BashOutput', { bash_id: 'bash_1' });
    expect(read.text).toMatch(
      /^<status>completed<\/status>\n\n<exit_code>0<\/exit_code>\n\n<stdout>\nout\n<\/stdout>\n\n<stderr>\nerr\n<\/stderr>\n\n<timestamp>/,
    );
  });

  it('has an id even if it is over by then', async () => {
    await using toolset = createTools('oh-my-pi', { async: true });
    const { text, data } = await toolset.call('bash', { command: 'echo one', async: true });
    expect(text).toMatch(/^Background job job-\d+ started: echo one\n/);
    const read = await toolset.call('job', { poll: [data.async.jobId] });
    expect(read.text).toMatch(
      /^## Completed \(1\)\n\n### job-\d+ \[bash\] — completed\nLabel: echo one\n```\none\n\nWall time: [\d.]+ seconds\n```$/,
    );
    const again = await toolset.call('job', { poll: [data.async.jobId] });
    expect(again.text).toMatch(/Label: echo one$/);
  });

  it('is an error where it could not be started', async () => {
    await using toolset = createTools('claude-code', { cwd: '/no/such/directory' });
    const { isError, jobId } = await toolset.call('Bash', { command: 'true', run_in_background: true });
    expect([isError, jobId === undefined]).toEqual([true, false]);
  });
});

describe('a background command of claude-code in the current form', () => {
  it('names the file with its output while it runs', async () => {
    await using toolset = createTools('claude-code', { form: 'current' });
    const command = 'echo one; sleep 99';
    const { text } = await toolset.call('Bash', { command, run_in_background: true });
    const [, file] =
      /^Command running in background with ID: bash_1\. Output is being written to: (\/\S+)\. You will be notified/.exec(
        text,
      ) ?? [];
    await until(() => readFileSync(String(file), 'utf8') === 'one\n');
    const read = await toolset.call('TaskOutput', { task_id: 'bash_1', block: false });
    expect(read.text).toMatch(/<status>running<\/status>\n\n<output>\none\n<\/output>$/);
  });

  it('shows a preview of long output, and the same file', async () => {
    await using toolset = createTools('claude-code', { form: 'current' });
    const { text } = await toolset.call('Bash', { command: 'seq 300000', run_in_background: true });
    const file = /written to: (\/\S+)\. You/.exec(text)?.[1];
    const read = await toolset.call('TaskOutput', { task_id: 'bash_1' });
    expect(read.text).toContain(
      `<output>\n<persisted-output>\nOutput too large (1942.3KB). Full output saved to: ${file}\n\nPreview (first and last 1KB):\n1\n2\n`,
    );
    expect(read.text).toMatch(/\n\.\.\.\n[\d\n]*\n300000\n<\/persisted-output>\n<\/output>$/);
  });
});

describe('a command of claude-code in the current form', () => {
  it('names the file with the rest of its output when its time is up', async () => {
    await using toolset = createTools('claude-code', { form: 'current' });
    const { text } = await toolset.call('Bash', { command: 'echo one; sleep 0.6; echo two', timeout: 300 });
    const [, file] =
      /^one\nCommand timed out after 0\.3s and was moved to the background with ID: bash_1; it was not stopped\. Its output so far is above; the rest goes to (\/\S+)$/.exec(
        text,
      ) ?? [];
    await until(() => readFileSync(String(file), 'utf8') === 'one\ntwo\n');
  });

  it('leaves no file where the model reads all of its output', async () => {
    await using tool = createTool('claude-code', { form: 'current' });
    const { run, text } = await tool.execute({ command: 'echo one' });
    expect([text, run?.spillPath]).toEqual(['one', null]);
  });
});

describe('the end of a background command of claude-code in the current form', () => {
  it('comes with the notice that its start has promised', async () => {
    const notices: (string | null)[] = [];
    await using toolset = createTools('claude-code', { form: 'current' });
    toolset.on('job', ({ notice }) => notices.push(notice));
    const args = { command: 'echo one; exit 3', description: 'Count to <one>', run_in_background: true };
    const { text } = await toolset.call('Bash', args, { callId: 'toolu_1' });
    const file = /written to: (\/\S+)\. You will be notified/.exec(text)?.[1];
    await until(() => notices.length > 0);
    expect(notices).toEqual([
      `<task-notification>\n<task-id>bash_1</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n<output-file>${file}</output-file>
<status>failed</status>\n<summary>Background command "Count to &lt;one&gt;" failed with exit code 3</summary>\n</task-notification>`,
    ]);
  });

  it('has no notice in the classic form, which promises none', async () => {
    const notices: (string | null)[] = [];
    await using toolset = createTools('claude-code');
    toolset.on('job', ({ notice }) => notices.push(notice));
    await toolset.call('Bash', { command: 'true', run_in_background: true });
    await until(() => notices.length > 0);
    expect(notices).toEqual([null]);
  });
});

describe('the directory of claude-code', () => {
  it.each([true, false])('stays in an added directory: with a root %s', async (hasRoot) => {
    const [project, added] = [temporaryDirectory(), temporaryDirectory()];
    const root = hasRoot ? { root: project } : {};
    const options = { cwd: project, ...root, additionalDirectories: [added] };
    await using toolset = createTools('claude-code', options);
    const call = async (command: string) => (await toolset.call('Bash', { command })).text;
    expect(await call(`cd ${added}`)).toBe('(Bash completed with no output)');
    expect(await call('pwd -P')).toBe(realpathSync(added));
    expect(await call('cd /')).toBe(`Shell cwd was reset to ${realpathSync(added)}`);
    expect(await call(`cd ${project}`)).toBe('(Bash completed with no output)');
    expect(await call('pwd -P')).toBe(realpathSync(project));
  });
});

describe('a long sleep in claude-code', () => {
  it('is refused in the foreground, where the host wants that', async () => {
    await using toolset = createTools('claude-code', { maxSleepMs: 2_000 });
    const { text, isError } = await toolset.call('Bash', { command: 'sleep 3; echo one' });
    expect(text).toMatch(/^<tool_use_error>Blocked: sleep 3 followed by: echo one\. To wait /);
    expect(isError).toBe(true);
    const job = await toolset.call('Bash', { command: 'sleep 3', run_in_background: true });
    expect(job.text).toBe('Command running in background with ID: bash_1');
  });

  it('runs by default', async () => {
    await using toolset = createTools('claude-code', { form: 'current' });
    const { text } = await toolset.call('Bash', { command: 'sleep 99', timeout: 100 });
    expect(text).toMatch(/^Command timed out after 0\.1s and was moved/);
  });
});

describe('the limits of claude-code', () => {
  const limits = { BASH_DEFAULT_TIMEOUT_MS: '300', BASH_MAX_TIMEOUT_MS: '600', BASH_MAX_OUTPUT_LENGTH: '9' };

  it.each([
    [{}, '0.3s'],
    [{ timeout: 3_600_000 }, '0.6s'],
  ])('are those of the variables of Claude Code: %o', async (args, time) => {
    await using tool = createTool('claude-code', { env: limits, timeout: { on: 'kill' } });
    expect((await tool.execute({ command: 'sleep 99', ...args })).text).toBe(
      `Command timed out after ${time}`,
    );
    expect((await tool.execute({ command: 'seq 6' })).text).toBe(
      '1\n2\n\n\n... [1 lines truncated] ...\n\n4\n5\n6',
    );
  });

  it('are those of the options where both are given', async () => {
    const options = {
      env: limits,
      output: { maxChars: 100 },
      timeout: { default: 200, on: 'kill' as const },
    };
    await using tool = createTool('claude-code', options);
    expect((await tool.execute({ command: 'sleep 99' })).text).toBe('Command timed out after 0.2s');
    expect((await tool.execute({ command: 'seq 6' })).text).toBe('1\n2\n3\n4\n5\n6');
  });
});

describe('the reference implementation of anthropic-bash', () => {
  it('needs a restart after a timeout', async () => {
    await using toolset = createTools('anthropic-bash', { compat: 'quickstarts', timeout: 300 });
    const call = async (args: object) => (await toolset.call('bash', args)).text;
    const timedOut = 'timed out: bash has not returned in 0.3 seconds and must be restarted';
    expect(await call({ command: 'echo a; sleep 99' })).toBe(timedOut);
    expect(await call({ command: 'echo a' })).toBe(timedOut);
    expect(await call({ restart: true })).toBe('<system>tool has been restarted.</system>');
    expect(await call({ command: 'echo a' })).toBe('a');
  });

  it('needs a restart after the end of its shell', async () => {
    await using toolset = createTools('anthropic-bash', { compat: 'quickstarts' });
    await toolset.call('bash', { command: 'exit 3' });
    const { text, isError } = await toolset.call('bash', { command: 'echo a' });
    expect([text, isError]).toEqual([
      '<system>tool must be restarted</system>\nbash has exited with returncode 3',
      true,
    ]);
  });
});

describe('compat of rye', () => {
  it.each([0, -1])('ends a command at once whose time is %s', async (timeout) => {
    await using toolset = createTools('rye', { compat: true });
    const { data } = await toolset.call('rye_bash', { command: 'sleep 99', timeout });
    const error = `Command timed out after ${timeout} seconds`;
    expect(data).toEqual({ success: false, error, timeout });
  });
});

describe('arguments that are not JSON', () => {
  it.each([
    ['voice', 'Error: Invalid JSON arguments'],
    ['anthropic-bash', 'Error: the arguments are not valid JSON'],
    ['codex-shell', 'failed to parse function arguments: the arguments are not valid JSON'],
    ['codex-exec', 'failed to parse function arguments: the arguments are not valid JSON'],
  ] as const)('are reported as such: %s', async (dialect, expected) => {
    await using toolset = createTools(dialect);
    const { text, isError } = await toolset.call(String(toolset.tools[0]?.name), '{"command": ');
    expect([text, isError]).toEqual([expected, true]);
  });
});

describe('a companion of claude-code without an id', () => {
  it.each([
    ['classic', 'BashOutput', 'bash_id'],
    ['classic', 'KillShell', 'shell_id'],
    ['current', 'TaskOutput', 'task_id'],
    ['current', 'TaskStop', 'task_id'],
  ] as const)('says which parameter is missing: %s %s', async (form, tool, name) => {
    await using toolset = createTools('claude-code', { form });
    const message = `InputValidationError: ${tool} failed: The required parameter \`${name}\` is missing`;
    expect((await toolset.call(tool, {})).text).toBe(`<tool_use_error>${message}</tool_use_error>`);
  });
});
