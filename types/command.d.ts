/// <reference types="node" />
// What every command has: streams, signals, a directory, an environment and a shell.

/** The stream that a piece of output came from. */
export type StreamName = 'stdout' | 'stderr';

/** A piece of output. The text has whole characters only, and stands for at most about 64 KiB of bytes. */
export interface OutputChunk {
  stream: StreamName;
  text: string;
}

/**
 * The name of a signal. Real-time signals (Linux), for which Node.js has no names, are `SIG34` to `SIG64`.
 */
export type SignalName = NodeJS.Signals | `SIG${number}`;

/**
 * Environment variables that keep programs from prompting, paging, opening an editor and colouring:
 * `PAGER=cat`, `GIT_TERMINAL_PROMPT=0`, `CI=true`, `TERM=dumb`, an `EDITOR` that fails with a message, and
 * others. Frozen. The option `nonInteractive` applies them; use this constant to compose an environment
 * yourself.
 */
export const nonInteractiveEnv: Readonly<Record<string, string>>;

/** Where and with what a command runs. */
export interface EnvironmentOptions {
  /**
   * The working directory: a path or a `file:` URL, relative to `root`, or else to `process.cwd()`. Default:
   * that directory itself. As with `child_process`, the kernel resolves the path: `link/..` is the parent of
   * the link's target.
   */
  cwd?: string | URL | undefined;
  /**
   * The directory that must contain `cwd`, by real paths: symbolic links do not lead out of it. A path or a
   * `file:` URL, relative to `process.cwd()`. A `cwd` outside fails with `CWD_OUTSIDE`. `root` says where the
   * command starts, not what it may touch: it is not a sandbox. Default: none.
   */
  root?: string | URL | undefined;
  /**
   * Environment variables on top of the others; `undefined` removes a variable. Names have letters, digits
   * and `_`. As in execa.
   */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Whether the command inherits `process.env`, as it is at the call. Default true. As in execa. */
  extendEnv?: boolean | undefined;
  /**
   * Whether to add {@link nonInteractiveEnv}, which overrides `process.env` and is overridden by `env`, and
   * to remove from `process.env` what forces colours (`FORCE_COLOR`, `CLICOLOR_FORCE`) or names another
   * editor (`KUBE_EDITOR`). Default false.
   */
  nonInteractive?: boolean | undefined;
  /**
   * The program that reads the command:
   *
   * - `'auto'` (default): `/bin/zsh -c`, else `/bin/bash -lc`, else `sh -c` from PATH, as {@link bash};
   * - a path, which is called with `-c`; or a path and flags, such as
   *   `['/bin/bash', '-euo', 'pipefail', '-c']`;
   * - `false`: no shell. A string is split into words as a POSIX shell does it, without expansions.
   *
   * A command that is an array is a program and its arguments, and takes no other value than `false`.
   *
   * A command above 131,071 bytes needs a POSIX shell by its usual name; any other program fails with
   * `E2BIG`.
   */
  shell?: 'auto' | (string & {}) | readonly string[] | false | undefined;
}
