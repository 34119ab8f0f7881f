import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { run, Target } from '../../index.js';
import { INDEX, NodeProcess } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { freePort, Sshd } from './sshd.js';

describe('a target that ssh reaches', { tags: ['sshd'] }, () => {
  const sshd = new Sshd();

  it('runs commands over one connection, whose exit codes are theirs', async () => {
    const target = new Target(sshd.box('plain'));
    for (const code of [0, 1, 126, 127, 137, 255]) {
      const result = await run(`echo out; echo err >&2; exit ${code}`, { target });
      expect(result).toMatchObject({ status: 'exited', exitCode: code, stdout: 'out\n', stderr: 'err\n' });
      expect(result.target?.kind).toBe('ssh');
    }
    const many = await Promise.all(Array.from({ length: 32 }, (_, code) => run(`exit ${code}`, { target })));
    expect(many.map(({ exitCode }) => exitCode)).toEqual(Array.from({ length: 32 }, (_, code) => code));
    const forwarded = await run('cat', { target, input: 'x'.repeat(1_000_000), output: { maxBytes: 2e6 } });
    expect(forwarded.totalBytes.stdout).toBe(1_000_000);
    await target.dispose();
  });

  it('ends whole trees at a timeout, and leaves nothing when it is disposed', async () => {
    const seconds = tag();
    const target = new Target(sshd.box('timeout'));
    const line = `(setsid sleep ${seconds} >/dev/null 2>&1 &); sleep ${seconds}`;
    expect((await run(line, { target, timeout: 1_000 })).status).toBe('timeout');
    expect(living(seconds)).toEqual([]);
    await run(`setsid sleep ${seconds} >/dev/null 2>&1 &`, { target });
    expect(living(seconds)).toHaveLength(1);
    await target.dispose();
    await until(() => living(seconds).length === 0, 'the background process is gone');
    await until(() => living(sshd.at('cache')).length === 0, 'the helper is gone');
  });

  it('ignores what the configuration would do to the connection', async () => {
    const more = [
      'RequestTTY force',
      'RemoteCommand echo never',
      'ForwardAgent yes',
      `ControlPath ${sshd.at('control')}`,
      'ControlMaster auto',
      'ControlPersist 600',
      'LogLevel DEBUG3',
    ].join('\n');
    const result = await run('echo "${SSH_TTY:-none}"', { target: sshd.box('odd', { more }) });
    expect(result).toMatchObject({ stdout: 'none\n', error: null });
    expect(existsSync(sshd.at('control'))).toBe(false);
  });

  it.each([
    ['TARGET_HOST_KEY', 'is unknown: connect once by hand', { known: 'empty' }],
    ['TARGET_HOST_KEY', 'has changed. Someone may be in between', { known: 'changed' }],
    ['TARGET_AUTH', "ssh can't log in to box without a password", { key: 'other-key' }],
    ['TARGET_CONFIG', 'ssh refuses its configuration', { more: 'NoSuchOption yes' }],
    ['TARGET_UNREACHABLE', "box can't be reached", { more: 'ProxyCommand none\nMatch all' }],
  ])('%s: %s', async (code, text, options) => {
    const target = sshd.box(`failure-${code}-${JSON.stringify(options).length}`, options);
    if (code === 'TARGET_UNREACHABLE') {
      const closed = await freePort();
      Object.assign(target.ssh as object, { port: closed });
    }
    const { status, error, pid } = await run('true', { target });
    expect([status, error?.code, pid]).toEqual(['failed', code, null]);
    expect(error?.message).toContain(text);
  });

  it('tries the keys of the configuration beside the one of the options', async () => {
    const target = sshd.box('identity');
    Object.assign(target.ssh as object, { identity: sshd.at('other-key') });
    expect((await run('echo in', { target })).stdout).toBe('in\n');
  });

  it('kills everything there when Node.js is killed', async () => {
    const seconds = tag();
    const path = sshd.config('killed');
    const program = `
      import { run } from ${JSON.stringify(INDEX)};
      const target = { ssh: { host: 'box', config: ${JSON.stringify(path)} } };
      await run('(setsid sleep ' + TAG + ' >/dev/null 2>&1 &); yes & sleep ' + TAG, { target });
    `;
    const node = new NodeProcess(program, { tag: seconds });
    await until(() => living(seconds).length >= 2, 'both processes run');
    node.process.kill('SIGKILL');
    await until(() => living(seconds).length === 0, 'nothing is left', 12_000);
  });
});
