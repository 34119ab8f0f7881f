import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { CommandLine, commandLine } from './support.js';

const json = (value: object) => JSON.stringify(value);

describe('agent-bash call', () => {
  it("prints the text of the dialect's answer", async () => {
    const root = temporaryDirectory();
    const end = await commandLine([
      'call',
      'rye',
      '--root',
      root,
      '--params',
      json({ command: 'pwd; exit 3' }),
    ]);
    expect(end).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(end.stdout)).toMatchObject({ success: false, stdout: `${root}\n`, exit_code: 3 });
  });

  it('reads the arguments from standard input', async () => {
    const line = new CommandLine(['call', 'voice', '--params', '-']);
    line.process.stdin?.end(json({ command: 'echo from stdin' }));
    expect(await line.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('from stdin\n') });
  });

  it('answers in the words of the original on demand', async () => {
    const end = await commandLine([
      ...['call', 'rye', '--compat', 'all', '--params', json({ command: 'echo é; sleep 60', timeout: 0.2 })],
    ]);
    expect(end.stdout).toBe(
      '{"success": false, "error": "Command timed out after 0.2 seconds", "timeout": 0.2}\n',
    );
  });

  it("ends the call at a signal, with the shell's exit code for it", async () => {
    const root = temporaryDirectory();
    const line = new CommandLine([
      'call',
      'rye',
      '--params',
      json({ command: `touch ${root}/started; sleep 60` }),
    ]);
    await until(() => existsSync(`${root}/started`));
    line.process.kill('SIGTERM');
    expect(await line.ended).toMatchObject({ code: 143, signal: null, stdout: '' });
  });

  it.each([
    [['call'], 'no dialect'],
    [['call', 'rye'], '--params is missing'],
    [['call', 'rye', '--params', '{'], "invalid value '{' for --params: expected a JSON object"],
    [['call', 'rye', '--params', '[1]'], "invalid value '[1]' for --params: expected a JSON object"],
    [['call', 'nope', '--params', '{}'], "got 'nope'"],
    [['call', 'rye', 'more', '--params', '{}'], "unexpected 'more'"],
    [
      ['call', 'rye', '--compat', 'nope', '--params', '{}'],
      "Invalid option --compat: expected true, false, 'binary'",
    ],
  ])('says what is wrong: %j', async (words, expected) => {
    const { code, stdout, stderr } = await commandLine(words as string[]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(expected);
  });
});

describe("the command line of rye-os's bash.py", () => {
  const rye = (params: string, root: string) => commandLine(['--params', params, '--project-path', root]);

  it("prints the answer as Python's json.dumps", async () => {
    const root = temporaryDirectory();
    const end = await rye(json({ command: 'echo é; pwd; echo e >&2' }), root);
    expect(end).toEqual({
      code: 0,
      signal: null,
      stderr: '',
      stdout:
        `{"success": true, "output": "\\u00e9\\n${root}\\n\\n[stderr]\\ne\\n", "stdout": "\\u00e9\\n${root}\\n", ` +
        '"stderr": "e\\n", "exit_code": 0, "truncated": false}\n',
    });
  });

  it('exits with 0 for the answer of an error too', async () => {
    const { code, stdout } = await rye(json({ command: 'ls', working_dir: '/' }), temporaryDirectory());
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '{"success": false, "error": "Working directory is outside the project workspace"}\n',
    });
  });

  it('takes its options in either order', async () => {
    const { stdout } = await commandLine(['--project-path=/', '--params={"command":"pwd"}']);
    expect(stdout).toContain('"stdout": "/\\n"');
  });
});
