import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { run, type TargetOptions } from '../../../index.js';

const canMount = spawnSync('unshare', ['-m', 'true']).status === 0;
const REASON = 'No directory there can hold and execute the helper.';

/**
 * The options of a target in a mount namespace whose directories for files of anybody have a file system with
 * these options.
 */
function withDirectories(options: string): TargetOptions {
  const mount = `for d in /tmp /var/tmp /dev/shm /run; do mount -t tmpfs -o ${options} none $d || exit 1; done`;
  const script = `${mount}; exec env -i PATH=/usr/bin:/bin HOME=/tmp "$@"`;
  return { exec: ['unshare', '-m', 'sh', '-c', script, 'sh'] };
}

describe.skipIf(!canMount)(
  'a target without a directory for the helper',
  { tags: ['root'], timeout: 60_000 },
  () => {
    it.each(['noexec', 'size=64k', 'ro'])('runs commands by its shell: %s', async (options) => {
      const target = withDirectories(options);
      const result = await run('echo out; echo err >&2; exit 3', { target });
      expect(result).toMatchObject({ exitCode: 3, stdout: 'out\n', stderr: 'err\n' });
      expect(result.target).toMatchObject({ supervisor: 'sh', reason: REASON, copiedBytes: 0 });
    });

    it('takes input through a file that has no name any more', async () => {
      const target = withDirectories('noexec');
      const result = await run('cat; ls -A /tmp /var/tmp /dev/shm', { target, input: 'in\n' });
      expect(result.stdout).toBe('in\n/dev/shm:\n\n/tmp:\n\n/var/tmp:\n');
    });

    it('does not run a command whose input has no place', async () => {
      for (const options of ['ro', 'size=64k']) {
        const target = withDirectories(options);
        const result = await run('echo ran', { target, input: 'x'.repeat(1_000_000) });
        expect(result).toMatchObject({ status: 'failed', pid: null, error: { code: 'TARGET_DEGRADED' } });
        expect(result.error?.message).toBe(`The option 'input' is not available on this target. ${REASON}`);
      }
    });

    it('runs nothing where a helper is required', async () => {
      const result = await run('true', { target: { ...withDirectories('noexec'), helper: 'require' } });
      expect(result.error).toEqual({ code: 'TARGET_HELPER', message: REASON });
    });
  },
);
