// The state of the guardian, and the messages of `node:diagnostics_channel`.

import { theBinding } from './addon/binding.ts';
import type { RunStatus } from './result/api.ts';
import type { SignalName } from './result/output-api.ts';

/**
 * The state of the guardian, the process that ends all commands when Node.js is killed. Part of
 * {@link diagnostics}.
 */
export interface GuardianDiagnostics {
  /**
   * - `idle`: no command has been started yet; the guardian starts with the first one.
   * - `starting`: the guardian is being started.
   * - `running`: the guardian watches. On Windows always: the kernel ends the commands there.
   * - `stopped`: the guardian was killed, or the system had no process for it. It starts again within a
   *   second, or with the next command.
   * - `missing`: its program is missing or can't be run; see `error`. Commands still run. If Node.js is
   *   killed by SIGKILL, the process of each command ends on Linux, but processes that it started may keep
   *   running.
   */
  state: 'idle' | 'starting' | 'running' | 'stopped' | 'missing';
  /**
   * The path of the helper program, which is beside the addon: that of the guardian, or of Ctrl-C on Windows.
   */
  path: string;
  /**
   * The error that keeps the guardian from running, or on Windows the helper from sending Ctrl-C; or `null`.
   * The code is `HELPER_MISSING` (missing, not executable, or for another processor), `HELPER_VERSION` (of
   * another version than the addon), or that of the system, such as `EAGAIN`.
   */
  error: { code: string; message: string } | null;
}

export interface Diagnostics {
  guardian: GuardianDiagnostics;
}

/**
 * Returns the state of the guardian of this process. Starts nothing and does not wait.
 *
 * @example
 * const { state, error } = diagnostics().guardian;
 * if (error !== null) console.error(error.code, error.message);
 */
export function diagnostics(): Diagnostics {
  const { state, path, error } = theBinding().guardian();
  return { guardian: { state, path, error: error ?? null } };
}

/**
 * The message of the channel `agent-bash:command:start` of `node:diagnostics_channel`: a command was started.
 * Published in the asynchronous context of the caller. It never has output, input or environment.
 */
export interface CommandStartMessage {
  /** The id of the command, unique within the main thread or worker: that of its job, if there is one. */
  id: string;
  command: string;
  /** The id of the {@link ShellSession}, for a command of one. */
  sessionId?: string | undefined;
  /** The dialect, the name of the tool and the SDK's id of the call, for a command of a tool. */
  dialect?: string;
  tool?: string;
  callId?: string | undefined;
}

/**
 * The message of the channel `agent-bash:command:end`: a command of which the start was published is over.
 */
export interface CommandEndMessage extends CommandStartMessage {
  cwd: string;
  status: RunStatus;
  exitCode: number | null;
  signal: SignalName | null;
  pid: number | null;
  durationMs: number;
  /** The code of the result's `error`, or `null`. */
  errorCode: string | null;
}
