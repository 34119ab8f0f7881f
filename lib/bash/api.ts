// The bash tool. The subpath agent-bash/bash exports it alone, for hosts that need the shortest start:
// docs/performance.md has the figures.

import type { Job, JobEvents } from '../job/api.ts';
import type { PtyOptions } from '../options/command/api.ts';
import type { SandboxLevel, SandboxOptions } from '../options/surroundings/sandbox-api.ts';
import type { Overlay } from '../overlay/api.ts';
import type { Approve, Decision, Policy } from '../policy/api.ts';
import type { Encoding } from '../result/output-api.ts';
import type { Target, TargetOptions } from '../target/api.ts';
import type { ViewOptions } from '../view/api.ts';

/**
 * The arguments of {@link bash}, as a model gives them. The command is the first of `command` and `cmd` that
 * is a string and not blank; it is not trimmed. Other properties are ignored.
 */
export interface BashArgs {
  command?: unknown;
  /** The command under the other name that models use. Read if `command` is no string or blank. */
  cmd?: unknown;
  [other: string]: unknown;
}

/**
 * Runs a command and resolves with its output and exit code, as text for a model.
 *
 * - Shell: `/bin/zsh -c`, else `/bin/bash -lc`, else `sh -c` from PATH. Standard input is empty. The
 *   environment is `process.env` at the time of the call.
 * - Answer: standard output, a line break if both streams have text, standard error, then `\n[Exit code: N]`.
 *   As in a shell, a death by signal n is the exit code 128 + n.
 * - Size: 102,400 bytes of UTF-8, then `\n[Output truncated at 100KB]`. The rest is read and dropped: the end
 *   of the output, where an error mostly is, and all of standard error behind a long standard output. `run()`
 *   keeps both ends.
 * - Time: 30,000 ms for the command and for every process that holds its output open. Then all of its
 *   processes get SIGTERM, SIGKILL after 5,000 ms, and the answer ends with
 *   `\n[Process timed out after 30s and was terminated]`.
 * - Safe mode: no shell, no expansions, and only git, grep, rg, find, ls, cat, head, tail, wc, pytest,
 *   `swift test`, `xcodebuild test` and `npm test`. Safe mode limits which program starts, not what the
 *   program does: `git` and `find` can run other programs. It is not a sandbox.
 *
 * The promise never rejects. Wrong arguments and failed launches resolve with a text that begins with
 * `Error: `, such as `Error: Failed to launch process: spawn /bin/zsh ENOENT` for a missing `workspaceRoot`.
 * A pending call keeps Node.js alive. A process that the command puts into the background with its output
 * redirected (`nohup server >log 2>&1 &`) runs on after the answer, as after any shell.
 *
 * @param args the command, as `{ command }` or `{ cmd }`
 * @param workspaceRoot the working directory, absolute or relative to `process.cwd()`; `''` is
 *   `process.cwd()`
 * @param safeMode whether only the programs of the list may run; default false
 * @param options a wrong option resolves with a text that begins with `Error: ` too
 *
 * @example
 * const answer = await bash({ command: 'git status --short' }, '/path/to/project', true);
 */
export declare function bash(
  args: BashArgs | null | undefined,
  workspaceRoot: string,
  safeMode?: boolean,
  options?: BashOptions,
): Promise<string>;

export interface BashOptions {
  /**
   * The limits on what the command may touch; the root is `workspaceRoot`. In a sandbox, the command does not
   * inherit variables that look like secrets. Default: none. See {@link CommandOptions.sandbox}.
   */
  sandbox?: SandboxLevel | SandboxOptions | false | undefined;
  /** The overlay of the command, as {@link CommandOptions.overlay}; its root must be `workspaceRoot`. */
  overlay?: Overlay | undefined;
  /**
   * As {@link CommandOptions.target}; `workspaceRoot` is a directory there, or the workspace of a container
   * that is made for the command. The shell is the first of those above that exists there.
   */
  target?: Target | TargetOptions | undefined;
}

export interface BashJobOptions<E extends Encoding = 'utf8'> extends BashOptions {
  /** As {@link CommandOptions.policy}: with a policy the shell is `/bin/bash -lc`, else `sh -c`. */
  policy?: Policy | undefined;
  /** The function that answers questions, as {@link CommandOptions.approve}. */
  approve?: Approve | undefined;
  /** A decision of `check()`, as {@link CommandOptions.decision}. */
  decision?: Decision | undefined;
  /** The timeout of the command (ms). Default 30,000; 0 for no limit. */
  timeout?: number | undefined;
  /**
   * Ends the job: SIGTERM, and SIGKILL after 5,000 ms. If the signal fired before the call, nothing starts.
   */
  signal?: AbortSignal | undefined;
  /** Whether `result` has a view; then `result.output` is its text. */
  output?: { view?: boolean | ViewOptions | undefined } | undefined;
  /**
   * As {@link CommandOptions.encoding}. With `'buffer'`, `result.output` is the output of both streams, and
   * not the answer of {@link bash}.
   */
  encoding?: E | undefined;
  /** Whether the command runs in a terminal; see {@link CommandOptions.pty}. Default false. */
  pty?: boolean | PtyOptions | undefined;
}

export type BashJobEvents<E extends Encoding = 'utf8'> = JobEvents<E>;

/**
 * A command whose output comes while it runs. It takes the arguments of {@link bash}, and its `result.output`
 * is the answer of {@link bash}.
 *
 * The command starts in the next microtask. Listeners that are added before the next turn of the event loop
 * miss nothing of the first 1 MiB, and nothing at all if that turn begins within a second.
 *
 * @example
 * const job = new BashJob({ command: 'npm test' }, '/path/to/project', false, { timeout: 120_000 });
 * job.on('data', (chunk, stream) => process[stream].write(chunk));
 * job.on('exit', (code, signal) => console.log(code ?? signal));
 */
export declare class BashJob<E extends Encoding = 'utf8'> extends Job<E> {
  /**
   * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong or unknown option, which it names. Wrong
   *   arguments do not throw: as with {@link bash}, they are in the result.
   */
  constructor(
    args: BashArgs | null | undefined,
    workspaceRoot: string,
    safeMode?: boolean,
    options?: BashJobOptions<E>,
  );
}
