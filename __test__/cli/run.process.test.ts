import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { BIN, CommandLine, commandLine } from './support.js';

describe('agent-bash', () => {
  it('has help, also for each command, that names every option', async () => {
    const { code, stdout } = await commandLine(['--help']);
    expect(code).toBe(0);
    for (const name of ['mcp', 'run', 'check', 'probe']) {
      expect(stdout).toContain(`agent-bash ${name}`);
      const help = await commandLine([name, '--help']);
      expect(help).toMatchObject({ code: 0, stderr: '' });
      // An option that the help does not name is refused by the reader of options as an unknown one is.
      const options = [...help.stdout.matchAll(/^ +(--[a-z-]+)/gm)].map(([, option]) => option);
      expect(options.length).toBeGreaterThan(0);
      for (const option of options) {
        const { stderr } = await commandLine([name, option as string, '--help']);
        expect(stderr, option).not.toContain('unknown option');
      }
    }
  }, 120_000);

  it('says what is wrong without a command, or with an unknown one', async () => {
    expect(await commandLine([])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Usage:'),
    });
    const unknown = await commandLine(['serve']);
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toBe(
      "agent-bash: unknown command 'serve'; there are call, check, completion, copy, explain, jobs, live, mcp, probe, run\nTry 'agent-bash --help'.\n",
    );
  });

  it('forwards output that is no text', async () => {
    const { stdout } = spawnSync(process.execPath, [BIN, 'run', '--', String.raw`printf '\377\0\303'`]);
    expect([...stdout]).toEqual([0xff, 0, 0xc3]);
  });

  it.each(['nosuch', 'constructor'])('has no help for the unknown command %s', async (name) => {
    expect(await commandLine(['help', name])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(
        `unknown command or topic '${name}'; there are call, check, completion, copy, explain, jobs, live, mcp, probe, run`,
      ),
    });
  });

  it.each([
    [['mcp', '--mode'], '--mode needs a value'],
    [['mcp', '--timeout', '-5'], "--timeout needs a value; one that begins with '-' is written --timeout=-…"],
    [['mcp', '--yield', '9999h'], 'Invalid option --yield: expected at most 2147483647 milliseconds'],
    [['mcp', '--max-output', '999G'], 'Invalid option --max-output: expected an integer from 1 to 16777216'],
    [['mcp', '--deny', 'Bash('], 'Invalid option --deny: missing closing parenthesis'],
    [['mcp', '--limit-cpu', '0'], 'Invalid option --limit-cpu: expected a number of milliseconds above 0'],
    [['mcp', '--root', '/no/such'], "--root '/no/such' is not a directory"],
    [['mcp', '--root', '/tmp', '--cwd', 'no/such'], "--cwd '/tmp/no/such' is not a directory"],
    [['mcp', '--shell', '/no/such'], "--shell '/no/such' does not exist"],
    [['mcp', '--sandbox', 'read-only'], '--sandbox needs --root'],
    [['mcp', '--root', '/usr', '--sandbox', 'all'], 'Invalid option --sandbox: unknown variant `all`'],
    [['mcp', '--mode', 'read-only'], "invalid value 'read-only' for --mode: expected ask or auto; for"],
    [['run', '--network', 'on', '--', 'true'], '--network needs --sandbox'],
    [['run', '--allow-host', 'a:1', '--', 'true'], '--allow-host needs --sandbox'],
    [
      ['mcp', '--root', '/usr', '--sandbox', 'isolated', '--network', 'on', '--allow-host', 'a:1'],
      '--network and --allow-host exclude each other',
    ],
    [['mcp', '--root', '/usr', '--sandbox', 'isolated', '--allow-host', 'a'], 'Invalid option --allow-host'],
    [['run', '--root', '/', '--sandbox', 'read-only', '--', 'true'], "Invalid option --root: '/' can't be"],
    [['run', '--shell', '/bin/sh', '--', 'echo', 'a'], '--shell needs the command as one word'],
  ])('names the option that is wrong: %j', async (words, expected) => {
    const { code, stdout, stderr } = await commandLine(words as string[]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`agent-bash: ${expected}`);
  });

  it.each([
    [['run', '--timout', '5s'], "unknown option '--timout'; did you mean '--timeout'?"],
    [['run', '--workdir', '/'], "unknown option '--workdir'; use '--cwd'"],
    [['mcp', '--no-inherit'], "unknown option '--no-inherit'; did you mean '--no-inherit-env'?"],
    [['rnu', '--', 'true'], "unknown command 'rnu'; there are"],
    [['porbe'], "unknown command 'porbe'; did you mean 'probe'?"],
  ])('offers the nearest name: %j', async (words, expected) => {
    const { code, stderr } = await commandLine(words as string[]);
    expect(code).toBe(2);
    expect(stderr).toContain(expected);
  });

  it('says its version', async () => {
    expect((await commandLine(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('agent-bash run', () => {
  it('shows the output of a command by its streams, and exits as it does', async () => {
    const end = await commandLine(['run', '--', 'echo out; echo err >&2; exit 3']);
    expect(end).toEqual({ code: 3, signal: null, stdout: 'out\n', stderr: 'err\n' });
  });

  it('takes several words as a program and its arguments', async () => {
    expect((await commandLine(['run', '--', 'echo', '$HOME', 'a  b'])).stdout).toBe('$HOME a  b\n');
  });

  it.each([
    ['a pipe', 'printf "a\\377b" |', ''],
    ['a file', 'printf "a\\377b" >"$file";', '<"$file"'],
  ])('passes on %s as standard input, byte for byte', (_, before, after) => {
    const file = join(temporaryDirectory(), 'input');
    const script = `${before} '${process.execPath}' '${BIN}' run -- cat ${after}`;
    const { stdout } = spawnSync('sh', ['-c', script], { env: { ...process.env, file } });
    expect([...stdout]).toEqual([0x61, 0xff, 0x62]);
  });

  it('passes on standard input with --json, whose result is that of run()', async () => {
    const line = new CommandLine(['run', '--json', '--', 'cat']);
    line.process.stdin?.end('text');
    expect(JSON.parse((await line.ended).stdout)).toMatchObject({
      stdout: 'text',
      jobId: null,
      cursor: null,
    });
  });

  it('has the length of a long standard input', async () => {
    const line = new CommandLine(['run', '--', 'wc -c']);
    line.process.stdin?.end('x'.repeat(5_000_000));
    expect((await line.ended).stdout).toMatch(/^5000000$/m);
  });

  it('gives no pipe for /dev/null and for a terminal', async () => {
    const { stdout } = spawnSync(process.execPath, [BIN, 'run', '--', 'stat -L -c %F /dev/stdin'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      encoding: 'utf8',
    });
    expect(stdout).toBe('character special file\n');
    const line = `'${process.execPath}' '${BIN}' run -- 'stat -L -c %n:%F /dev/stdin; readlink /dev/stdin; cat'`;
    expect((await run(line, { pty: true })).stdout).toContain('/dev/stdin:character special file');
  });

  it('ends with its command, while standard input goes on', async () => {
    const line = new CommandLine(['run', '--', 'head -c 1; echo over']);
    line.process.stdin?.write('xyz');
    expect(await line.ended).toMatchObject({ code: 0, stdout: 'xover\n' });
  });

  it('ends with its reader, as other programs do', async () => {
    const line = new CommandLine(['run', '--', 'yes']);
    await until(() => line.stdout !== '', 'it writes');
    line.process.stdout?.destroy();
    expect(await line.ended).toMatchObject({ code: 141, stderr: '' });
  });

  it('shows all of a long output', async () => {
    expect((await commandLine(['run', '--', 'yes | head -c 5000000'])).stdout.length).toBe(5_000_000);
  });

  it.each([
    ['kill -9 $$', [], 137],
    ['sleep 99', ['--timeout', '200ms'], 124],
    ['sleep 99', ['--idle-timeout', '200ms'], 124],
    ['true', ['--cwd', '/missing'], 127],
    ['true', ['--shell', '/missing'], 127],
  ])('maps the end of a command to its exit code: %s %s', async (command, flags, code) => {
    expect((await commandLine(['run', ...flags, '--', command])).code).toBe(code);
  });

  it('runs a command in a sandbox', { tags: ['sandbox'] }, async () => {
    const root = temporaryDirectory();
    const flags = ['--root', root, '--sandbox', 'workspace-write', '--network', 'loopback', '--json'];
    const command = 'echo x > inside; echo $AGENT_BASH_SANDBOX_NETWORK; touch /etc/outside';
    const { code, stdout } = await commandLine(['run', ...flags, '--', command]);
    expect(code).toBe(1);
    const { stdout: output, stderr, sandbox } = JSON.parse(stdout);
    expect([output, sandbox.level]).toEqual(['loopback\n', 'workspace-write']);
    expect(stderr).toContain('Read-only file system');
    expect(readdirSync(root)).toEqual(['inside']);
  });

  it('prints a minimized output, with a file of all of it that outlives the process', async () => {
    const directory = temporaryDirectory();
    const lines = Array.from({ length: 200 }, (_, index) => `test case_${index} ... ok\n`).join('');
    const program = `cargo() { printf '%s' "$1"; echo "test result: ok"; exit 3; }; cargo "${lines}"`;
    const env = { ...process.env, NODE_OPTIONS: '', TMPDIR: directory };
    const { stdout, status } = spawnSync(process.execPath, [BIN, 'run', '--minimize', '--', program], {
      env,
    });
    expect(status).toBe(3);
    const [, path = ''] = /^\[output: 201 lines, .* shown; whole: (.*)\]\n$/m.exec(stdout.toString()) ?? [];
    expect(stdout.toString()).toContain(' left out: 199 lines, ');
    expect(readFileSync(path, 'utf8')).toBe(`${lines}test result: ok\n`);
  });

  it('leaves no file of a minimized output that is shown whole', async () => {
    const directory = temporaryDirectory();
    const env = { ...process.env, NODE_OPTIONS: '', TMPDIR: directory };
    const words = ['run', '--minimize', '--json', '--', 'seq 500'];
    const { stdout } = spawnSync(process.execPath, [BIN, ...words], { env });
    const { output, spillPath } = JSON.parse(stdout.toString());
    expect({ spillPath, end: output.slice(-4) }).toEqual({ spillPath: null, end: '500\n' });
    expect(readdirSync(directory)).toEqual([]);
  });

  it('gives the result as JSON', async () => {
    const directory = temporaryDirectory();
    const flags = ['--json', '--cwd', directory, '--env', 'A=b', '--merge', '--max-output', '1K'];
    const { code, stdout } = await commandLine(['run', ...flags, '--', 'echo $A >&2; pwd; exit 3']);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      exitCode: 3,
      status: 'exited',
      stdout: `b\n${directory}\n`,
      cwd: directory,
    });
  });

  it.each([
    [['run'], /no command; write it behind --/],
    [['run', '--', ' '], /no command/],
    [['run', '--timeout', 'soon', '--', 'true'], /--timeout: expected a duration/],
    [['run', '--what', '--', 'true'], /unknown option '--what'/],
    [['probe', 'more'], /unexpected 'more'/],
  ])('says what is wrong: %s', async (args, message) => {
    const { code, stdout, stderr } = await commandLine(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends the whole command at %s', async (signal, code) => {
    const seconds = tag();
    const line = new CommandLine(['run', '--', `(setsid sleep ${seconds} &) ; sleep ${seconds}`]);
    await until(() => living(seconds).length >= 2, 'both sleep');
    line.process.kill(signal);
    expect((await line.ended).code).toBe(code);
    await until(() => living(seconds).length === 0, 'nobody is left');
  });
});

describe('agent-bash probe', () => {
  it('says that commands work here', async () => {
    const { code, stdout } = await commandLine(['probe']);
    expect(code).toBe(0);
    expect(stdout).toContain('Commands work here.');
    expect(stdout).toMatch(/^guardian +(running|starting)$/m);
  });

  it('says which sandboxes there are, and by what', { tags: ['sandbox'] }, async () => {
    const { stdout } = await commandLine(['probe']);
    for (const level of ['read-only', 'workspace-write', 'isolated']) {
      expect(stdout).toMatch(new RegExp(`^${level} +sandbox by namespaces$`, 'm'));
    }
  });

  it('says it as JSON, with the SDKs of the project', async () => {
    const { stdout } = await commandLine(['probe', '--json'], temporaryDirectory());
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      ok: true,
      node: process.version,
      shell: '/bin/bash',
      command: { error: null, medianMs: expect.any(Number) },
    });
    expect(report.sdks).toContainEqual({ name: 'ai', version: null, subpath: 'agent-bash/ai-sdk' });
  });
});
