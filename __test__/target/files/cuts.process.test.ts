import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Target } from '../../../index.js';
import { temporaryDirectory } from '../../support/directory.js';
import { until } from '../../support/processes.mjs';
import { Place } from '../broken/place.js';

/** A file of some 100 MB whose parts differ. */
function largeFile(path: string): void {
  execFileSync('sh', [
    '-c',
    'i=0; while [ $i -lt 100 ]; do head -c 1000000 /dev/zero | tr "\\0" x; echo $i; i=$((i + 1)); done >"$0"',
    path,
  ]);
}

/** Kills the processes of a target's transport. */
function cut(place: Place): void {
  for (const pid of place.processes()) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has ended with an earlier cut.
    }
  }
}

interface Cuts {
  /** The connections that are cut: the first ones. */
  times: number;
  /** The bytes after which each is cut, in the direction of the copy. */
  bytes: number;
  /** Whether none can be opened after them, until the file `gone` is removed. */
  isLast?: boolean;
}

/** A target that has the helper already, and whose first connections are cut after some bytes. */
async function cutting(to: 'there' | 'here', { times, bytes, isLast = false }: Cuts) {
  const place = new Place('sh');
  const whole = place.target('"$there" "$@"');
  await whole.stat(place.home);
  await whole.dispose();
  // `dd` passes what comes at once, where `head` would keep it.
  const pass = `dd bs=65536 iflag=count_bytes count=${bytes} status=none`;
  const cuts = join(place.home, 'cuts');
  const gone = join(place.home, 'gone');
  const target = place.target(
    `[ ! -e '${gone}' ] || exit 1
     [ "$(cat '${cuts}' | wc -l)" -lt ${times} ] || exec "$there" "$@"
     ${to === 'there' ? `${pass} | "$there" "$@"` : `"$there" "$@" | ${pass}`}
     echo >>'${cuts}'
     ${isLast ? `: >'${gone}'` : ''}`,
  );
  writeFileSync(cuts, '');
  return { target, gone, cuts: () => readFileSync(cuts, 'utf8').length };
}

describe.skipIf(process.platform !== 'linux')('a copy whose connection is cut', { timeout: 60_000 }, () => {
  it.each(['there', 'here'] as const)('goes on where it was, over another one: %s', async (to) => {
    const { target, cuts } = await cutting(to, { times: 2, bytes: 30_000_000 });
    const directory = temporaryDirectory();
    const at = (name: string) => join(directory, name);
    largeFile(at('from'));
    const copy = to === 'there' ? target.copyTo : target.copyFrom;
    const report = await copy.call(target, at('from'), at(to));
    expect(cuts()).toBe(2);
    expect(report.files).toBe(1);
    expect(report.resumedBytes).toBeGreaterThan(20_000_000);
    expect(readFileSync(at(to)).equals(readFileSync(at('from')))).toBe(true);
    expect(readdirSync(directory).sort()).toEqual(['from', to].sort());
    await target.dispose();
  });

  it('of many files has each of them in the end', async () => {
    const { target, cuts } = await cutting('there', { times: 1, bytes: 200_000 });
    const directory = temporaryDirectory();
    const at = (name: string) => join(directory, name);
    execFileSync('sh', ['-c', 'mkdir -p from/a/b; for i in $(seq 6000); do echo $i >from/a/b/$i; done'], {
      cwd: directory,
    });
    const report = await target.copyTo(at('from'), at('to'));
    expect([cuts(), report.files]).toEqual([1, 6_000]);
    expect(() => execFileSync('diff', ['-r', at('from'), at('to')])).not.toThrow();
    await target.dispose();
  });

  it.each(['there', 'here'] as const)(
    'and can not be opened again names what is left, from which a later copy goes on: %s',
    async (to) => {
      const { target, gone } = await cutting(to, { times: 1, bytes: 30_000_000, isLast: true });
      const directory = temporaryDirectory();
      const at = (name: string) => join(directory, name);
      largeFile(at('from'));
      const copy = to === 'there' ? target.copyTo : target.copyFrom;
      const failed = await copy.call(target, at('from'), at(to)).then(
        () => undefined,
        (error) => error,
      );
      expect(failed.code).toMatch(/^TARGET_/);
      const partial = readdirSync(directory).find((name) => name.startsWith('.agent-bash-partial-'));
      expect(failed.partial).toBe(at(partial ?? 'none'));
      expect(statSync(failed.partial).size).toBeGreaterThan(10_000_000);
      rmSync(gone);
      const report = await copy.call(target, at('from'), at(to));
      expect(report.resumedBytes).toBeGreaterThan(10_000_000);
      expect(readFileSync(at(to)).equals(readFileSync(at('from')))).toBe(true);
      expect(existsSync(failed.partial)).toBe(false);
      await target.dispose();
    },
  );

  it('settles every operation', async () => {
    const place = new Place('sh');
    const target = place.target('"$there" "$@"');
    await target.read('/etc/passwd');
    const large = Buffer.alloc(20_000_000);
    const operations = Array.from({ length: 50 }, (_, index) =>
      index % 2 === 0 ? target.read('/etc/passwd') : target.write(join(place.home, `f${index}`), large),
    );
    const settled = Promise.allSettled(operations);
    await until(() => place.processes().length > 2, 'they run');
    cut(place);
    for (const result of await settled) {
      if (result.status === 'rejected') expect(result.reason.code).toBe('TARGET_LOST');
    }
    expect((await target.read('/etc/passwd')).length).toBeGreaterThan(0);
    await target.dispose();
  });
});

describe.skipIf(process.platform !== 'linux')('over a slow network', () => {
  it('many files and a large one take few round trips', async () => {
    const delay = new URL('../../../bench/lib/delay.mjs', import.meta.url).pathname;
    const exec = ['node', delay, '25', 'sh', '-c', 'exec "$@"', 'sh'];
    const target = new Target({ exec });
    const directory = temporaryDirectory();
    const at = (name: string) => join(directory, name);
    execFileSync(
      'sh',
      ['-c', 'mkdir from; for i in $(seq 400); do echo $i >from/$i; done; head -c 8000000 /dev/zero >large'],
      { cwd: directory },
    );
    await target.stat(directory);
    const begin = performance.now();
    await target.copyTo(at('from'), at('there'));
    await target.copyFrom(at('from'), at('here'));
    expect((await target.read(at('large'))).length).toBe(8_000_000);
    expect(await target.list(at('there'))).toHaveLength(400);
    // With a round trip for each file or piece, the copies would take 40 s.
    expect(performance.now() - begin).toBeLessThan(10_000);
    await target.dispose();
  });
});
