import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ShellOptions } from 'agent-bash/testing';
import { withShell } from 'agent-bash/testing';
import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

const directory = temporaryDirectory();
let next = 0;

/** Records one command, and replays another. Returns what the replay gave, and the cassette. */
async function replayed(
  recorded: () => Promise<unknown>,
  other: () => Promise<unknown>,
  options: ShellOptions = {},
): Promise<{ text: string; error: string | null; value: unknown }> {
  const file = join(directory, `${next++}.json`);
  await withShell('x', { ...options, file, mode: 'record' }, recorded);
  const text = readFileSync(file, 'utf8');
  try {
    return { text, error: null, value: await withShell('x', { ...options, file, mode: 'replay' }, other) };
  } catch (error) {
    return { text, error: (error as { code: string }).code, value: undefined };
  }
}

const command =
  (text: string | string[], options = {}) =>
  () =>
    run(text as string, options);

describe('a command is answered by the recording of', () => {
  it.each([
    ['A=1  B=2 echo test', "B=2 A=1 echo 'test'"],
    ['true; echo b', 'true\necho b'],
    ['echo "a"', "echo 'a'"],
    ['echo a # why', 'echo a'],
  ])('the same command in another spelling: %j, %j', async (one, other) => {
    expect((await replayed(command(one), command(other))).error).toBeNull();
  });

  it.each([
    ['true; echo b', 'true && echo b'],
    ['A=1 B=$A echo x', 'B=$A A=1 echo x'],
    ['echo *', "echo '*'"],
    [['echo', 'a'], 'echo a'],
    ['echo a b', "echo 'a b'"],
    ["echo 'open", 'echo "open'],
  ])('no other command: %j, %j', async (one, other) => {
    expect((await replayed(command(one), command(other))).error).toBe('CASSETTE_MISS');
  });

  it.each([
    ['cwd', { cwd: '/' }, { cwd: '/tmp' }],
    ['env', { env: { A: '1' } }, { env: { A: '2' } }],
    ['input', { input: 'a' }, { input: 'b' }],
    ['shell', {}, { shell: '/bin/sh' }],
    ['encoding', {}, { encoding: 'buffer' }],
    ['merge', {}, { output: { merge: true } }],
    ['stripAnsi', {}, { output: { stripAnsi: true } }],
    ['sandbox', { root: directory }, { root: directory, sandbox: 'read-only' }],
  ])('no call with another %s', async (_, one, other) => {
    expect((await replayed(command('true', one), command('true', other))).error).toBe('CASSETTE_MISS');
  });

  it('the same call with another timeout, and another part of the output', async () => {
    const { value } = await replayed(
      command('seq 1 5'),
      command('seq 1 5', { timeout: 9_000, output: { maxBytes: 4 } }),
    );
    expect(value).toMatchObject({ truncated: true });
  });

  it('the same call with another random path', async () => {
    const { text, value } = await replayed(
      command('echo /tmp/app-x1Y2z3/log'),
      command('echo /tmp/app-Q9w8e7/log'),
    );
    expect(text).toContain('echo <tmp:1>/log');
    expect(value).toMatchObject({ stdout: '/tmp/app-Q9w8e7/log\n' });
  });

  it('the same call with another UUID, each bound once', async () => {
    const [one, two] = ['4f3c1c52-7f5e-4d0e-9b43-0d1f7b6f2a11', '9a2b7c60-1f0e-4b1a-8c77-5c2f1d3e4b22'];
    const { value } = await replayed(command(`echo ${one} ${one}`), command(`echo ${two} ${two}`));
    expect(value).toMatchObject({ stdout: `${two} ${two}\n` });
    expect((await replayed(command(`echo ${one} ${one}`), command(`echo ${one} ${two}`))).error).toBe(
      'CASSETTE_MISS',
    );
  });

  it('the same call with another value of a hole', async () => {
    const { text, value } = await replayed(
      command('echo localhost:4123 and 4123'),
      command('echo localhost:5201 and 5201'),
      { holes: { port: /localhost:(\d+)/ } },
    );
    expect(text).toContain('echo localhost:<hole:port> and <hole:port>');
    expect(value).toMatchObject({ stdout: 'localhost:5201 and 5201\n' });
  });
});

describe('equal commands', () => {
  const twice = async () => {
    const file = join(directory, `twice-${next++}`);
    const name = `${file}-aB3dE6`;
    return [await run(`echo 1 >> ${name}; wc -l < ${name}`), await run(`echo 1 >> ${name}; wc -l < ${name}`)];
  };

  it('are answered in the recorded order', async () => {
    const { value } = await replayed(twice, twice);
    expect(value).toMatchObject([{ stdout: '1\n' }, { stdout: '2\n' }]);
  });

  it('and others come in any order, unless that is strict', async () => {
    const forth = async () => [await run('echo a'), await run('echo b')];
    const back = async () => [await run('echo b'), await run('echo a')];
    expect((await replayed(forth, back)).value).toMatchObject([{ stdout: 'b\n' }, { stdout: 'a\n' }]);
    expect((await replayed(forth, back, { order: 'strict' })).error).toBe('CASSETTE_MISS');
  });

  it('of concurrent calls each get an answer', async () => {
    const both = () => Promise.all([run('echo a; sleep 0.1'), run('echo b')]);
    expect((await replayed(both, both)).value).toMatchObject([{ stdout: 'a\n' }, { stdout: 'b\n' }]);
  });
});
