// Options of commands.

import type { RecordOptions } from '../../live/record/api.ts';
import type { Approve, Decision, Policy } from '../../policy/api.ts';
import type { Encoding, SignalName } from '../../result/output-api.ts';
import type { MinimizeOptions, ViewOptions } from '../../view/api.ts';
import type { Surroundings } from '../surroundings/api.ts';

/** The options that {@link run} and {@link Jobs.start} share. */
export interface CommandOptions<E extends Encoding = 'utf8'> extends Surroundings {
  /**
   * The rules that decide whether the command may run: see {@link check}. A command that may not run gets the
   * status `denied`, and nothing is started. The policy does not judge later writes to the standard input of
   * the command.
   */
  policy?: Policy | undefined;
  /**
   * Decides about a command for which the verdict of the policy is `ask`; without it, such a command is
   * denied. The command's timeouts start after the answer. The signal fires when the command is aborted or
   * killed meanwhile. An exception counts as a denial.
   */
  approve?: Approve | undefined;
  /**
   * A decision of {@link check} that allows the command, or whose `ask` the caller has approved. The command
   * runs only if the decision's `token` is for it: the same bytes, directory, shell, environment and policy.
   */
  decision?: Decision | undefined;
  /**
   * Records what the command does as an asciicast v3, which asciinema plays: a path, or
   * {@link RecordOptions}. The command runs also if the file can't be written: see `recording` of the result.
   * Default: none.
   */
  record?: string | URL | RecordOptions | undefined;
  /** The whole standard input. Text is sent as UTF-8. Default: empty, as from `/dev/null`. As in execa. */
  input?: string | NodeJS.ArrayBufferView | undefined;
  /**
   * Whether the command runs in a terminal (a pseudoterminal, as in node-pty). All of its streams are that
   * terminal: `stderr` is empty, {@link Job.write} is what a user types, and {@link Job.screen} what a user
   * sees. Not with `input`, `stdin` and `output.merge`. `TERM` is set; `COLUMNS` and `LINES` are not
   * inherited. Default false.
   *
   * A process that a command leaves running when it exits gets SIGHUP if it is in the terminal's foreground,
   * as when a window is closed. If no terminal can be opened, the `error.code` is `PTY_UNAVAILABLE`.
   */
  pty?: boolean | PtyOptions | undefined;
  /**
   * The longest time of the command, from the call on (ms). At the limit it is ended; see also `onTimeout`.
   * Default 0: no limit.
   */
  timeout?: number | undefined;
  /** The longest time without output, after which the command is ended (ms). Default 0: no limit. */
  idleTimeout?: number | undefined;
  /**
   * Ends the command with the status `aborted`. If the signal fired before the call, nothing starts. As in
   * `child_process`.
   */
  signal?: AbortSignal | undefined;
  /**
   * The signal that `timeout`, `idleTimeout`, `signal` and `kill()` send first. Default `SIGTERM`. As in
   * `child_process`.
   */
  killSignal?: SignalName | number | undefined;
  /** The delay between `killSignal` and SIGKILL (ms); `false` for no SIGKILL. Default 5,000. As in execa. */
  forceKillAfterDelay?: number | false | undefined;
  /**
   * The treatment of processes that still run after the exit of the command: `'keep'` (default) lets them
   * run, `'kill'` ends them.
   */
  background?: 'keep' | 'kill' | undefined;
  /**
   * The limits of the wait, after the exit, for output that other processes hold open. `'end'`: until all of
   * them have closed it, or `timeout` ends them. Default `{ idle: 100, max: 2000 }` (ms).
   */
  drain?: 'end' | DrainOptions | undefined;
  output?: OutputOptions | undefined;
  /**
   * The form of the output in results, events and iterators: `'utf8'` (default) is text, in which invalid
   * bytes are U+FFFD; `'buffer'` is bytes as a `Uint8Array`, as in execa; the name of a {@link CodePage} is
   * text in that encoding. It is decoded before all else, so that limits, views and the file with all output
   * have UTF-8; `totalBytes` counts what the command wrote, and `input` stays UTF-8. No code page for a
   * durable job.
   *
   * Bytes are bounded, merged and spilled as text is, and cut exactly at `maxBytes`, without a marker:
   * with `keep: 'both'`, the beginning has `headBytes` bytes and the end stands right after it. Not with
   * `pty`, nor with `cut`, `marker`, `stripAnsi` and `view` of `output`, which work on text.
   */
  encoding?: E | undefined;
}

export interface PtyOptions {
  /** The number of columns; the nearest of 2 to 1,000 counts. Default 80. */
  cols?: number | undefined;
  /** The number of lines; the nearest of 1 to 500 counts. Default 24. */
  rows?: number | undefined;
  /** The name of the terminal (`TERM`), unless `env` sets it. Default `xterm-256color`. */
  term?: string | undefined;
  /**
   * The most lines that are kept after they left the screen at its top, from 0 to 100,000. Default 1,000.
   * They take 24 bytes of memory for each character while the job runs, 32 MiB at most.
   */
  scrollback?: number | undefined;
  /**
   * Whether agent-bash answers the program's queries about its terminal, such as the position of the cursor.
   * Default true. `false` if a real terminal shows the output as it comes and what it sends is written to the
   * job: each query would have two answers.
   */
  answerQueries?: boolean | undefined;
}

export interface DrainOptions {
  /** The time without output after which the wait ends (ms). Default 100. */
  idle?: number | undefined;
  /** The longest wait in all (ms). Default 2,000. */
  max?: number | undefined;
}

/** The kept part of a command's output, and its form. */
export interface OutputOptions {
  /**
   * The most that is kept of each stream (bytes as written; of the plain text with `stripAnsi`), from 0 to
   * 67,108,864. Default 1,048,576. The text can be longer: the marker comes on top, and an invalid byte
   * becomes a U+FFFD of three bytes.
   */
  maxBytes?: number | undefined;
  /**
   * The part of a longer stream that is kept: its beginning, its end, or both with a marker in between
   * (default).
   */
  keep?: 'head' | 'tail' | 'both' | undefined;
  /** With `keep: 'both'`, the part of `maxBytes` for the beginning (bytes). Default: half. */
  headBytes?: number | undefined;
  /**
   * The place of a cut: at the end of a line if one is near (default), or exactly at the limit. Characters
   * are never cut.
   */
  cut?: 'line' | 'character' | undefined;
  /**
   * Whether both streams are one, as with `2>&1`: `stdout` has both in the order of writing. Default false.
   */
  merge?: boolean | undefined;
  /**
   * Whether to keep text as a terminal would show it: without colours and overwritten lines. Default false.
   */
  stripAnsi?: boolean | undefined;
  /**
   * The text in place of the missing part. In it, `{bytes}` and `{lines}` become the size of the missing
   * part, and `{total}` the size of the stream (bytes; of the plain text with `stripAnsi`). At most 10,000
   * characters. Default: a line with these numbers.
   */
  marker?: string | undefined;
  /** Whether all output also goes to a file; see {@link RunResult.spill}. Default false. */
  spill?: boolean | SpillOptions | undefined;
  /**
   * Whether the result has a {@link View}: the lines that matter, within a budget. It does not change
   * `stdout` and `stderr`. Both streams are one there, in the order in which they were read; `merge` makes
   * that exact. Default false.
   */
  view?: boolean | ViewOptions | undefined;
  /**
   * Whether the view leaves out lines of well-known programs even if there is room: passed tests, progress,
   * what was built, equal lines. Never lines that look like failures, warnings or summaries. It implies
   * `view` and, for outputs from 1,000 bytes on, a file as by `spill`, which the last line names, and which
   * is removed if all lines are shown. With `spill: false` or a file that can't be written, nothing is left
   * out. Default false.
   */
  minimize?: boolean | MinimizeOptions | undefined;
}

/** Options of an output that has a file: `await using` of the result removes it. */
export type FileOutput =
  | { spill: true | (SpillOptions & { above?: undefined }) }
  | { minimize: true | MinimizeOptions; spill?: undefined };

/** The file for all output. */
export interface SpillOptions {
  /**
   * The directory of the file, created if missing. Default: a private directory below `os.tmpdir()`, or
   * elsewhere if that is inside `root`. The private directory is removed with its files when Node.js ends by
   * itself.
   */
  directory?: string | URL | undefined;
  /** The largest size of the file (bytes). Default 1,073,741,824. */
  maxBytes?: number | undefined;
  /**
   * The size of the output up to which no file is created, and `spill` is null (bytes, at most 1,048,576).
   * Default 0: a file for any output, also for none.
   */
  above?: number | undefined;
}
