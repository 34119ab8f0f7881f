import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { shellTarget } from '../target/shell-target.js';
import { commandLine, LineClient } from './support.js';

describe.skipIf(process.platform !== 'linux')('agent-bash --target', () => {
  function exec(): string {
    const { exec: words } = shellTarget().options;
    return `exec:${(words as string[]).join(' ')}`;
  }

  it('runs a command there', async () => {
    const { code, stdout } = await commandLine(['run', '--target', exec(), '--', 'echo here; exit 4']);
    expect({ code, stdout }).toEqual({ code: 4, stdout: 'here\n' });
  });

  it('takes quotes in the words of a transport and of an engine', async () => {
    const program = join(temporaryDirectory(), 'a transport');
    writeFileSync(program, '#!/bin/sh\nshift\nexec "$@"\n', { mode: 0o755 });
    const there = ['run', '--target', `exec:'${program}' "one word"`, '--', 'echo here'];
    expect(await commandLine(there)).toMatchObject({ code: 0, stdout: 'here\n' });
    const engine = ['--target', 'container:nowhere', '--engine', "'/no where/e' --flag"];
    expect((await commandLine(['run', ...engine, '--', 'true'])).stderr).toContain('/no where/e: ENOENT');
  });

  it('probes a target', async () => {
    const there = await commandLine(['probe', '--target', exec(), '--json']);
    expect(there.code).toBe(0);
    expect(JSON.parse(there.stdout)).toMatchObject({ ok: true, kind: 'exec', supervisor: 'copied' });
    const text = await commandLine(['probe', '--target', exec()]);
    expect(text.stdout).toContain('Commands work there.');
    const nowhere = await commandLine(['probe', '--target', 'exec:/nowhere/transport']);
    expect(nowhere.code).toBe(1);
    expect(nowhere.stdout).toContain("TARGET_START: '/nowhere/transport' can't be started: ENOENT.");
  });

  it('serves a tool whose shell stays there', async () => {
    const client = new LineClient('--session', 'live', '--mode', 'auto', '--target', exec());
    await client.initialize();
    const call = async (command: string) =>
      (await client.answer(client.call(command))).result.content[0].text;
    await call('cd /usr; a=kept');
    expect(await call('pwd; echo $a')).toContain('/usr\nkept');
  });

  it('takes a relative root of this machine for a container of its own, and for no other target', async () => {
    // Nothing is started before the first call.
    const client = new LineClient(
      '--mode',
      'auto',
      '--root',
      '.',
      '--cwd',
      'src',
      '--target',
      'container:nowhere',
      '--engine',
      '/nowhere/e',
    );
    await client.initialize();
    const { result } = await client.answer(client.call('echo hi'));
    expect(result.content[0].text).toContain('/nowhere/e');
    const there = await commandLine(['mcp', '--root', '.', '--target', exec()]);
    expect(there.code).toBe(2);
    expect(there.stderr).toContain('--root: expected an absolute path next to a target');
    const missing = await commandLine(['mcp', '--root', './missing', '--target', 'container:nowhere']);
    expect(missing.stderr).toContain("--root './missing' is not a directory");
  });

  it.each([
    [['--target', 'vm:x'], '--target: expected container:IMAGE'],
    [['--target', 'compose:-T'], "'service': expected text without control characters"],
    [['--target', "exec:'sh"], '--target exec: a quote is not closed'],
    [['--target', 'exec: '], '--target exec: expected a program and its arguments'],
    [['--target', 'container:x', '--engine', '"docker'], '--engine: a quote is not closed'],
    [['--engine', 'docker'], '--engine needs --target'],
    [['--engine', 'docker', '--target', 'ssh:h'], '--engine needs a container'],
  ])('refuses %j', async (words, message) => {
    const { code, stderr } = await commandLine(['run', ...words, '--', 'true']);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
