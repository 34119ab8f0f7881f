// `run()` and its options.

import type { Jobs } from '../job/jobs-api.ts';
import type { RunResult } from '../result/api.ts';
import type { Encoding } from '../result/output-api.ts';
import type { CommandOptions, FileOutput } from './command/api.ts';

export interface RunOptions<E extends Encoding = 'utf8'> extends Omit<CommandOptions<E>, 'background'> {
  /**
   * The effect of `timeout`: the command is ended (default), or goes on as a job of `jobs`, and {@link run}
   * resolves with the output so far, `status: 'background'` and a `jobId`. With `'background'`, a timeout of
   * 0 means at once.
   */
  onTimeout?: 'kill' | 'background' | undefined;
  /** The longest time of the command in the background (ms). Default 0: no limit. */
  backgroundTimeout?: number | undefined;
  /**
   * The treatment of processes that still run after the exit of the command: `'keep'` (default) lets them
   * run, `'kill'` ends them, `'adopt'` makes them a job of `jobs`, and the result has its `jobId`.
   */
  background?: 'keep' | 'kill' | 'adopt' | undefined;
  /**
   * Whether to reject with a {@link CommandError} unless the exit code is 0. A command that goes on in the
   * background does not reject. Default false. As in execa, where the default is true.
   */
  reject?: boolean | undefined;
  /** The table for a command that goes on as a job. Default {@link jobs}. */
  jobs?: Jobs | undefined;
  /**
   * The reaction when the command waits for input, as {@link Job.waiting} reports it. `'eof'` ends the input;
   * in a terminal, this types Ctrl-D at each wait. `'kill'` ends the command as at its timeout, with status
   * `timeout` and `error.code` `WAITING_FOR_INPUT`. Default: none. Has an effect only with `pty`, on Linux.
   */
  onWaiting?: 'eof' | 'kill' | undefined;
  /**
   * Whether the result has the exit statuses of all stages of the pipeline in which the command ends, in bash
   * and zsh. Default false. `null` for a command that does not surely end in a pipeline of two or more
   * (`a | b; c`, `a | b &`, a here-document, a trap, `set -x`), for words without a shell, for other shells,
   * and where the shell has ended before.
   */
  pipeStatus?: boolean | undefined;
}

/**
 * Runs a command to its end.
 *
 * A shell reads a string (see `shell`); an array is a program and its arguments, without a shell. A pending
 * call keeps Node.js alive. Unlike in execa, a command that fails, can't be started or is killed does not
 * reject unless `reject` is true: see `status` of the result.
 *
 * With `onTimeout: 'background'` or `background: 'adopt'`, the command may go on as a {@link Job} of a table.
 * `signal` no longer reaches such a job, and the job does not keep Node.js alive. If the table is full, the
 * command is ended with the `error.code` `JOB_LIMIT`.
 *
 * @returns the result. With `spill` or `minimize`, `await using` removes the file; otherwise the file stays
 * until its job
 *   is forgotten or Node.js ends.
 * @throws TypeError (as a rejection) with code `ERR_INVALID_ARG_VALUE` for a blank command, and for a wrong
 *   or unknown option, which it names; {@link CommandError} (as a rejection) with `reject`
 *
 * @example
 * const { status, exitCode, stdout } = await run('npm test', { cwd: '/path/to/project', timeout: 120_000 });
 * const { stdout: head } = await run(['git', 'rev-parse', 'HEAD'], { reject: true });
 * const { stdout: png } = await run('git show HEAD:logo.png', { encoding: 'buffer' }); // a Uint8Array
 */
export declare function run<E extends Encoding = 'utf8'>(
  command: string | readonly string[],
  options: RunOptions<E> & { output: FileOutput },
): Promise<RunResult<E> & AsyncDisposable>;

export declare function run<E extends Encoding = 'utf8'>(
  command: string | readonly string[],
  options?: RunOptions<E>,
): Promise<RunResult<E>>;
