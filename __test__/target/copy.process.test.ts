import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';
import { until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { PASS_SCRIPT, Place } from './broken/place.js';

const SHELLS = ['dash', 'bash', 'zsh', 'busybox ash', 'ksh', 'mksh'].filter(
  (shell) => spawnSync('sh', ['-c', `${shell} -c true`]).status === 0,
);

/** The size of the helper. */
async function sizeOfCopy(): Promise<number> {
  await using target = new Place('/bin/sh').target('"$there" "$@"');
  return (await run('true', { target })).target?.copiedBytes ?? 0;
}

describe.skipIf(process.platform !== 'linux')('the copy of the helper', { timeout: 60_000 }, () => {
  it.each(SHELLS)('arrives where a start file has replaced the shell by %s', async (shell) => {
    const place = new Place('/bin/sh');
    // The shell reads its commands from standard input, and never sees the words.
    const line = `exec env -i PATH="$PATH" HOME='${place.home}' TMPDIR='${place.home}/tmp' ${shell}`;
    for (const isCopied of [true, false]) {
      await using target = place.target(line);
      const { stdout, error, target: report } = await run('echo here', { target });
      expect({ stdout, error }).toEqual({ stdout: 'here\n', error: null });
      expect((report?.copiedBytes ?? 0) > 0).toBe(isCopied);
    }
  });

  it('may take longer than the limit while it makes progress', async () => {
    const part = Math.floor((await sizeOfCopy()) / 50);
    const slowly = `i=0; while [ $i -lt 50 ]; do head -c ${part}; sleep 0.1; i=$((i + 1)); done`;
    const place = new Place('/bin/sh');
    const target = place.target(`{ ${PASS_SCRIPT}; ${slowly}; cat; } | "$there" "$@"`, 3_000);
    const { stdout, error, target: report } = await run('echo here', { target });
    expect({ stdout, error }).toEqual({ stdout: 'here\n', error: null });
    expect(report?.connectMs).toBeGreaterThan(3_000);
    await target.dispose();
    await place.expectNothing(tag());
  });

  it('that stops is told apart from a shell that does not answer', async () => {
    const place = new Place('/bin/sh');
    const stuck = place.target(`{ ${PASS_SCRIPT}; head -c 200000; sleep 1000; } | "$there" "$@"`, 2_000);
    const stopped = await run('true', { target: stuck });
    expect(stopped.error?.code).toBe('TARGET_TIMEOUT');
    expect(stopped.error?.message).toMatch(/made no progress for 2 s: \d+ of \d+ bytes had arrived/);
    await stuck.dispose();
    await until(() => place.processes().length === 0, 'no process is left');
    const silent = await run('true', { target: place.target('exec sleep 1000', 1_000) });
    expect(silent.error?.message).toContain('Does a start file of the shell wait, or read standard input?');
  });
});
