// Terminals, and waiting for input and readiness.

import type { PortForward } from '../../target/ports-api.ts';

export interface ScreenOptions {
  /** The most lines of the scrollback. Default 0. */
  scrollback?: number | undefined;
  /** Whether the screen has `ansi`. Default false. */
  ansi?: boolean | undefined;
}

export interface Screen {
  /** The visible lines from the top, each without the blanks at its end. */
  lines: string[];
  /**
   * `scrollback` and `lines` as one text, without empty lines at its end. Rows that the terminal wrapped are
   * one line, so that `waitForScreen()` finds what is longer than a row.
   */
  text: string;
  /**
   * With the option `ansi`: the rows of `scrollback` and then of `lines`, with the sequences of their colours
   * and attributes (SGR) and no others, so that they can be written to a person's terminal.
   */
  ansi?: string[];
  /** The position of the cursor, both from 0, and whether it is shown. */
  cursor: { row: number; column: number; visible: boolean };
  cols: number;
  rows: number;
  /** Whether it is the alternate screen, which full-screen programs use and leave. */
  alternate: boolean;
  /** The title that the program has set; empty for none. */
  title: string;
  /** Whether the program wants pasted text between `ESC [200~` and `ESC [201~`. */
  bracketedPaste: boolean;
  /** The latest lines that have left the screen at its top, as many as the call asked for. */
  scrollback: string[];
  /** The number of such lines that are kept. */
  scrollbackLines: number;
  /**
   * Whether a part of the output is missing from it: of a durable job to which
   * this process has attached later, the log has the beginning and the latest part.
   */
  partial: boolean;
  /** A number that grows with each change of the screen: two screens with the same revision are equal. */
  revision: number;
}

export interface WaitForScreenOptions {
  /** The longest wait (ms), up to 2,147,483,647. Default 30,000. The job runs on. */
  timeout?: number | undefined;
  /** With `'idle'`: the time without a change (ms). Default 200. */
  idle?: number | undefined;
  /** Ends the waiting, not the job. */
  signal?: AbortSignal | undefined;
}

export interface WaitForScreenResult {
  /**
   * `matched`: the screen has the text. `idle`: the screen does not change. `exited`: the job is over,
   * without the text.
   */
  status: 'matched' | 'idle' | 'timeout' | 'exited' | 'aborted';
  screen: Screen;
  /**
   * The match, with the groups of the expression; or `null`. A group that has no part in it is `undefined`.
   */
  match: Array<string | undefined> | null;
}

/** A job that waits for input. */
export interface InputWait {
  /**
   * - `line`: a line that the terminal echoes;
   * - `password`: a line that the terminal does not echo;
   * - `keys`: single keys, as for full-screen programs and prompts with a history;
   * - `pipe`: data, with `stdin: 'pipe'`.
   */
  kind: 'line' | 'password' | 'keys' | 'pipe';
  /**
   * The system call that a thread of the program sleeps in: `read` reads the input, `poll` waits for it,
   * perhaps among other descriptors.
   */
  how: 'read' | 'poll';
  /** The longest time of the wait (ms); `null` if no limit is known. */
  timeout: number | null;
  /**
   * Whether the same process listens on a TCP socket: a server that also takes keys. Such a wait emits no
   * event.
   */
  listening: boolean;
  /**
   * Whether the kernel showed the wait. False for a program of another user (`sudo` when Node is not root),
   * for which the mode of its terminal shows that it asks for a password.
   */
  certain: boolean;
  /** The pid of the process that waits. */
  pid: number;
  /** The name of the process's program: `python3`, `vim`. */
  program: string;
  /** The last unfinished line of the output; in a terminal the line of the cursor, with all its rows. */
  prompt: string;
}

/** The conditions that {@link Job.ready} waits for: a port, a pattern, or both. */
export interface ReadyOptions {
  /** A TCP port on which a process of the job listens, from 1 to 65,535; `true` for any. Linux. */
  port?: number | true | undefined;
  /**
   * A pattern in the output of either stream: text, or an expression that is tried on each line of the plain
   * text.
   */
  pattern?: RegExp | string | undefined;
  /** The longest wait (ms), up to 2,147,483,647. Default 30,000. The job runs on. */
  timeout?: number | undefined;
  /** Ends the waiting, not the job. */
  signal?: AbortSignal | undefined;
  /**
   * Opens each found port of a job on a target on this machine too, until the job ends: `ports[0].local` has
   * the host and port here. Needs `port`, and rejects as `Target.forward()` does.
   */
  forward?: boolean | undefined;
}

export interface ReadyResult {
  /** `ready`: all conditions hold. `exited`: the job is over, and they don't. */
  status: 'ready' | 'timeout' | 'exited' | 'aborted';
  /** The requested ports that the job listens on, in rising order; `local` is the port here. */
  ports: Array<{ port: number; address: string; pid: number; local?: PortForward }>;
  /** The match, with the groups of the expression; or `null`. */
  match: Array<string | undefined> | null;
  /** The time from the call on (ms). */
  durationMs: number;
}
