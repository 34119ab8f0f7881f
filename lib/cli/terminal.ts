// `agent-bash run --pty`: the terminal of a command, shown in the terminal of this process.

import type { Job, JobOptions, PtyOptions, RunResult } from 'agent-bash';
import { Jobs } from 'agent-bash';
import type { ConsoleOptions } from 'agent-bash/console';
import { attach } from 'agent-bash/console';
import { forward } from './forward.ts';
import { passInput } from './standard-input.ts';

/** The lines that are printed at the end, besides the last screen. */
const SCROLLBACK = 10_000;

/**
 * Runs a command in a terminal. Where this process has one too, a person is at the command, by a console, and
 * the command's last screen is printed at the end. Otherwise the streams of this process are forwarded.
 */
async function inTerminal(
  command: string | string[],
  options: JobOptions,
  onEscape: ConsoleOptions['escape'] = 'send',
): Promise<RunResult> {
  const { stdin, stdout } = process;
  const start = (pty: PtyOptions) =>
    new Jobs({ readBytes: 0 }).start(command, { ...options, output: { maxBytes: 0 }, pty });
  if (stdin.isTTY && stdout.isTTY) {
    const job = start({ ...sizeOf(stdout), scrollback: SCROLLBACK });
    await attach(job, { escape: onEscape, detachKey: false }).done;
    const result = await job.result;
    stdout.write(lastOutput(job));
    return result;
  }
  const job = start({ ...sizeOf(stdout), term: process.env.TERM || undefined, scrollback: 0 });
  const stop = passInput(job);
  try {
    await forward(job);
    return await job.result;
  } finally {
    stop();
  }
}

/** Returns what the command has written, as it was shown. A full-screen program leaves nothing to print. */
function lastOutput(job: Job): string {
  const { ansi = [], alternate, scrollback } = job.screen({ ansi: true, scrollback: SCROLLBACK });
  const lines = alternate ? ansi.slice(0, scrollback.length) : ansi;
  const end = lines.findLastIndex((line) => line !== '') + 1;
  return lines
    .slice(0, end)
    .map((line) => `${line}\n`)
    .join('');
}

function sizeOf({ columns, rows }: NodeJS.WriteStream): { cols?: number; rows?: number } {
  return columns > 0 && rows > 0 ? { cols: columns, rows } : {};
}

export { inTerminal, lastOutput };
