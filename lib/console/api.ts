// The types of agent-bash/console: a person at a command that runs in a terminal.

import type { EventEmitter } from 'node:events';
import type { Job } from '../job/api.ts';
import type { Screen } from '../job/inspection/api.ts';

/** The reason of the end of a console. */
export type ConsoleEnd =
  /** The command is over. */
  | 'exited'
  /** The command is over, after a key or `kill()` has ended it. */
  | 'killed'
  /** A key or `detach()` has ended the console. The command goes on. */
  | 'detached'
  /** The input or the output is gone, such as a closed window. The command goes on. */
  | 'closed';

export interface ConsoleOptions {
  /**
   * The effect of the Escape key, when no other byte follows it within 50 ms. `auto` (default): it ends the
   * command, or goes to the program while that shows the alternate screen, as vim does. `kill`: it ends the
   * command. `detach`: it ends the console. `send`: it goes to the program.
   */
  escape?: 'auto' | 'kill' | 'detach' | 'send' | undefined;
  /** The key that ends the console while the command goes on. Default `'ctrl-]'`; `false` for none. */
  detachKey?: 'ctrl-]' | false | undefined;
}

/** A rectangle of a terminal, in cells from 0. A border takes two of its columns and rows. */
export interface ConsoleRegion {
  row: number;
  column: number;
  /** From 4 to 1,000. */
  cols: number;
  /** From 3 to 1,000. */
  rows: number;
}

export interface AttachOptions extends ConsoleOptions {
  /** Where the person types. Default `process.stdin`. */
  input?: NodeJS.ReadableStream | undefined;
  /** The stream that the person sees. Default `process.stdout`. */
  output?: NodeJS.WritableStream | undefined;
  /** A box for the console. Default: the whole terminal, on its alternate screen. */
  region?: ConsoleRegion | undefined;
  /** The title of the box, or of the last row. Default `Console` in a region, none without. */
  title?: string | undefined;
}

/** A console in a terminal. */
export interface ConsoleView {
  readonly console: Console;
  /** Resolves when the terminal is as it was before. Rejects if the console can't be painted. */
  readonly done: Promise<{ reason: ConsoleEnd }>;
  /** Ends the console. The command goes on. */
  detach(): void;
  /** Ends the command, and with it the console. */
  kill(): void;
}

/**
 * Gives a person the terminal of a job: shows its screen, and types into it. Keys go to the job alone, and
 * resizing the terminal resizes that of the job.
 *
 * The terminal is painted from {@link Job.screen}, never with the program's own bytes. It is as before when
 * the promise `done` resolves, and when this process throws, exits, gets SIGTERM, SIGINT or SIGHUP (where
 * nobody else listens, it then ends by that signal), or is stopped by SIGTSTP. After SIGKILL of this process,
 * `reset` helps.
 *
 * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong option, `CONSOLE_BUSY` if another console
 * has
 *   the input; Error with code `NO_TERMINAL` for a job without `pty`
 *
 * @example
 * const job = jobs.start('vim notes.txt', { pty: true });
 * const { reason } = await attach(job).done;
 */
export declare function attach(job: Job, options?: AttachOptions): ConsoleView;

/**
 * The terminal of a job for a program that draws by itself, such as one with a framework for terminals. Emits
 * `change` when there is something new to render, at most once in 16 ms, and `end` once, last.
 *
 * @example
 * const view = new Console(job);
 * view.on('change', () => draw(view.render({ cols: 80, rows: 20 }), view.cursor));
 * view.on('end', (reason) => close(reason));
 * process.stdin.on('data', (typed) => view.input(typed));
 */
export declare class Console extends EventEmitter<{ change: []; end: [reason: ConsoleEnd] }> {
  /**
   * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong option; Error with code `NO_TERMINAL` for
   * a
   *   job without `pty`
   */
  constructor(job: Job, options?: ConsoleOptions);
  readonly job: Job;
  /** The cursor of the last lines, from 0. */
  readonly cursor: Screen['cursor'];
  /** Whether the program wants pasted text between `ESC [200~` and `ESC [201~`. */
  readonly bracketedPaste: boolean;
  /** Whether a key or `kill()` has ended the command, and it still runs. */
  readonly isKilling: boolean;
  /** The reason of the end; `null` before it. */
  readonly ended: ConsoleEnd | null;
  /**
   * Returns the lines of the screen from the top, as many as `rows`, each complete in itself: with the
   * sequences of its colours and attributes (SGR) and no others. Gives the job's terminal this size (2 to
   * 1,000 columns, 1 to 1,000 rows).
   */
  render(size: { cols: number; rows: number }): string[];
  /** Takes what a person types, as a terminal sends it. */
  input(typed: string | Uint8Array): void;
  /** Ends the command, and with it the console. */
  kill(): void;
  /** Ends the console. The command goes on. */
  detach(): void;
  /** Ends the console because its input or output is gone. The command goes on. */
  close(): void;
}
