// Where else a command runs: in a container, on a machine that ssh reaches, or behind any other program.

import type { RunError } from '../result/api.ts';
import type {
  TargetCopyOptions,
  TargetCopyReport,
  TargetEntry,
  TargetFileOptions,
  TargetReadOptions,
  TargetStats,
  TargetWriteOptions,
} from './files-api.ts';
import type { PortForward, PortOptions, ReversePortOptions } from './ports-api.ts';

/**
 * The options of a target. Exactly one of `container`, `ssh` and `exec`. See docs/targets.md.
 *
 * The first command connects: a shell there starts the helper program of agent-bash, which is copied to
 * `~/.cache/agent-bash` once. All further commands use the same connection. The helper needs Linux and the
 * processor of this machine, or of a further package (docs/targets.md); where it can't run, see
 * {@link TargetOptions.helper}.
 */
export interface TargetOptions {
  /** A container: one that runs already, or one that is made for this target and removed with it. */
  container?: RunningContainer | OwnContainer | undefined;
  /** A machine that the user's `ssh` reaches, with the user's configuration and without any question. */
  ssh?: SshOptions | undefined;
  /**
   * Any program that executes the words after its own arguments there, and carries their standard input and
   * output: `['kubectl', 'exec', '-i', 'POD', '--']`. `join: true` for one that joins its words to a line for
   * a shell, as `ssh` does. `name` is what errors and models call the target. It must not use a terminal.
   */
  exec?:
    | readonly string[]
    | { argv: readonly string[]; join: boolean; name?: string | undefined }
    | undefined;
  /**
   * The behaviour where the helper can't run: on another system or processor, or where no directory can hold
   * and execute it. `'auto'`: the shell there runs the commands, each by a transport of its own, with fewer
   * features ({@link TargetReport.missing}). `'require'`: commands fail with `TARGET_PLATFORM` or
   * `TARGET_HELPER`, as they always do in a container that is made for the target. Default `'auto'`.
   */
  helper?: 'auto' | 'require' | undefined;
  /**
   * The longest time until the helper has answered, or else the shell (ms). While the helper is copied, it
   * counts from the last progress. Default 15,000.
   */
  connectTimeout?: number | undefined;
  /** The connection ends this long after the last command (ms). Default 60,000. */
  idle?: number | undefined;
  /**
   * The time between two signs of life of each side, and the silence after which a side gives the other one
   * up (ms): then the commands fail with `TARGET_LOST` here, and their processes are killed there. `deadline`
   * must be at least twice `interval`. Default: `interval` 3,000, `deadline` 10,000.
   */
  heartbeat?: { interval?: number | undefined; deadline?: number | undefined } | undefined;
}

/** The program of a container engine, or a list of it and its global arguments. */
export type ContainerEngine = 'podman' | 'docker' | (string & {}) | readonly string[];

/** A container that runs already, and stays as it is: `podman exec -i NAME`. */
export interface RunningContainer {
  name: string;
  /** Default: podman, or else docker, if it answers. */
  engine?: ContainerEngine | undefined;
  image?: undefined;
}

/**
 * A container that is made for a target, and removed with it or with Node.js. It has no capabilities, and the
 * helper program of agent-bash as its main process. When it is lost, the next command has a new one.
 */
export interface OwnContainer {
  /** An image that is here already; see `pull`. Its entry point and health checks do not run. */
  image: string;
  /** Default: podman, or else docker, if it answers. */
  engine?: ContainerEngine | undefined;
  /** `'missing'` downloads an image that is not here, within `connectTimeout`. Default `'never'`. */
  pull?: 'never' | 'missing' | undefined;
  /**
   * The absolute path of the directory here that is `/workspace` there, where commands start; `false` for
   * none. Default: `root` for options that are given with a command or toolset, none for a {@link Target}.
   */
  workspace?: string | false | undefined;
  /**
   * Paths below the workspace that the kernel keeps read-only there; `*` stands for any part of a name. A
   * missing one is created as a directory, and removed at the end if it is empty. A path that matches a
   * pattern but is created after the start of the container stays writable. The directories above one can't
   * be renamed or removed there. Default: none; in a toolset of the dialect `agentrail`, `['memo']`.
   */
  protected?: readonly string[] | undefined;
  /**
   * Further directories or files of this machine, by absolute paths. One at a protected path or below it is
   * read-only; a protected path below a writable one is an error (`TARGET_START`). The directories of the
   * workspace above a read-only one can't be renamed or removed there.
   */
  mounts?: readonly { source: string; target: string; readOnly?: boolean | undefined }[] | undefined;
  /** A network of the engine. Default `'none'`. */
  network?: 'none' | (string & {}) | undefined;
  /**
   * The user of the commands: the one of Node.js, so that new files of the workspace belong to it, the one of
   * the image, or another (`'1000:1000'`). Default `'self'`.
   */
  user?: 'self' | 'image' | (string & {}) | undefined;
  /** Variables in addition to those of the image. `HOME` is `/tmp`. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Whether the root file system is read-only. Default `true`. */
  readOnlyRoot?: boolean | undefined;
  /** The most memory of all processes together, without swap (bytes). Default 2 GiB. */
  memory?: number | undefined;
  /** The most processes. Default 1,024. */
  pids?: number | undefined;
  /** The number of processors, such as 1.5. Default: no limit. */
  cpus?: number | undefined;
  /** The size of `/tmp` (bytes), at most half of `memory`: its files are memory. Default 1 GiB. */
  tmp?: number | undefined;
  /**
   * The effect if the engine does not apply `memory` or `pids`, as rootless podman with cgroup v1: commands
   * fail with `TARGET_LIMITS`, or run without the limit and `result.target.missing` has `'limits'`. Default
   * `'fail'`.
   */
  onLimitUnavailable?: 'fail' | 'ignore' | undefined;
  name?: undefined;
}

/** A machine that `ssh` reaches. The check of host keys is that of the user's configuration. */
export interface SshOptions {
  /** A name or address, or a `Host` of the configuration. */
  host: string;
  user?: string | undefined;
  port?: number | undefined;
  /**
   * The file of a private key. Beside it, ssh tries the keys that its configuration names for the host, but
   * no other key of an agent.
   */
  identity?: string | undefined;
  /** A configuration file, instead of the user's. */
  config?: string | undefined;
  /**
   * Further options of `ssh_config`, by name. Refused are options that agent-bash sets itself, such as
   * `BatchMode`, and those that decide which host keys are accepted, such as `StrictHostKeyChecking`: these
   * belong into a configuration file.
   */
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
export declare class Target implements AsyncDisposable {
  constructor(options: TargetOptions);
  /**
   * Returns a target in the container of a service of docker compose, which runs already: `docker compose
   * exec -T SERVICE`.
   *
   * @throws a TypeError for options that can't be used
   */
  static compose(service: string, options?: ComposeOptions): Target;
  /**
   * Returns a target in a pod of Kubernetes: `kubectl exec -i POD`. With a selector, each connection finds
   * the newest running pod.
   *
   * @throws a TypeError for options that can't be used
   */
  static pod(options: PodOptions): Target;
  /**
   * Returns a target in the dev container of a folder of this machine, which runs already. Each connection
   * finds it by its label `devcontainer.local_folder`. Commands start in the folder's place there.
   *
   * @throws a TypeError for options that can't be used
   */
  static devcontainer(folder: string, options?: DevcontainerOptions): Target;
  /**
   * The state of the connection. `'new'`: there is none, because no command has needed one yet, or the last
   * one ended after `idle`. `'lost'`: the last one failed; the next command connects again. `'closed'`:
   * `dispose()` was called.
   */
  readonly state: 'new' | 'connecting' | 'open' | 'closed' | 'lost';
  /**
   * Connects, runs some commands, and reports on the target. Resolves also if the target can't be reached.
   */
  probe(options?: { signal?: AbortSignal | undefined }): Promise<TargetProbe>;
  /**
   * Listens on this machine, and connects each connection to `port` on the target: a number, or the absolute
   * path of a UNIX socket there. Bytes, the ends of both directions and resets pass through the connection of
   * the target; where nothing listens there, a connection here is reset.
   *
   * @example
   * await using web = await target.forward(3000);
   * await fetch(`http://${web.host}:${web.port}/`);
   *
   * @throws a TypeError for an option that can't be used; an error with the code of the system if the port
   * here can't be opened (`EADDRINUSE`), of the target if it can't be reached, or `ERR_FEATURE_UNAVAILABLE`
   * where no helper runs
   */
  forward(port: number | string, options?: PortOptions): Promise<PortForward>;
  /**
   * Listens on the target, and connects each connection there to `port` on this machine: a number, or the
   * absolute path of a UNIX socket here. Everything else is as for {@link Target.forward}.
   */
  reverse(port: number | string, options?: ReversePortOptions): Promise<PortForward>;
  /**
   * Reads a file there. Like all operations on files, it connects first if need be, needs no command, and is
   * no subject of policies and sandboxes.
   *
   * Errors are those of `node:fs/promises`, with `code`, `path` and `syscall`: `ENOENT`, `EACCES`, `EISDIR`.
   * Further codes: `PATH_OUTSIDE` (see {@link TargetFileOptions.root}), `NOT_A_FILE` for a pipe, a socket or
   * a device, and those of a target that can't be reached (docs/targets.md).
   *
   * @example
   * const text = (await target.read('/etc/os-release')).toString();
   */
  read(path: string | Uint8Array, options?: TargetReadOptions): Promise<Buffer>;
  /** Writes a file there, and creates it if it is missing. */
  write(path: string | Uint8Array, data: string | Uint8Array, options?: TargetWriteOptions): Promise<void>;
  /** Returns what is known of a file there. `followLinks: false` describes a symbolic link itself. */
  stat(
    path: string | Uint8Array,
    options?: TargetFileOptions & { followLinks?: boolean | undefined },
  ): Promise<TargetStats>;
  /** Lists a directory there, in the order of the bytes of the names. */
  list(path: string | Uint8Array, options?: TargetFileOptions): Promise<TargetEntry[]>;
  /**
   * Makes a directory there. With `recursive`, also those above it, and one that is there is no error.
   * `mode`: the permissions, exactly these; by default what the umask there leaves of `0o777`.
   */
  mkdir(
    path: string | Uint8Array,
    options?: TargetFileOptions & { recursive?: boolean | undefined; mode?: number | undefined },
  ): Promise<void>;
  /**
   * Removes a file, a symbolic link or an empty directory there; with `recursive`, a directory with
   * everything in it. With `force`, a missing one is no error.
   */
  remove(
    path: string | Uint8Array,
    options?: TargetFileOptions & { recursive?: boolean | undefined; force?: boolean | undefined },
  ): Promise<void>;
  /**
   * Copies a file or a directory of this machine to a path there: with permissions (without set-user-ID,
   * set-group-ID and sticky), times, symbolic links, hard links and holes. A directory that is there keeps
   * its other entries. Missing directories above are made. No symbolic link below either path is followed,
   * and `there` names the copy itself.
   *
   * Goes on where it was when the connection is lost and another one can be opened; so does a later copy of a
   * file that has not changed since. An abort or an error of a file removes a partial copy. After a lost
   * connection, it is left for a later copy to go on: `error.partial` is its path.
   *
   * @throws as {@link Target.read}; `FILE_CHANGED` for a file that changes again and again meanwhile
   */
  copyTo(
    local: string | Uint8Array,
    there: string | Uint8Array,
    options?: TargetCopyOptions,
  ): Promise<TargetCopyReport>;
  /** Copies from the target to this machine, as {@link Target.copyTo} does. Writes below `local` only. */
  copyFrom(
    there: string | Uint8Array,
    local: string | Uint8Array,
    options?: TargetCopyOptions,
  ): Promise<TargetCopyReport>;
  /**
   * Kills the target's commands, which fail with `TARGET_CLOSED`, ends the connection, and removes a
   * container that was made. Resolves when that is done, or 2 s later if the transport does not end (22 s for
   * a container). Further commands fail. Idempotent.
   */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The options of a target that the presets take too. */
export type TargetPresetOptions = Omit<TargetOptions, 'container' | 'ssh' | 'exec'>;

/** Options of {@link Target.compose}. */
export interface ComposeOptions extends TargetPresetOptions {
  /** The program, or a list of it and its arguments: `'podman-compose'`. Default `['docker', 'compose']`. */
  program?: string | readonly string[] | undefined;
  /** The compose files (`-f`). Default: what the program finds in the directory of Node.js. */
  file?: string | readonly string[] | undefined;
  /** The name of the project (`-p`). */
  project?: string | undefined;
  /** The user of the commands. Default: that of the service. */
  user?: string | undefined;
  /** The number of the container, of a service with several. Default: the program's, usually 1. */
  index?: number | undefined;
}

/** Options of {@link Target.pod}. Exactly one of `name` and `selector`. */
export interface PodOptions extends TargetPresetOptions {
  /** The program, or a list of it and its arguments. Default `'kubectl'`. */
  program?: string | readonly string[] | undefined;
  /** The name of the pod, or `deploy/NAME` and the like. */
  name?: string | undefined;
  /** The labels of the pod: `'app=web'`. */
  selector?: string | undefined;
  /** Default: that of the context. */
  namespace?: string | undefined;
  /** Default: the first container of the pod, or the one that it names as its default. */
  container?: string | undefined;
  /** The context of the configuration. Default: the current one. */
  context?: string | undefined;
  /** The file of the configuration. */
  kubeconfig?: string | undefined;
}

/** Options of {@link Target.devcontainer}. */
export interface DevcontainerOptions extends TargetPresetOptions {
  /** The container engine, or a list of it and its arguments: `'podman'`. Default `'docker'`. */
  program?: string | readonly string[] | undefined;
  /** The user of the commands. Default: `remoteUser` of the dev container, or the container's own. */
  user?: string | undefined;
}

/** A report on a target, whose parts are `null` or empty if it can't be reached. See {@link Target.probe}. */
export interface TargetProbe {
  /** Whether commands run there. */
  ok: boolean;
  kind: 'container' | 'ssh' | 'exec';
  /** The program of the transport and its version; `null` if they are not known. */
  program: string | null;
  version: string | null;
  /** How the helper program got there: copied now, found in the cache, or mounted. `'sh'` without one. */
  supervisor: 'copied' | 'cached' | 'mounted' | 'sh' | null;
  /** Why it is `'sh'`. */
  reason: string | null;
  /** The size of the copy (bytes). */
  copied: number;
  /** The name of the system there, as `uname` says it. */
  system: string | null;
  machine: string | null;
  release: string | null;
  user: string | null;
  home: string | null;
  /** The paths of zsh, bash and sh. */
  shells: string[];
  /** The limits of the control group there (bytes, processes); `null` for none. */
  limits: { memory: number | null; pids: number | null };
  /** The features that commands lack, as in {@link TargetReport.missing}. */
  missing: TargetReport['missing'];
  /** The clock there minus the clock here (ms). */
  skewMs: number | null;
  /** The times of connecting, and of the next command (ms). */
  connectMs: number | null;
  nextMs: number | null;
  error: RunError | null;
}

/** Where a command ran. */
export interface TargetReport {
  kind: 'container' | 'ssh' | 'exec';
  /** The name of the container. */
  container: string | null;
  /** The program that runs the command there: the helper, or a shell. See {@link TargetOptions.helper}. */
  supervisor: 'helper' | 'sh';
  /** Why it is a shell; `null` for the helper. */
  reason: string | null;
  /** How long connecting took (ms); `null` for a command that found the connection open. */
  connectMs: number | null;
  /** The size of the helper program, if it was copied for this command (bytes). */
  copiedBytes: number;
  /** The clock there minus the clock here (ms), when the connection began; `null` without the helper. */
  skewMs: number | null;
  /**
   * The parts that a command there lacks; empty if it lacks none. `'limits'` alone: the engine did not apply
   * them. Without the helper all of these, but `'tree'` only where nothing there starts a process group:
   *
   * - `'signal'`: an exit code above 128 may be a signal; `signal` is `null`.
   * - `'daemons'`: processes in sessions of their own are not killed.
   * - `'tree'`: only the command itself is signalled, and not what it has started.
   * - `'stdin'`: no `stdin: 'pipe'`; `input` works.
   * - `'pty'`, `'limits'`, `'usage'`: none of them.
   * - `'background'`: `backgroundPids` is empty, and what a command leaves is killed when it is over.
   * - `'backpressure'`: while a program reads no output, its exit may be unknown.
   */
  missing: (
    | 'signal'
    | 'daemons'
    | 'tree'
    | 'stdin'
    | 'pty'
    | 'limits'
    | 'usage'
    | 'background'
    | 'backpressure'
  )[];
}
