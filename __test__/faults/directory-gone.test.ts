import { mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bash, Jobs, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';

const root = temporaryDirectory();

function fresh(name: string): string {
  const path = join(root, name);
  mkdirSync(path);
  return path;
}

describe('a working directory that is removed', () => {
  it('before the call is what the error names', async () => {
    const cwd = fresh('before');
    rmdirSync(cwd);
    const { status, pid, error } = await run('echo hi', { cwd });
    expect({ status, pid, code: error?.code }).toEqual({ status: 'failed', pid: null, code: 'CWD_MISSING' });
    expect(error?.message).toContain(cwd);
  });

  it('before the call is named by bash() as Node does', async () => {
    const cwd = fresh('before-bash');
    rmdirSync(cwd);
    expect(await bash({ command: 'echo hi' }, cwd)).toMatch(
      /^Error: Failed to launch process: spawn \S+ ENOENT$/,
    );
  });

  it('during the run does not end the command', async () => {
    const cwd = fresh('during');
    const table = new Jobs();
    const job = table.start('echo 1; read line; echo "$line"; exit 4', { cwd, stdin: 'pipe' });
    await until(() => job.read().text === '1\n', 'it runs');
    rmdirSync(cwd);
    job.end('2\n');
    const result = await job.result;
    expect({ ...result, cwd: result.cwd }).toMatchObject({
      status: 'exited',
      exitCode: 4,
      stdout: '1\n2\n',
      cwd,
      error: null,
    });
    await table.dispose();
  });

  it('by the command itself leaves the next one with a clear error', async () => {
    const cwd = fresh('by-itself');
    const first = await run(`rmdir ${cwd}; echo done`, { cwd });
    const second = await run('echo hi', { cwd });
    expect([first.stdout, first.exitCode, second.error?.code]).toEqual(['done\n', 0, 'CWD_MISSING']);
  });

  it('and made again is used again', async () => {
    const cwd = fresh('again');
    rmdirSync(cwd);
    await run('true', { cwd });
    mkdirSync(cwd);
    expect((await run('pwd', { cwd })).stdout).toBe(`${cwd}\n`);
  });

  it('while many commands start gives each of them its directory or an error', async () => {
    const cwd = fresh('many');
    let isThere = true;
    const swap = setInterval(() => {
      if (isThere) rmSync(cwd, { recursive: true });
      else mkdirSync(cwd);
      isThere = !isThere;
    }, 3);
    try {
      const results = await Promise.all(Array.from({ length: 60 }, () => run('echo hi', { cwd })));
      for (const { status, exitCode, stdout, error } of results) {
        const isFine = status === 'exited' && exitCode === 0 && stdout === 'hi\n' && error === null;
        const isRefused = status === 'failed' && stdout === '' && error?.code === 'CWD_MISSING';
        expect(isFine || isRefused, `${status} ${exitCode} ${stdout} ${error?.code}`).toBe(true);
      }
    } finally {
      clearInterval(swap);
    }
  });
});
