import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

const root = temporaryDirectory();

function file(name: string, text: string, mode: number): string {
  const path = join(root, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const missing = join(root, 'missing');
const plain = file('plain', 'echo never', 0o644);
const directory = join(root, 'directory');
mkdirSync(directory);
const loop = join(root, 'loop');
symlinkSync(loop, loop);
const below = join(plain, 'sh');
const noInterpreter = file('sh', '#!/nowhere/sh\necho never\n', 0o755);
const broken = file('broken', '\x7fELF never', 0o755);

const BAD: Array<[string, string, string]> = [
  ['is missing', missing, 'ENOENT'],
  ['is not executable', plain, 'EACCES'],
  ['is a directory', directory, 'EACCES'],
  ['is a link to itself', loop, 'ELOOP'],
  ['lies below a file', below, 'ENOTDIR'],
  ['names an interpreter that is missing', noInterpreter, 'ENOENT'],
];

describe.each(BAD)('a shell that %s', (_, path, code) => {
  it('is a failure that names it', async () => {
    const { status, exitCode, pid, error } = await run('echo hi', { shell: path });
    expect({ status, exitCode, pid, code: error?.code }).toEqual({
      status: 'failed',
      exitCode: null,
      pid: null,
      code,
    });
    expect(error?.message).toContain(code);
  });

  it('is the same failure for a program and for a job', async () => {
    const table = new Jobs();
    const results = [await run([path, 'word']), await table.start('echo hi', { shell: path }).result];
    expect(results.map(({ status, error }) => [status, error?.code])).toEqual([
      ['failed', code],
      ['failed', code],
    ]);
    await table.dispose();
  });

  it('is the same failure for a command that is too long for an argument', async () => {
    const { status, error } = await run(`: ${'x'.repeat(200_000)}`, { shell: path });
    expect([status, error?.code]).toEqual(['failed', code]);
  });
});

describe('a program', () => {
  it('without #! runs, or fails with ENOEXEC', async () => {
    const script = file('no-line', 'echo script', 0o755);
    const { status, stdout, error } = await run([script]);
    expect([
      ['exited', 'script\n', undefined],
      ['failed', '', 'ENOEXEC'],
    ]).toContainEqual([status, stdout, error?.code]);
  });

  it('of the wrong kind is not started', async () => {
    const { stdout, status, exitCode, error } = await run([broken]);
    expect(stdout).toBe('');
    // Node tells ENOEXEC; a shell that tried to read it says 126, 127 or 2.
    if (status === 'failed') expect(error?.code).toBe('ENOEXEC');
    else expect(exitCode).not.toBe(0);
  });

  it('that is found nowhere in PATH is missing', async () => {
    const { status, error } = await run(['agent-bash-none'], { env: { PATH: root } });
    expect([status, error?.code]).toEqual(['failed', 'ENOENT']);
  });
});
