import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bash, Jobs, run } from '../../index.js';

const MEGABYTE = 1_000_000;
/** A quoted word with all that is hard to quote, and the command that counts it. */
const word = `it's "$HOME" \\ \`x\` ä€😀\n`.repeat(MEGABYTE / 25).slice(0, MEGABYTE);
const quoted = `'${word.replaceAll("'", "'\\''")}'`;
const bytes = Buffer.byteLength(word);

describe('a command of a megabyte', () => {
  const shells = [undefined, '/bin/sh', '/bin/bash', '/bin/zsh', '/bin/dash'];
  it.each(shells.filter((shell) => shell === undefined || existsSync(shell)))('runs in %s', async (shell) => {
    const command = `word=${quoted}; printf %s "$word" | cksum; printf %s "$word" | wc -c; exit 6`;
    const expected = (await run('cksum', { input: word })).stdout;
    const { status, exitCode, stdout, stderr, error } = await run(command, { shell, timeout: 30_000 });
    expect({ status, exitCode, stderr, error }).toEqual({
      status: 'exited',
      exitCode: 6,
      stderr: '',
      error: null,
    });
    expect(stdout.replace(/ +/g, ' ')).toBe(`${expected}${bytes}\n`);
  });

  it('runs with its own input, arguments and descriptors', async () => {
    const command = `: ${quoted}; cat; echo "$# $0"; ls /proc/self/fd | tr '\\n' ' '`;
    const short = `: x; cat; echo "$# $0"; ls /proc/self/fd | tr '\\n' ' '`;
    const [long, other] = await Promise.all([command, short].map((text) => run(text, { input: 'in\n' })));
    expect(long?.stdout).toBe(other?.stdout);
  });

  it('runs in a job and in bash()', async () => {
    const table = new Jobs();
    const job = table.start(`: ${quoted}; echo job`);
    expect((await job.result).stdout).toBe('job\n');
    expect(job.command).toHaveLength(`: ${quoted}; echo job`.length);
    expect(await bash({ command: `: ${quoted}; echo bash` }, '/')).toBe('bash\n\n[Exit code: 0]');
    await table.dispose();
  });

  it('without a shell is a clear error', async () => {
    const { status, pid, error } = await run(['echo', word]);
    expect({ status, pid, code: error?.code }).toEqual({ status: 'failed', pid: null, code: 'E2BIG' });
  });
});
