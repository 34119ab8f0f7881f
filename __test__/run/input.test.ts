import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';

const HEX = ['od', '-An', '-v', '-tx1'];

/** The bytes that a command finds at its standard input. */
async function received(input: string | NodeJS.ArrayBufferView): Promise<Buffer> {
  const { stdout } = await run(HEX, { input });
  return Buffer.from(stdout.replace(/\s/g, ''), 'hex');
}

describe('input', () => {
  it('is empty by default', async () => {
    const { stdout } = await run('readlink /proc/self/fd/0; wc -c');
    expect(stdout).toBe('/dev/null\n0\n');
  });

  it.each([
    ['text', 'a\nb', 'a\nb'],
    ['text without an end of line', 'a', 'a'],
    ['empty text', '', ''],
    ['text that is not ASCII', 'é🦀\u0000\ufeff', 'é🦀\u0000\ufeff'],
    ['half a surrogate pair, as Node does', 'a\ud83eb', 'a\ufffdb'],
  ])('may be %s', async (_, input, expected) => {
    expect(await received(input)).toEqual(Buffer.from(expected));
  });

  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);

  it.each([
    ['a Buffer', Buffer.from(bytes), Buffer.from(bytes)],
    ['a Uint8Array', bytes, Buffer.from(bytes)],
    ['a part of a Uint8Array', bytes.subarray(10, 20), Buffer.from(bytes).subarray(10, 20)],
    ['an empty Uint8Array', new Uint8Array(), Buffer.alloc(0)],
    ['an empty part', bytes.subarray(5, 5), Buffer.alloc(0)],
    ['a DataView', new DataView(bytes.buffer, 100, 7), Buffer.from(bytes).subarray(100, 107)],
    ['a Uint16Array', new Uint16Array(bytes.buffer, 2, 3), Buffer.from(bytes).subarray(2, 8)],
    ['a Float64Array', new Float64Array(bytes.buffer, 8, 2), Buffer.from(bytes).subarray(8, 24)],
    ['a BigInt64Array', new BigInt64Array(bytes.buffer, 16, 1), Buffer.from(bytes).subarray(16, 24)],
    ['a Uint8ClampedArray', new Uint8ClampedArray([1, 300]), Buffer.from([1, 255])],
    ['shared memory', new Uint8Array(new SharedArrayBuffer(3)).fill(7), Buffer.from([7, 7, 7])],
  ])('may be %s', async (_, input, expected) => {
    expect(await received(input)).toEqual(expected);
  });

  it('is taken at the call', async () => {
    const input = Buffer.from('before');
    const answer = run(['cat'], { input });
    input.fill('x');
    expect((await answer).stdout).toBe('before');
  });

  it('goes through a program whole, also when it is much more than a pipe holds', async () => {
    const input = Buffer.alloc(5_000_000);
    for (let index = 0; index < input.length; index++) input[index] = 32 + ((index * 7919) % 90);
    const { stdout, totalBytes, truncated } = await run(['cat'], {
      input,
      output: { maxBytes: 10_000_000 },
    });
    expect(totalBytes.stdout).toBe(5_000_000);
    expect(truncated).toBe(false);
    expect(stdout === input.toString()).toBe(true);
  });

  it('arrives whole at a program that reads slowly', async () => {
    const input = Buffer.alloc(1_000_000, 'abc');
    const { stdout } = await run('sleep 0.1; sha256sum', { input });
    expect(stdout.slice(0, 64)).toBe(createHash('sha256').update(input).digest('hex'));
  });

  it.each([
    ['reads nothing', 'exit 3', '', 3],
    ['reads a byte', 'head -c1', 'x', 0],
    ['reads a line', 'read -r line; echo "${#line}"', '9\n', 0],
    ['closes it and goes on', 'exec 0<&-; sleep 0.05; echo on; exit 4', 'on\n', 4],
    ['dies', 'head -c1; kill -KILL $$', 'x', null],
  ])('is no matter to a command that %s', async (_, command, stdout, exitCode) => {
    const input = 'xxxxxxxxx\n'.repeat(200_000);
    const result = await run(command, { input, shell: '/bin/dash' });
    expect({ stdout: result.stdout, stderr: result.stderr, exitCode: result.exitCode }).toEqual({
      stdout,
      stderr: '',
      exitCode,
    });
    expect(result.error).toBeNull();
  });

  it('ends: a command that reads it to its end is over', async () => {
    expect((await run(['wc', '-c'], { input: 'abc' })).stdout).toBe('3\n');
  });

  it('does not keep a command from its timeout', async () => {
    const { status } = await run('exec sleep 60', { input: Buffer.alloc(1_000_000), timeout: 100 });
    expect(status).toBe('timeout');
  });

  it('of many commands at once is not mixed up', async () => {
    const runs = Array.from({ length: 40 }, (_, index) =>
      run(['cat'], { input: `${index}\n`.repeat(20_000), output: { maxBytes: 1_000_000 } }),
    );
    for (const [index, { stdout }] of (await Promise.all(runs)).entries()) {
      expect(stdout === `${index}\n`.repeat(20_000)).toBe(true);
    }
  });
});
