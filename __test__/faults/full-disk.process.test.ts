import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { INDEX } from '../support/node.js';
import { askNodeWithMounts, SETUP } from './program.js';

interface Report {
  result: {
    status: string;
    exitCode: number;
    total: number;
    length: number;
    truncated: boolean;
    error: unknown;
  };
  spill: { complete: boolean; bytes: number; code: string | undefined };
  /** The real size of the file, and whether it has the beginning of the output. */
  file: { size: number; isBeginning: boolean };
  left: string[];
}

const root = temporaryDirectory();
const MOUNT = `mount -t tmpfs -o size=1m none ${root}`;

describe('a full disk', { tags: ['mounts'] }, () => {
  it('takes nothing from the result, and the spill says what is in the file', async () => {
    const report = await askNodeWithMounts<Report>(
      MOUNT,
      `
        ${SETUP}
        import { existsSync, readdirSync, readFileSync } from 'node:fs';
        const directory = ${JSON.stringify(root)};
        const result = await run('seq 600000; exit 3', { output: { maxBytes: 10_000_000, spill: { directory } } });
        const bytes = readFileSync(result.spill.path);
        const { status, exitCode, totalBytes, stdout, truncated, error, spill } = result;
        const isBeginning = stdout.startsWith(bytes.toString());
        await result[Symbol.asyncDispose]();
        print({
          result: { status, exitCode, total: totalBytes.stdout, length: stdout.length, truncated, error },
          spill: { complete: spill.complete, bytes: spill.bytes, code: spill.error?.code },
          file: { size: bytes.length, isBeginning },
          left: readdirSync(directory),
        });
      `,
    );
    expect(report.result).toEqual({
      status: 'exited',
      exitCode: 3,
      total: 4_088_895,
      length: 4_088_895,
      truncated: false,
      error: null,
    });
    expect(report.spill).toEqual({ complete: false, bytes: report.file.size, code: 'ENOSPC' });
    expect(report.file).toEqual({ size: 1_048_576, isBeginning: true });
    expect(report.left).toEqual([]);
  });

  it('is room again for the next command', async () => {
    const report = await askNodeWithMounts<unknown>(
      MOUNT,
      `
        ${SETUP}
        const directory = ${JSON.stringify(root)};
        const options = { output: { maxBytes: 0, spill: { directory } } };
        const first = await run('seq 600000', options);
        await first[Symbol.asyncDispose]();
        const second = await run('seq 1000', options);
        print([first.spill.complete, second.spill.complete, second.spill.bytes, second.spill.error]);
      `,
    );
    expect(report).toEqual([false, true, 3_893, null]);
  });

  it('without a free inode is reported, and the command runs', async () => {
    const report = await askNodeWithMounts<unknown>(
      `mount -t tmpfs -o nr_inodes=1 none ${root}`,
      `
        ${SETUP}
        const directory = ${JSON.stringify(root)};
        const result = await run('echo hi; exit 2', { output: { spill: { directory } } });
        await result[Symbol.asyncDispose]();
        const { stdout, exitCode, spill } = result;
        print([stdout, exitCode, spill.bytes, spill.complete, spill.error?.code]);
      `,
    );
    expect(report).toEqual(['hi\n', 2, 0, false, 'ENOSPC']);
  });

  it('where temporary files are does not keep a long command from running', async () => {
    const report = await askNodeWithMounts<unknown>(
      `mount -t tmpfs -o size=4k none ${root} && head -c 4096 /dev/zero >${root}/full`,
      `
        ${SETUP}
        process.env.TMPDIR = ${JSON.stringify(root)};
        print((await run(': ' + 'x'.repeat(1_000_000) + '; echo works', { cwd: '/' })).stdout);
      `,
    );
    expect(report).toBe('works\n');
  });

  it.each(['/bin/bash', '/bin/sh'])(
    'in memory leaves a new session of %s its files in /tmp',
    async (shell) => {
      const report = await askNodeWithMounts<unknown>(
        'mount -t tmpfs -o size=64k none /dev/shm && { head -c 64k /dev/zero >/dev/shm/full; true; }',
        `
        ${SETUP}
        import { readdirSync } from 'node:fs';
        import { ShellSession } from ${JSON.stringify(INDEX)};
        const session = new ShellSession({ shell: ${JSON.stringify(shell)} });
        const { stdout, error } = await session.run('echo works');
        await session.close();
        print({ stdout, error, left: readdirSync('/dev/shm') });
      `,
      );
      expect(report).toEqual({ stdout: 'works\n', error: null, left: ['full'] });
    },
  );
});
