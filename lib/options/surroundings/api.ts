// The surroundings of a command: its directory, environment, shell, limits, sandbox and machine.

import type { Credentials } from '../../credentials/api.ts';
import type { LoginState } from '../../login-state/api.ts';
import type { Overlay } from '../../overlay/api.ts';
import type { Target, TargetOptions } from '../../target/api.ts';
import type { OnPrompt } from './prompt-api.ts';
import type { InheritanceOptions, SandboxLevel, SandboxOptions } from './sandbox-api.ts';

/** The options that a caller sets once for all of its commands. */
export interface Surroundings {
  /**
   * The working directory: a path or a `file:` URL, relative to `root`, or else to `process.cwd()`. Default:
   * that directory itself. As with `child_process`, the kernel resolves the path: `link/..` is the parent of
   * the link's target.
   */
  cwd?: string | URL | undefined;
  /**
   * The directory that must contain `cwd`, by real paths: symbolic links do not lead out of it. A path or a
   * `file:` URL, relative to `process.cwd()`. A `cwd` outside fails with `CWD_OUTSIDE`. `root` says where the
   * command starts, not what it may touch: that is the option `sandbox`. Default: none.
   */
  root?: string | URL | undefined;
  /**
   * Environment variables on top of the others; `undefined` removes a variable. A name is not empty and
   * has no `=` and no NUL. As in execa.
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
   * - `'auto'` (default): `/bin/bash -c`, else `sh -c` from PATH. It reads no start files; {@link bash} has a
   *   shell of its own;
   * - a path, which is called with `-c`, and `cmd.exe` with `/d /s /c`; or a path and flags, such as
   *   `['/bin/bash', '-euo', 'pipefail', '-c']`;
   * - `false`: no shell. A string is split into words as a POSIX shell does it, without expansions.
   *
   * A command that is an array is a program and its arguments, and takes no other value than `false`.
   *
   * A command above 131,071 bytes needs a POSIX shell by its usual name; any other program fails with
   * `E2BIG`.
   */
  shell?: 'auto' | (string & {}) | readonly string[] | false | undefined;
  /**
   * Which variables of `process.env` the command inherits. Variables of `env` always pass, except those that
   * a session's shell never gets (docs/sessions.md). Default: all, in a sandbox all but those that look like
   * secrets.
   */
  environment?: InheritanceOptions | undefined;
  /** Resource limits of each process (`setrlimit`), by default those of Node.js; `tree` for all together. */
  limits?: LimitOptions | undefined;
  /**
   * Limits that the kernel enforces: what the command may write, read and reach. Needs `root`. Linux only.
   * A session has one sandbox for each of its shells. Default: none. See docs/sandbox.md.
   *
   * A command whose sandbox can't be built does not run: its `error.code` is `SANDBOX_UNAVAILABLE`,
   * `SANDBOX_PROTECTED`, `SANDBOX_PATH` or `SANDBOX_SOCKET`.
   */
  sandbox?: SandboxLevel | SandboxOptions | false | undefined;
  /**
   * Credentials that requests to hosts with rules get on their way (`sandbox.network.allow`), while the
   * command has placeholders. Each has to be named by a rule. Linux only; rules need the package
   * `agent-bash-interceptor`, else the code is `INTERCEPTOR_MISSING`. Not with `target`
   * (`ERR_FEATURE_UNAVAILABLE`). Default: none. See docs/credentials.md.
   */
  credentials?: Credentials | undefined;
  /**
   * Where else commands run: a {@link Target}, or the options of one that lives for this call, session or
   * toolset. Default: this machine. `cwd` and `root` are paths there, or below the workspace of a container
   * here; `cwd` is by default the directory in which the shell there starts. Of the environment, only `env`
   * and `nonInteractive` are sent. Timeouts count from the start of the command; connecting has a timeout of
   * its own. `pid` and `backgroundPids` are pids there: don't pass them to `process.kill()`.
   *
   * Not with `onHostExit: 'leave'`, which contradicts it, nor with `sandbox`, `environment`,
   * `onWaiting`, `pipeStatus` and a session's `keep: 'state'`: the code is `ERR_FEATURE_UNAVAILABLE`. See
   * docs/targets.md.
   */
  target?: Target | TargetOptions | undefined;
  /**
   * The overlay in which the command runs: it keeps changes apart from the directory until {@link
   * Overlay.commit}. `root` is that of the overlay, and `sandbox` is `'workspace-write'` by default;
   * `'isolated'` works too. A command whose overlay can't be mounted does not run: its `error.code` is
   * `SANDBOX_UNAVAILABLE`. Default: none. See docs/overlays.md.
   */
  overlay?: Overlay | undefined;
  /**
   * The aliases, functions and options of the user's login shell, as {@link loginState} has read them: each
   * shell of the command's own reads them before the command. The shell is that of the state by default, and
   * must be one of its kind. In place of `BASH_ENV` (`ZDOTDIR` in zsh). A state and not `true`: a job starts
   * at once, and start files may take seconds. Default: none. Not with `target`, whose shell can't read a
   * file of this machine: the code is `ERR_FEATURE_UNAVAILABLE`.
   */
  startState?: LoginState | undefined;
  /**
   * The secret values that are replaced in all that agent-bash gives out about the command: its output in
   * results, chunks, views, screens, files and recordings, and texts such as errors and decisions. A value is
   * shown as `[redacted:NAME]`, and with `encoding: 'buffer'` as asterisks. Default: none; the tools of
   * `agent-bash/tools` replace the values of variables that look secret. See docs/secrets.md.
   */
  redact?: RedactOptions | undefined;
  /**
   * Asks a person when a program of the command asks for a password, a name or a confirmation: `sudo -A`,
   * `ssh`, `git`, and whatever else uses `SUDO_ASKPASS`, `SSH_ASKPASS` or `GIT_ASKPASS`. These variables, and
   * `SSH_ASKPASS_REQUIRE=force`, lead to this function; one that `env` sets stays as it is. At most 5 prompts
   * of a command, 120 seconds each. A timeout that ends the command, and its idle timeout, stand still while
   * a prompt is open. An answer of at least 6 bytes to a `'password'` or `'text'` is shown as
   * `[redacted:answer]` from then on. Default: nobody is asked, and the variables are as they were. Linux
   * only, and not with `target`: the code is `ERR_FEATURE_UNAVAILABLE`. See docs/prompts.md.
   */
  onPrompt?: OnPrompt | undefined;
}

/**
 * The secret values: at most 256, 64 KiB together. A value is found as it is, and in the forms in which
 * programs print it (docs/secrets.md lists them), however writes split it.
 */
export interface RedactOptions {
  /**
   * The values, by the names in their marks: up to 64 letters, digits, `_`, `-` and `.`. A value has 6 to
   * 8,192 bytes.
   */
  values?: Readonly<Record<string, string>> | undefined;
  /**
   * Variables whose values are replaced, of `process.env` and `env`: those that look secret, or those of a
   * list of names, in which `*` stands for any part. Of an address, the password counts. A value below 8
   * bytes, a number, a path or a common word is left. Default `false`, in tools `'secrets'`.
   */
  environment?: 'secrets' | readonly string[] | false | undefined;
  /**
   * Detectors of secrets by their format: `'tokens'` for known formats and private keys, or rules of your
   * own, at most 64. Default: none.
   */
  rules?: readonly ('tokens' | RedactRule)[] | undefined;
}

/** A format of secrets. A match lies within a line. */
export interface RedactRule {
  /** The name in marks. */
  name: string;
  /** The text with which each match begins (4 to 256 bytes). */
  literal: string;
  /** The whole match, from the literal on, in the syntax of Rust's `regex-lite`: no look-around. */
  pattern: string;
  /** The longest match (bytes), at most 4,096. */
  max: number;
}

/**
 * Reads the environment that the user's login shell has at a terminal, as `shell-env` does: for applications
 * that start from the Finder, the Dock or a desktop, whose `process.env` lacks what start files set, such as
 * PATH. Pass it to commands as `env`.
 *
 * The shell reads its start files, without a terminal and with an empty standard input. What they print does
 * not matter. A shell that start files of a terminal end, or replace by another one, starts again without
 * them. Environments are read once for each shell; a failure is not kept. `PWD`, `OLDPWD`, `SHLVL` and
 * `_` are those of Node.js.
 *
 * @returns the variables, in a new object for each call
 * @throws an error with the code `LOGIN_ENVIRONMENT` if the shell is missing or prints no environment in time
 *
 * @example
 * const env = await loginEnvironment().catch(() => process.env);
 * await run('npm test', { env, extendEnv: false });
 */
export declare function loginEnvironment(options?: LoginEnvironmentOptions): Promise<Record<string, string>>;

export interface LoginEnvironmentOptions {
  /** The path of the shell. Default: that of the user's entry in the system, else `SHELL`, else `/bin/sh`. */
  shell?: string | undefined;
  /** The longest time for the shell and its start files (ms). Default 10,000; 0: no limit. */
  timeout?: number | undefined;
}

/**
 * Resource limits for each process of a command, as of `setrlimit`. All are integers above 0, except `cpu`.
 */
export interface LimitOptions {
  /** Address space (bytes): `RLIMIT_AS`. */
  memory?: number | undefined;
  /** Processes and threads of the user in total: `RLIMIT_NPROC`. Not enforced for root. */
  processes?: number | undefined;
  /** The size of a written file (bytes): `RLIMIT_FSIZE`. A write beyond it raises SIGXFSZ. */
  fileSize?: number | undefined;
  /**
   * Processor time (ms, rounded up to seconds): `RLIMIT_CPU`. At the limit SIGXCPU, a second later SIGKILL.
   */
  cpu?: number | undefined;
  /** Open descriptors: `RLIMIT_NOFILE`. */
  openFiles?: number | undefined;
  /**
   * Limits of all processes of the command together, by a cgroup (Linux). See docs/limits.md. Default: none,
   * and no cgroup is touched. Not with a `target` (`ERR_FEATURE_UNAVAILABLE`).
   */
  tree?: TreeLimits | undefined;
}

/**
 * Limits of all processes that a command starts, taken together, as of cgroups of version 2. They hold from
 * the first instruction on. In a session they are those of the shell with all of its commands.
 */
export interface TreeLimits {
  /**
   * Memory with its page cache (bytes, at least 1). Above it the kernel ends all processes at once, and the
   * result has the error `OUT_OF_MEMORY`.
   */
  memory?: number | undefined;
  /** Swap (bytes). Default: 0 with `memory`, else no limit. */
  swap?: number | undefined;
  /** Processes and threads (1 to 4,194,304), also of root. One more is refused (`EAGAIN`). */
  processes?: number | undefined;
  /** Processors, such as 1.5 (0.01 to 10,000). Processes wait when they have used their part of 100 ms. */
  cpus?: number | undefined;
  /** The share of the processors while others want them too (1 to 10,000). Others have 100. */
  cpuWeight?: number | undefined;
  /** Bytes in each second from and to the device of the working directory, which must be a block device. */
  io?: { read?: number | undefined; write?: number | undefined } | undefined;
  /**
   * The absolute path of a directory of cgroups that was prepared for the commands of this process. Default:
   * the variable `AGENT_BASH_CGROUP` of Node.js; without that, a scope of systemd, if it has cgroups of
   * version 2 only.
   */
  cgroup?: string | undefined;
  /**
   * The effect of a limit that can't be applied: nothing runs, and the result has the error
   * `LIMITS_UNAVAILABLE` (`'fail'`, default); or the command runs, and `result.limits.missing` names it
   * (`'weaker'`).
   */
  onUnavailable?: 'fail' | 'weaker' | undefined;
}
