/// <reference types="node" />
// Where else a command runs: a container, a machine that ssh reaches, anything behind a program.

/**
 * The options of a target. Exactly one of `container`, `ssh` and `exec`. See docs/targets.md.
 *
 * The first command connects: a shell there starts the helper program of agent-bash, which is copied to
 * `~/.cache/agent-bash` once. All further commands use the same connection. The machine there must run Linux
 * on the processor of this one.
 */
export interface TargetOptions {
  /** A container that runs already, and stays as it is: `podman exec -i NAME`. */
  container?: { name: string; engine?: 'podman' | 'docker' | (string & {}) | undefined } | undefined;
  /** A machine that the user's `ssh` reaches, with the user's configuration and without any question. */
  ssh?: SshOptions | undefined;
  /**
   * Any program that executes the words after its own arguments there, and carries their standard input and
   * output: `['kubectl', 'exec', '-i', 'POD', '--']`. `join: true` for one that joins its words to a line for a
   * shell, as `ssh` does. It must not use a terminal.
   */
  exec?: readonly string[] | { argv: readonly string[]; join: boolean } | undefined;
  /** The longest time until the helper has answered (ms). Default 15,000. */
  connectTimeout?: number | undefined;
  /** The connection ends this long after the last command (ms). Default 60,000. */
  idle?: number | undefined;
  /**
   * The signs of life of both sides (ms). A side that hears nothing for `deadline` gives the other one up:
   * here, the commands fail with `TARGET_LOST`; there, their processes are killed. Default: `interval` 3,000,
   * `deadline` 10,000, which must be at least twice the interval.
   */
  heartbeat?: { interval?: number | undefined; deadline?: number | undefined } | undefined;
}

/** A machine that `ssh` reaches. No option here weakens the check of host keys. */
export interface SshOptions {
  /** A name or address, or a `Host` of the configuration. */
  host: string;
  user?: string | undefined;
  port?: number | undefined;
  /** The file of a private key, which is the only one that is tried. */
  identity?: string | undefined;
  /** A configuration file, instead of the user's. */
  config?: string | undefined;
  /** Further options, as in that file. */
  options?: Readonly<Record<string, string>> | undefined;
}

/**
 * A target that commands share. It connects with its first command, and again after a connection was lost.
 *
 * @example
 * await using target = new Target({ ssh: { host: 'build' } });
 * const { stdout } = await run('uname -a', { target });
 *
 * @throws a TypeError of the constructor for options that can't be used
 */
export class Target implements AsyncDisposable {
  constructor(options: TargetOptions);
  /**
   * Kills the target's commands, which fail with `TARGET_CLOSED`, and ends the connection. Resolves when that is
   * done, or 2 s later if the transport does not end. Further commands fail. Idempotent.
   */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Where a command ran. */
export interface TargetReport {
  kind: 'container' | 'ssh' | 'exec';
  /** The name of the container. */
  container: string | null;
  /** How long connecting took (ms); `null` for a command that found the connection open. */
  connectMs: number | null;
  /** The size of the helper program, if it was copied for this command (bytes). */
  copiedBytes: number;
  /** The clock there minus the clock here (ms), when the connection began. */
  skewMs: number;
}
