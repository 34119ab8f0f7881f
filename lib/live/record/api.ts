// Recordings of commands, in the format asciicast v3 of asciinema.

import type { RunError } from '../../result/api.ts';

/**
 * Where and how commands are recorded: the option `record` of {@link run}, of `start()` of tables and
 * sessions, of tables, sessions and toolsets. A path is the same as `{ file }`.
 *
 * A recording has all output that the commands write and the text of the commands: it may have secrets. The
 * file has mode 0600, a new directory 0700. Environments are never recorded.
 */
export interface RecordOptions {
  /** One file for all commands. It must not exist. Either `file` or `directory`. */
  file?: string | URL | undefined;
  /**
   * Instead, a file for each command, `0001-npm-test.cast`, in a directory that is created if it is missing.
   * Files in it are never replaced.
   */
  directory?: string | URL | undefined;
  /** The title of the recording. Default: the command, or `bash in` and the directory of Node.js. */
  title?: string | undefined;
  /** The size for commands without a terminal, each from 1 to 1,000. Default 100 × 30. */
  cols?: number | undefined;
  rows?: number | undefined;
  /** The longest pause in a replay (s). Default 2. */
  idleTimeLimit?: number | undefined;
  /** The most bytes of a file, at least 4,096. Default 268,435,456. */
  maxBytes?: number | undefined;
  /** The most output of a command (bytes). Then follows a gap, and the last 64 KiB. Default 16,777,216. */
  maxCommandBytes?: number | undefined;
  /**
   * The effect of output that comes faster than it can be written: the recording has a marked gap (`'gap'`,
   * default), or the command waits (`'wait'`).
   */
  whenSlow?: 'gap' | 'wait' | undefined;
  /** Whether what the host writes to a terminal is recorded, while the terminal echoes it. Default false. */
  input?: boolean | undefined;
}

/** A recording: that of a result, a job, a table, a session or a toolset. */
export interface Recording {
  /** The file or the directory. */
  path: string;
  /** The number of bytes that have been written so far. */
  bytes: number;
  /** Whether it has everything so far, apart from marked gaps. */
  complete: boolean;
  /**
   * The error that has ended the recording early, or `null`: the code of the system (`ENOSPC`, `EEXIST`),
   * `ETIMEDOUT` for a disk that has hung for 5 s, `RECORDING_FULL` for `maxBytes`. The commands go on, and
   * the file plays to its last line.
   */
  error: RunError | null;
}

// The format of a file. Lines of UTF-8 text, each ended by `\n`:
//
// 1. The header: an object with `version: 3`, `term: { cols, rows, type: 'xterm-256color' }`, `timestamp` (s
//   since
//    1970), `idle_time_limit` and `title`.
// 2. Then events and comments, in the order of their times.
//    - An event is `[interval, code, data]`. `interval` is the time since the event before it (s, whole ms:
//      rounding errors carry on). `code` is `o` (output), `i` (input), `r` (a new size: `"80x24"`), `m` (a
//      marker: one line of at most 120 characters) or `x` (the exit code as of `agent-bash run`; 0 for
//      several commands; last).
//    - A comment is `#agent-bash ` and a `LiveEvent` (lib/live/api.ts) as JSON, with its `seq` and `time`:
//      all types but `output`. It belongs before the `o` events that it begins, such as that of a `start`.
//
// All `o` events play in one terminal. A comment
// `#agent-bash {"type":"output","id":"job-2","stream":"stderr"}` stands before text of another command or
// stream than the text before it. What the recorder adds itself (the command line,
// `==> job-2: npm run dev <==`, the exit code, the reset of a screen) follows such a comment with the `id`
// `null`.
//
// A cut last line is to be ignored: a file whose writer was killed ends in one at most.
