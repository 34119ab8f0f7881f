import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

const root = temporaryDirectory();

describe('a working directory that has gone', () => {
  it('is blamed, and the shell is not', async () => {
    const cwd = join(root, 'gone');
    mkdirSync(cwd);
    expect((await run('true', { cwd })).exitCode).toBe(0);
    rmdirSync(cwd);
    const { status, pid, error } = await run('true', { cwd });
    expect({ status, pid, code: error?.code }).toEqual({ status: 'failed', pid: null, code: 'CWD_MISSING' });
    expect(error?.message).toContain(cwd);
    expect(error?.message).not.toMatch(/zsh|spawn/);
  });

  it('is blamed also where the shell is missing too', async () => {
    const { error } = await run('true', { cwd: join(root, 'none'), shell: join(root, 'none') });
    expect(error?.code).toBe('CWD_MISSING');
  });

  it('is distinguished from a file and from a missing shell', async () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    const table = new Jobs();
    const codes = [
      (await run('true', { cwd: file })).error?.code,
      (await run('true', { cwd: root, shell: join(root, 'none') })).error?.code,
      (await run('true', { cwd: root, root: join(root, 'none') })).error?.code,
      (await table.start('true', { cwd: join(root, 'none') }).result).error?.code,
    ];
    expect(codes).toEqual(['CWD_NOT_DIRECTORY', 'ENOENT', 'ROOT_MISSING', 'CWD_MISSING']);
    await table.dispose();
  });
});
