// The files with the output of jobs, whose paths are known while the jobs run.

import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Job } from '../../job/job.ts';
import type { Jobs } from '../../jobs.ts';
import { spillDirectory } from '../../options/output/spill-directory.ts';
import type { SpillPlan } from '../options/command-run-options.ts';

/**
 * The directories with the files of jobs: one for each, because the engine names a file, and reports the name
 * at the end.
 */
class JobFiles {
  /** directory -> the job's id. */
  #directories = new Map<string, string>();
  #table: Jobs;

  constructor(table: Jobs) {
    this.#table = table;
  }

  /**
   * Makes a directory for the file of one job; returns `undefined` where none can be made. `spill` and `root`
   * are as of `run()`.
   */
  makeDirectory({ directory }: SpillPlan, root: string | undefined): string | undefined {
    try {
      return mkdtempSync(join(spillDirectory(directory, root), 'job-'));
    } catch {
      // The job runs anyway, and its result says why it has no file.
      return undefined;
    }
  }

  /** Registers the directory of a job, and removes those of jobs that the table has forgotten. */
  add(directory: string | undefined, job: Job): void {
    for (const [other, id] of this.#directories) if (this.#table.get(id) === undefined) this.#remove(other);
    if (directory !== undefined) this.#directories.set(directory, job.id);
  }

  /** Removes the directories that are empty. */
  dispose(): void {
    for (const directory of this.#directories.keys()) this.#remove(directory);
  }

  #remove(directory: string): void {
    try {
      rmdirSync(directory);
    } catch (error) {
      // The file is still being removed, or belongs to a job that is kept.
      if ((error as NodeJS.ErrnoException).code === 'ENOTEMPTY') return;
    }
    this.#directories.delete(directory);
  }
}

/** Returns the path of the file in the directory of a job; `null` if the job needed none so far. */
function fileIn(directory: string | undefined): string | null {
  try {
    const [name] = directory === undefined ? [] : readdirSync(directory);
    return directory === undefined || name === undefined ? null : join(directory, name);
  } catch {
    return null;
  }
}

export { fileIn, JobFiles };
