import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Jobs } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { sleepers } from './support.js';

const SHELLS = 100;

const jobs = new Jobs();
const directory = temporaryDirectory();

/** Starts a shell with many shells below it, each with one child, and waits until all the children sleep. */
async function startTree(
  shellOf: (seconds: string) => string,
  killSignal?: 'SIGTERM' | 'SIGHUP' | 'SIGKILL',
) {
  const seconds = tag();
  const job = jobs.start(`for i in $(seq ${SHELLS}); do (${shellOf(seconds)}) & done; wait`, {
    forceKillAfterDelay: 200,
    killSignal,
  });
  await until(() => sleepers(seconds).length === SHELLS, 'all of the tree sleep');
  return { job, seconds };
}

describe('a tree of more processes than are signalled at once', () => {
  it.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
    'runs no further command of any of its shells when it is ended by %s',
    async (signal) => {
      const parent = mkdtempSync(join(directory, 'tree-'));
      const marks = join(parent, 'marks');
      const { job, seconds } = await startTree(
        (time) => `sleep ${time}; mkdir -p ${marks}; touch ${marks}/$i`,
        signal,
      );
      job.kill();
      await job.result;
      expect(sleepers(seconds)).toEqual([]);
      expect(readdirSync(parent)).toEqual([]);
    },
  );

  it('is ended by force when all of it ignores SIGTERM', async () => {
    const { job, seconds } = await startTree((time) => `trap '' TERM; sleep ${time}`);
    job.kill();
    expect((await job.result).status).toBe('signaled');
    expect(sleepers(seconds)).toEqual([]);
  });

  it('is ended with those of it that have a session of their own', async () => {
    const { job, seconds } = await startTree((time) => `setsid sleep ${time}`);
    job.kill();
    expect((await job.result).backgroundPids).toEqual([]);
    expect(sleepers(seconds)).toEqual([]);
  });
});
