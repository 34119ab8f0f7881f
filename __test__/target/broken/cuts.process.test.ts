import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../../index.js';
import { until } from '../../support/processes.mjs';
import { tag } from '../../support/tag.js';
import { PASS_SCRIPT, Place } from './place.js';

/** The shells that may evaluate the script there. */
const SHELLS = ['/bin/dash', '/bin/bash', '/bin/busybox ash'].filter((shell) =>
  existsSync(shell.split(' ', 1)[0] ?? ''),
);

/** Kills a process, which may have ended with another one. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}

/** Runs a command with daemons and endless output over a stream that breaks. Nothing may stay. */
async function expectCut(place: Place, line: string): Promise<void> {
  const seconds = tag();
  const target = place.target(line);
  const command = `setsid sleep ${seconds} & (setsid sleep ${seconds} >/dev/null 2>&1 &); yes`;
  const result = await run(command, { target, timeout: 5_000, output: { maxBytes: 100 } });
  expect(['failed', 'timeout']).toContain(result.status);
  await target.dispose();
  await place.expectNothing(seconds);
}

describe.skipIf(process.platform !== 'linux')('a stream that is cut', { timeout: 60_000 }, () => {
  it.each(SHELLS)('on its way there leaves nothing there: %s', async (shell) => {
    // Within the script.
    for (const count of [0, 1, 700]) await expectCut(new Place(shell), `head -c ${count} | "$there" "$@"`);
    const whole = new Place(shell).target('"$there" "$@"');
    const { target: report } = await run('true', { target: whole });
    await whole.dispose();
    const length = report?.copiedBytes ?? 0;
    // Within the copy, which follows the script, and within the frames behind it.
    const cuts = [
      [0, 0],
      [1, 0],
      [70_000, 0],
      [length - 1, 0],
      [length, 10],
      [length, 100],
    ];
    for (const [copied, rest] of cuts) {
      const frames = `dd bs=1 count=${rest} 2>/dev/null`;
      await expectCut(new Place(shell), `{ ${PASS_SCRIPT}; head -c ${copied}; ${frames}; } | "$there" "$@"`);
    }
  });

  it.each(SHELLS)('on its way back leaves nothing there: %s', async (shell) => {
    // The reader ends first, and is the process that the host knows.
    const back = (count: number) =>
      `fifo=$0.fifo; rm -f "$fifo"; mkfifo "$fifo"; exec 3<&0; "$there" "$@" <&3 3<&- >"$fifo" 2>/dev/null &
      exec dd bs=1 count=${count} <"$fifo" 3<&-`;
    for (const count of [1, 30, 60, 90, 400, 100_000]) await expectCut(new Place(shell), back(count));
    const place = new Place(shell);
    const warm = place.target('"$there" "$@"');
    expect((await run('true', { target: warm })).status).toBe('exited');
    await warm.dispose();
    for (const count of [30, 90, 400]) await expectCut(place, back(count));
  });

  it.each(SHELLS)('by the death of the shell leaves nothing there: %s', async (shell) => {
    const place = new Place(shell);
    // The rest of the copy does not come.
    const end = join(place.home, 'end');
    const wait = `until [ -e '${end}' ]; do sleep 0.05; done`;
    const target = place.target(`{ ${PASS_SCRIPT}; head -c 70000; ${wait}; } | "$there" "$@"`);
    const seconds = tag();
    const running = run(`sleep ${seconds}`, { target });
    // The shell, and the two programs that take the copy.
    await until(() => place.processes().length >= 3, 'the copy is under way');
    for (const pid of place.processes()) kill(pid);
    writeFileSync(end, '');
    await target.dispose();
    expect((await running).status).toBe('failed');
    await place.expectNothing(seconds);
  });
});

describe.skipIf(process.platform !== 'linux')('a stream', () => {
  it('may be split at every byte, and be late', async () => {
    const place = new Place('/bin/sh');
    const slow = 'dd bs=1 2>/dev/null';
    const target = place.target(`(sleep 0.3; ${slow}) | "$there" "$@" | (sleep 0.3; ${slow})`);
    const result = await run('cat; echo err >&2; exit 9', { target, input: 'ä'.repeat(2_000) });
    expect(result).toMatchObject({ exitCode: 9, stdout: 'ä'.repeat(2_000), stderr: 'err\n' });
    await target.dispose();
    await place.expectNothing(tag());
  });
});
