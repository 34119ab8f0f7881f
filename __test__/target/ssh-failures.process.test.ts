import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run, type TargetOptions } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { freePort, Sshd } from './sshd.js';

async function failureOf(target: TargetOptions) {
  const { status, error, pid } = await run('true', { target });
  expect({ status, pid }).toEqual({ status: 'failed', pid: null });
  return error;
}

/** Lets a script be the program `ssh` during a test. `$ssh` is the real one. */
function asSsh(script: string): void {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'ssh'), `#!/bin/sh\nssh=/usr/bin/ssh\n${script}\n`, { mode: 0o700 });
  const { PATH } = process.env;
  process.env.PATH = `${directory}${delimiter}${PATH}`;
  onTestFinished(() => {
    process.env.PATH = PATH;
  });
}

/** A server that accepts connections and says nothing. */
function silentServer(): Promise<number> {
  const server = createServer(() => {});
  onTestFinished(() => void server.close());
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
}

describe('a failure of ssh', { tags: ['sshd'] }, () => {
  const sshd = new Sshd([], ['MaxAuthTries 2']);

  /** A target behind a jump host that has these options. */
  function jumped(name: string, options: string[]): TargetOptions {
    const jump = ['Host jump', 'HostName 127.0.0.1', `Port ${sshd.port}`, 'GlobalKnownHostsFile none'];
    return sshd.box(name, { more: ['ProxyJump jump', ...jump, 'IdentitiesOnly yes', ...options].join('\n') });
  }

  it('by algorithms that differ names them', async () => {
    const error = await failureOf(sshd.box('macs', { more: 'Ciphers aes128-ctr\nMACs hmac-md5' }));
    expect(error?.code).toBe('TARGET_UNREACHABLE');
    expect(error?.message).toContain('ssh here and box have no common algorithm');
    expect(error?.message).toContain('hmac-sha2-256');
  });

  it('by too many keys is one of the login', async () => {
    const keys = Array.from({ length: 3 }, () => `IdentityFile ${sshd.at('other-host')}`);
    const error = await failureOf(
      sshd.box('many', { key: 'other-key', more: [...keys, `IdentityFile ${sshd.at('host')}`].join('\n') }),
    );
    expect(error?.code).toBe('TARGET_AUTH');
    expect(error?.message).toContain('it has tried too many keys');
  });

  it.each([
    ['a port', { Port: '99999' }, "Bad port '99999'"],
    ['the length of a ControlPath', { ControlPath: `/tmp/${'a'.repeat(120)}` }, 'ControlPath too long'],
    ['a cipher', { Ciphers: 'nonsense' }, "Bad SSH2 cipher spec 'nonsense'"],
    ['an unknown option', { Compression2: 'no' }, 'Bad configuration option: compression2'],
  ])('by %s is one of the configuration', async (_, options, text) => {
    const target = sshd.box(`configuration-${Object.keys(options)}`);
    Object.assign(target.ssh as object, { options });
    const error = await failureOf(target);
    expect(error?.code).toBe('TARGET_CONFIG');
    expect(error?.message).toContain(text);
  });

  it('by the permissions of its configuration is one of the configuration', async () => {
    asSsh('echo "Bad owner or permissions on /root/.ssh/config" >&2; exit 255');
    expect((await failureOf({ ssh: { host: 'box' } }))?.code).toBe('TARGET_CONFIG');
  });

  it('of a jump host is not taken for one of the host behind it', async () => {
    const unknown = await failureOf(
      jumped('jump-1', [`UserKnownHostsFile ${sshd.at('empty')}`, `IdentityFile ${sshd.at('key')}`]),
    );
    expect(unknown).toEqual({
      code: 'TARGET_HOST_KEY',
      message: 'The host key of a host on the way to box is unknown: connect once by hand and check it.',
    });
    const strict = await failureOf(
      jumped('jump-2', [`UserKnownHostsFile ${sshd.at('empty')}`, 'StrictHostKeyChecking yes']),
    );
    expect(strict?.message).toContain(
      `The host key of [127.0.0.1]:${sshd.port}, a host on the way to box, is`,
    );
    const changed = await failureOf(jumped('jump-3', [`UserKnownHostsFile ${sshd.at('changed')}`]));
    expect(changed?.message).toContain('a host on the way to box, has changed');
    const login = [`UserKnownHostsFile ${sshd.at('known')}`, `IdentityFile ${sshd.at('other-key')}`];
    const denied = await failureOf(jumped('jump-4', login));
    expect(denied?.code).toBe('TARGET_AUTH');
    expect(denied?.message).toContain("ssh can't log in to a host on the way to box");
  });

  it('of the network is one of the network', async () => {
    // A namespace without a network.
    asSsh('exec unshare -n "$ssh" "$@"');
    const target = sshd.box('network', { more: '' });
    Object.assign(target.ssh as object, { options: { HostName: '192.0.2.1' } });
    const error = await failureOf(target);
    expect(error?.code).toBe('TARGET_UNREACHABLE');
    expect(error?.message).toContain('Network is unreachable');
  });

  it('by a server that does not answer is one of the network', async () => {
    const target = sshd.box('silent');
    Object.assign(target.ssh as object, { port: await silentServer() });
    const error = await failureOf({ ...target, connectTimeout: 3_000 });
    expect(error?.code).toBe('TARGET_UNREACHABLE');
    expect(error?.message).toContain('timed out');
  });

  it('by a ProxyCommand that fails is one of the network, with what it has said', async () => {
    const error = await failureOf(sshd.box('proxy', { more: 'ProxyCommand /nowhere/proxy' }));
    expect(error?.code).toBe('TARGET_UNREACHABLE');
    expect(error?.message).toContain('/nowhere/proxy');
  });

  it('by a closed port behind a jump host is one of the network', async () => {
    const options = [`UserKnownHostsFile ${sshd.at('known')}`, `IdentityFile ${sshd.at('key')}`];
    const target = jumped('jump-5', options);
    Object.assign(target.ssh as object, { port: await freePort() });
    const error = await failureOf(target);
    expect(error?.code).toBe('TARGET_UNREACHABLE');
    expect(error?.message).toContain('Connection refused');
  });
});
