// Mastra's interface of a workspace's sandbox, by its structure.

import type { Readable, Writable } from 'node:stream';
import type { CommandOptions } from '../../options/command/api.ts';

/** The options of {@link mastraSandbox}: those of `run()` that its commands have. */
export interface MastraSandboxOptions
  extends Pick<
    CommandOptions,
    | 'root'
    | 'cwd'
    | 'env'
    | 'extendEnv'
    | 'nonInteractive'
    | 'environment'
    | 'shell'
    | 'limits'
    | 'sandbox'
    | 'overlay'
    | 'target'
    | 'timeout'
    | 'policy'
    | 'approve'
  > {
  /** Default: a random one. */
  id?: string | undefined;
  /** Default `'agent-bash'`. */
  name?: string | undefined;
  /** The text for the agent about the sandbox. Default: where commands run, and within which limits. */
  instructions?: string | undefined;
}

export interface MastraCommandOptions {
  /** Milliseconds. Default: that of {@link MastraSandboxOptions}. */
  timeout?: number | undefined;
  env?: Record<string, string | undefined> | undefined;
  cwd?: string | undefined;
  onStdout?: ((data: string) => void) | undefined;
  onStderr?: ((data: string) => void) | undefined;
  abortSignal?: AbortSignal | undefined;
  /** The latest bytes of each stream that are kept. Default 1 MiB; of `executeCommand()` all. */
  maxRetainedBytes?: number | undefined;
}

export interface MastraSpawnOptions extends MastraCommandOptions {
  /** `'ignore'`: the standard input is empty. Default `'pipe'`. */
  stdinMode?: 'pipe' | 'ignore' | undefined;
}

export interface MastraCommandResult {
  command?: string;
  args?: string[];
  success: boolean;
  /** 124 after a timeout, 126 for a denied command, 127 if it could not start, 130 after an abort. */
  exitCode: number;
  stdout: string;
  stderr: string;
  executionTimeMs: number;
  timedOut?: boolean;
  killed?: boolean;
  stdoutTruncated?: boolean;
  stderrTruncated?: boolean;
  stdoutDroppedBytes?: number;
  stderrDroppedBytes?: number;
}

/** A process: a job. */
export interface MastraProcess {
  /** The id of the job. */
  readonly pid: string;
  readonly command: string;
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutTruncated: boolean;
  readonly stderrTruncated: boolean;
  readonly stdoutDroppedBytes: number;
  readonly stderrDroppedBytes: number;
  readonly reader: Readable;
  readonly writer: Writable;
  wait(
    options?: Pick<MastraCommandOptions, 'onStdout' | 'onStderr' | 'abortSignal'>,
  ): Promise<MastraCommandResult>;
  /** Ends the whole process tree. */
  kill(): Promise<boolean>;
  sendStdin(data: string): Promise<void>;
  closeStdin(): Promise<void>;
}

export interface MastraProcesses {
  spawn(command: string, options?: MastraSpawnOptions): Promise<MastraProcess>;
  list(): Promise<{ pid: string; command?: string; running: boolean; exitCode?: number | undefined }[]>;
  get(pid: string): Promise<MastraProcess | undefined>;
  kill(pid: string): Promise<boolean>;
  release(pid: string): void;
}

export interface MastraFile {
  path: string;
  content: string | Uint8Array;
  /** Permissions, from 0o001 to 0o777. */
  mode?: number | undefined;
}

/** The sandbox of a Mastra workspace. */
export interface MastraSandbox extends AsyncDisposable {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  status: 'pending' | 'running' | 'stopped' | 'destroyed';
  /**
   * The processes, as {@link MastraProcesses}. Mastra's own type is a class with protected members, which no
   * other type can have.
   */
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  readonly processes: any;
  start(): Promise<void>;
  /** Ends all processes, and a target that was given by its options. A later command starts it again. */
  stop(): Promise<void>;
  destroy(): Promise<void>;
  /** Does nothing. */
  snapshot(): Promise<void>;
  getInfo(): {
    id: string;
    name: string;
    provider: string;
    status: MastraSandbox['status'];
    createdAt: Date;
    lastUsedAt?: Date | undefined;
  };
  getInstructions(): string;
  /** Never rejects: a command that can't start, times out or is denied is a result. */
  executeCommand(
    command: string,
    args?: readonly string[],
    options?: MastraCommandOptions,
  ): Promise<MastraCommandResult>;
  /**
   * Writes files by commands of the sandbox, so within its limits; on a target over its connection. A policy
   * does not count.
   */
  writeFiles(
    files: readonly MastraFile[],
    options?: { abortSignal?: AbortSignal | undefined },
  ): Promise<void>;
}

/**
 * Creates the sandbox of a Mastra workspace: `new Workspace({ sandbox: mastraSandbox({ root, sandbox:
 * 'workspace-write' }) })`. Commands have the options of `run()`: sandbox, overlay, target, limits and policy
 * are this package's. Without any, it isolates nothing.
 *
 * @example
 * const workspace = new Workspace({ sandbox: mastraSandbox({ root: process.cwd() }) });
 */
export declare function mastraSandbox(options?: MastraSandboxOptions): MastraSandbox;
