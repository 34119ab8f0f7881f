import { once } from 'node:events';
import { type JobOptions, Jobs, type RunResult } from '../../../index.js';

/** The grace of a command that ends by itself (ms): far more than it takes on a busy machine. */
export const PLENTY = 50_000;

/** The programs of MSYS2, as Windows writes their directory. */
export const PROGRAMS = String.raw`C:\Program Files\Git\usr\bin`;

/** Prints the pid that Windows has for the shell that runs this. */
export const PRINT_PID = 'read -r pid </proc/$BASHPID/winpid; echo $pid;';

/** Node.js, as a word of bash. */
export const NODE = `'${process.execPath}'`;

/** Returns the numbers that stand alone on lines. */
export const numbersIn = (text: string): number[] => [...text.matchAll(/^\d+$/gm)].map(Number);

/**
 * Starts a command, calls `then` once it has printed `ready`, and returns its result. Its input stays open,
 * so that `read` waits.
 */
export async function whenReady(
  command: string,
  then: (job: ReturnType<Jobs['start']>) => unknown,
  options: JobOptions = {},
): Promise<RunResult> {
  const jobs = new Jobs();
  const job = jobs.start(command, { stdin: 'pipe', forceKillAfterDelay: PLENTY, ...options });
  let text = '';
  job.on('data', (chunk: string) => {
    text += chunk;
  });
  while (!text.includes('ready')) await once(job, 'data');
  await then(job);
  const result = await job.result;
  await jobs.dispose();
  return result;
}
