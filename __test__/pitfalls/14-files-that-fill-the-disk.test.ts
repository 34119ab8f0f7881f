import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

const root = temporaryDirectory();

describe('the file with the whole output', () => {
  it('is never longer than its quota, and the command goes on', async () => {
    const options = {
      output: { maxBytes: 100, spill: { directory: join(root, 'quota'), maxBytes: 10_000 } },
    };
    await using result = await run('seq 100000; exit 4', options);
    expect(result).toMatchObject({ exitCode: 4, totalBytes: { stdout: 588_895 }, error: null });
    expect(result.spill).toMatchObject({ bytes: 10_000, complete: false });
    expect(statSync(result.spillPath as string).size).toBe(10_000);
  });

  it("is the user's own, outside of the root", async () => {
    await using result = await run('echo hi', { cwd: root, root, output: { spill: true } });
    const path = result.spillPath as string;
    expect(path.startsWith(`${root}/`)).toBe(false);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(readFileSync(path, 'utf8')).toBe('hi\n');
  });

  it('goes with the result', async () => {
    let path = '';
    {
      await using result = await run('echo hi', { output: { spill: true } });
      path = result.spillPath as string;
      expect(existsSync(path)).toBe(true);
    }
    expect(existsSync(path)).toBe(false);
  });

  it('goes with the table', async () => {
    const table = new Jobs();
    const paths = await Promise.all(
      Array.from(
        { length: 5 },
        async () => (await table.start('echo hi', { output: { spill: true } }).result).spillPath,
      ),
    );
    expect(paths.map((path) => existsSync(path as string))).toEqual([true, true, true, true, true]);
    await table.dispose();
    expect(paths.map((path) => existsSync(path as string))).toEqual([false, false, false, false, false]);
  });

  it('goes with a job that is forgotten', async () => {
    const table = new Jobs({ maxFinished: 1 });
    const first = await table.start('echo 1', { output: { spill: true } }).result;
    const second = await table.start('echo 2', { output: { spill: true } }).result;
    await expect.poll(() => existsSync(first.spillPath as string)).toBe(false);
    expect(existsSync(second.spillPath as string)).toBe(true);
    await table.dispose();
  });
});
