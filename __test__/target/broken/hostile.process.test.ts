import { chmodSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { run, Target, type TargetOptions } from '../../../index.js';
import { temporaryDirectory } from '../../support/directory.js';
import { living, until } from '../../support/processes.mjs';
import { shellTarget } from '../shell-target.js';

const SERVER = fileURLToPath(new URL('./hostile-server.mjs', import.meta.url));

/** The memory of this process that an attack may take: far below what it sends (bytes). */
const MAX_MEMORY = 64 << 20;

/** Expects that a command on such a target fails with this code, and that nothing of the server stays. */
async function expectRefused(
  words: string[],
  code: RegExp | string,
  options?: Partial<TargetOptions>,
): Promise<void> {
  const home = temporaryDirectory();
  const target = new Target({ exec: [...words, home], connectTimeout: 5_000, ...options } as TargetOptions);
  const before = process.memoryUsage().rss;
  const result = await run('cat', { target, input: 'x'.repeat(1_000_000) });
  expect(result.status).toBe('failed');
  expect(result.error?.code).toMatch(code);
  expect(result.error?.message).not.toMatch(/[\x00-\x08\x1b]/);
  expect(process.memoryUsage().rss - before).toBeLessThan(MAX_MEMORY);
  await target.dispose();
  await until(() => living(home).length === 0, 'its processes are gone');
}

describe.skipIf(process.platform !== 'linux')('a server that is none of ours', () => {
  it.each([
    ['garbage', 'head -c 300000 /dev/urandom; cat >/dev/null', /^TARGET_(BANNER|SHELL)$/],
    ['an endless banner', 'yes', 'TARGET_BANNER'],
    ['silence', 'cat >/dev/null; :', 'TARGET_TIMEOUT'],
    ['the end of its output', 'exec cat >/dev/null', 'TARGET_SHELL'],
    ['an end', 'exit 0', 'TARGET_SHELL'],
    [
      'another program',
      `read -r x; n=\${x#*n=}; n=\${n%%;*}; printf '\\nagent-bash %s have\\n' "$n"; exec cat`,
      /^TARGET_/,
    ],
    [
      'the wish for copies without end',
      `read -r x; n=\${x#*n=}; n=\${n%%;*}; while :; do printf '\\nagent-bash %s want x\\n' "$n"; done`,
      /^TARGET_/,
    ],
  ])('is refused: %s', async (_, line, code) => {
    await expectRefused(['sh', '-c', line], code, { connectTimeout: 1_500 });
  });
});

describe.skipIf(process.platform !== 'linux')('a server that is like ours', { timeout: 60_000 }, () => {
  it.each([
    ['an older version', 'TARGET_VERSION'],
    ['a newer version', 'TARGET_VERSION'],
    ['another hash', 'TARGET_DAMAGED'],
    ['another nonce', 'TARGET_PROTOCOL'],
    ['a hello that is too long', 'TARGET_PROTOCOL'],
    ['no hello first', 'TARGET_PROTOCOL'],
    ['a hello twice', 'TARGET_PROTOCOL'],
    ['an unknown command', 'TARGET_PROTOCOL'],
    ['an unknown type', 'TARGET_PROTOCOL'],
    ['a frame that is too long', 'TARGET_PROTOCOL'],
    ['a spare byte', 'TARGET_PROTOCOL'],
    ['control characters', 'TARGET_PROTOCOL'],
    ['output beyond the credit', 'TARGET_PROTOCOL'],
    ['a start twice', 'TARGET_PROTOCOL'],
    ['an exit that is cut off', 'TARGET_PROTOCOL'],
    ['lists that nobody has asked for', 'TARGET_PROTOCOL'],
  ])('is refused: %s', async (mode, code) => {
    await expectRefused([process.execPath, SERVER, mode], code);
  });

  it.each([
    'bytes of a port beyond the credit',
    'bytes of an unknown port',
    'a connection at no listener',
    'a connection with a used id',
    'a request to connect here',
    'half a message of a port',
  ])('is refused, with its ports: %s', async (mode) => {
    await using target = new Target({ exec: [process.execPath, SERVER, mode] });
    const before = process.memoryUsage().rss;
    const port = await target.forward(80);
    const socket = connect(port.port, '127.0.0.1').on('error', () => {});
    expect(await port.closed).toMatchObject({ code: 'TARGET_PROTOCOL' });
    expect(process.memoryUsage().rss - before).toBeLessThan(MAX_MEMORY);
    socket.destroy();
  });

  it('is given up when it says no more', async () => {
    await expectRefused([process.execPath, SERVER, 'half a hello'], 'TARGET_TIMEOUT');
    const heartbeat = { interval: 200, deadline: 1_000 };
    await expectRefused([process.execPath, SERVER, 'silence'], 'TARGET_LOST', { heartbeat });
  });
});

describe.skipIf(process.platform !== 'linux')('a cached helper that is damaged', () => {
  it.each([
    ['empty', (path: string) => writeFileSync(path, '')],
    ['half', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 300_000))],
    ['another program', (path: string) => copyFileSync('/bin/cat', path)],
    ['a script', (path: string) => writeFileSync(path, '#!/bin/sh\necho hello; exit 0\n')],
    [
      'changed in one byte',
      (path: string) => {
        const bytes = readFileSync(path);
        // In the section headers at its end, without which it runs.
        bytes[bytes.length - 1] ^= 1;
        writeFileSync(path, bytes);
      },
    ],
  ])('is replaced: %s', async (_, damage) => {
    const { home, options } = shellTarget();
    await run('true', { target: options });
    const [name = ''] = readdirSync(join(home, '.cache/agent-bash'));
    const path = join(home, '.cache/agent-bash', name);
    const whole = readFileSync(path);
    damage(path);
    chmodSync(path, 0o700);
    const result = await run('echo up', { target: options });
    expect(result).toMatchObject({ status: 'exited', stdout: 'up\n', target: { copiedBytes: whole.length } });
    expect(readdirSync(join(home, '.cache/agent-bash'))).toEqual([name]);
    expect(readFileSync(path).equals(whole)).toBe(true);
    expect((await run('true', { target: options })).target?.copiedBytes).toBe(0);
  });
});
