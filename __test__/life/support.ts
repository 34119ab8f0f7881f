import type { Job, RunResult } from '../../index.js';
import { living, until } from '../support/processes.mjs';

/** Returns the end of a command. */
export function endOf({ status, exitCode, signal, error }: RunResult) {
  return { status, exitCode, signal, error: error?.code ?? null };
}

/** Returns the processes that sleep for this time. */
export function sleepers(seconds: string): number[] {
  return living(`sleep\0${seconds}`).sort((a, b) => a - b);
}

/** Waits until the output of the job, from its start, contains the text. */
export async function printed(job: Job, text: string): Promise<void> {
  await until(() => job.read().text.includes(text), `the job prints ${text}`);
}

/** Shell code that runs until SIGKILL. It prints `deaf` once it ignores the other signals. */
export const STUBBORN = "trap '' TERM INT HUP; echo deaf; while :; do sleep 0.05; done";

/** Shell code that starts children which are hard to find and to end: `count` of them sleep for `seconds`. */
export function hardToEnd(seconds: string): { command: string; count: number } {
  const lines = [
    `sleep ${seconds} &`,
    `setsid sleep ${seconds} &`,
    `(setsid sleep ${seconds} </dev/null >/dev/null 2>&1 &)`,
    `sh -c "trap '' TERM INT HUP; exec sleep ${seconds}" &`,
    `(setsid sh -c "trap '' TERM INT HUP; exec sleep ${seconds}" </dev/null >/dev/null 2>&1 &)`,
  ];
  return { command: lines.join('\n'), count: lines.length };
}
