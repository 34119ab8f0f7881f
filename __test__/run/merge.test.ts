import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';
import { within } from '../support/slowness.mjs';

describe('merge', () => {
  it('keeps the order of thousands of writes to both streams', async () => {
    const script = '$| = 1; for (1..5000) { syswrite STDOUT, "o$_\\n"; syswrite STDERR, "e$_\\n" }';
    const { stdout, stderr, totalBytes } = await run(['perl', '-e', script], { output: { merge: true } });
    const expected = Array.from({ length: 5000 }, (_, index) => `o${index + 1}\ne${index + 1}\n`).join('');
    expect({ isSame: stdout === expected, stderr, totalBytes }).toEqual({
      isSame: true,
      stderr: '',
      totalBytes: { stdout: expected.length, stderr: 0 },
    });
  });

  it('keeps the order of the writes of several programs', async () => {
    const command = 'for i in $(seq 300); do echo o$i; sh -c "echo e$i >&2"; done';
    const { stdout } = await run(command, { output: { merge: true }, shell: '/bin/dash' });
    expect(stdout).toBe(Array.from({ length: 300 }, (_, index) => `o${index + 1}\ne${index + 1}\n`).join(''));
  });

  it('is off by default', async () => {
    for (const output of [{}, { merge: false }]) {
      const { stdout, stderr } = await run('echo o; echo e >&2', { output });
      expect({ stdout, stderr }).toEqual({ stdout: 'o\n', stderr: 'e\n' });
    }
  });

  it('joins a character that is written half to each', async () => {
    const { stdout } = await run("printf '\\360\\237'; printf '\\246\\200' >&2", { output: { merge: true } });
    expect(stdout).toBe('🦀');
  });

  it('makes one stream with one limit', async () => {
    const { stdout, truncated } = await run('printf abc; printf def >&2; printf ghi', {
      output: { merge: true, maxBytes: 4, marker: '<{bytes} {total}>' },
    });
    expect({ stdout, truncated }).toEqual({ stdout: 'ab<5 9>hi', truncated: true });
  });

  it('is the text for a model as it is', async () => {
    const { output } = await run('printf a; printf b >&2; printf c', { output: { merge: true } });
    expect(output).toBe('abc');
  });

  it('has what a shell says itself', async () => {
    const { stdout, exitCode } = await run('echo first; no-such-program; echo last', {
      output: { merge: true },
      shell: '/bin/dash',
    });
    expect({ stdout, exitCode }).toEqual({
      stdout: 'first\n/bin/dash: 1: no-such-program: not found\nlast\n',
      exitCode: 0,
    });
  });

  it('keeps order at a timeout too', async () => {
    const { stdout, status } = await run('echo a; echo b >&2; echo c; exec sleep 60', {
      output: { merge: true },
      timeout: within(600),
    });
    expect({ stdout, status }).toEqual({ stdout: 'a\nb\nc\n', status: 'timeout' });
  });
});
