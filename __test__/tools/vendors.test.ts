import { createTools } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';

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
    expect(read.text).toMatch(/^job-\d+ \[completed\] echo one\none$/);
  });

  it('is an error where it could not be started', async () => {
    await using toolset = createTools('claude-code', { cwd: '/no/such/directory' });
    const { isError, jobId } = await toolset.call('Bash', { command: 'true', run_in_background: true });
    expect([isError, jobId === undefined]).toEqual([true, false]);
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
  ] as const)('are told as such: %s', async (dialect, expected) => {
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
