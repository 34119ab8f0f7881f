// `agent-bash run --pty`: the terminal of a command, shown in the terminal of this process.

import { constants } from 'node:os';
import type { JobOptions, RunResult } from 'agent-bash';
import { Jobs } from 'agent-bash';
import { forward } from './forward.ts';
import { passInput } from './standard-input.ts';

/**
 * Ends the modes in which a program that was killed leaves a terminal: mouse and focus reports, application
 * keys, bracketed paste, colours, the hidden cursor.
 */
const ORDINARY =
  '\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?1l\x1b>\x1b[?2004l\x1b[0m\x1b[?25h';
/** Leaves the alternate screen. On the main screen, it would move the cursor. */
const MAIN_SCREEN = '\x1b[?1049l';

/**
 * Runs a command in a terminal, and passes on keys, output and changes of the size. The terminal of this
 * process is as before when the command has ended, and when this process exits.
 */
async function inTerminal(command: string | string[], options: JobOptions): Promise<RunResult> {
  const { stdin, stdout } = process;
  const isTerminal = stdin.isTTY && stdout.isTTY;
  const job = new Jobs({ readBytes: 0 }).start(command, {
    ...options,
    output: { maxBytes: 0 },
    // Two terminals would answer each query of the program.
    pty: {
      ...sizeOf(stdout),
      term: process.env.TERM || undefined,
      scrollback: 0,
      answerQueries: !isTerminal,
    },
  });
  const leave = stdin.isTTY ? enterRawMode() : () => {};
  const resize = () => job.resize(stdout.columns, stdout.rows);
  stdout.on('resize', resize);
  const stop = passInput(job);
  try {
    await forward(job);
    const result = await job.result;
    if (isTerminal && !endedByItself(result)) {
      stdout.write(`${job.screen().alternate ? MAIN_SCREEN : ''}${ORDINARY}`);
    }
    return result;
  } finally {
    stop();
    stdout.off('resize', resize);
    leave();
  }
}

function sizeOf({ columns, rows }: NodeJS.WriteStream): { cols?: number; rows?: number } {
  return columns > 0 && rows > 0 ? { cols: columns, rows } : {};
}

/** Returns whether a command has ended without a signal. A shell reports a killed program by a code above 128. */
function endedByItself({ status, exitCode }: RunResult): boolean {
  return status === 'exited' && exitCode !== null && exitCode <= 128;
}

/**
 * Makes the terminal pass on each key as it is. Returns a function that undoes it, which the exit of this
 * process calls too.
 */
function enterRawMode(): () => void {
  const { stdin } = process;
  const leave = () => stdin.setRawMode(false);
  const enter = () => {
    // Node.js skips a mode that it takes for the current one. The shell has changed it after a stop.
    leave();
    stdin.setRawMode(true);
  };
  const names = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;
  const exits = names.map((name): [NodeJS.Signals, () => void] => [name, exitAtSecond(name)]);
  enter();
  process.on('exit', leave);
  process.on('SIGCONT', enter);
  for (const [name, listener] of exits) process.on(name, listener);
  return () => {
    leave();
    process.off('exit', leave);
    process.off('SIGCONT', enter);
    for (const [name, listener] of exits) process.off(name, listener);
  };
}

/** The default action of a second signal would leave the terminal as it is. */
function exitAtSecond(name: NodeJS.Signals): () => void {
  let count = 0;
  return () => {
    count++;
    if (count > 1) process.exit(128 + constants.signals[name]);
  };
}

export { inTerminal };
