import type { Job } from '../job/job.ts';
import type { Recording } from '../live/record/api.ts';
import { scopes } from '../observe/observers.ts';
import { object } from '../options/checks.ts';
import { isSignal, unknownSignal } from '../options/command/signals.ts';
import { redacted } from '../redact/redacted.ts';
import { codedError } from '../support/coded-error.ts';
import { onDemand } from '../support/on-demand.ts';
import type { ShellSession as PublicSession, SessionResult } from './api.ts';
import type { SessionKind } from './session-command.ts';
import type { SessionPlan } from './session-options.ts';

let nextId = 1;

/**
 * A session. `#kept` is what stays between its commands, by the option `keep`: the shell's process, or its
 * state.
 */
class ShellSession {
  readonly id: string = `session-${nextId++}`;
  #plan: SessionPlan;
  #kept: SessionKind;
  #closing: ReturnType<PublicSession['close']> | null = null;

  constructor(options?: unknown) {
    const { checkSession, KeptProcess, KeptState } = onDemand();
    this.#plan = { ...checkSession(options), id: this.id };
    scopes.set(this, this.#plan.observers);
    this.#kept = this.#plan.keep === 'state' ? new KeptState(this.#plan) : new KeptProcess(this.#plan);
  }

  get pid(): number | null {
    return this.#kept.status().pid ?? null;
  }

  get cwd(): string | null {
    return this.#kept.status().cwd ?? null;
  }

  get state(): PublicSession['state'] {
    return this.#closing === null ? (this.#kept.status().state as PublicSession['state']) : 'closed';
  }

  get pending(): number {
    return this.#kept.status().pending;
  }

  get recording(): Recording | null {
    return this.#plan.active?.recording ?? null;
  }

  async run(command: unknown, options?: unknown): Promise<SessionResult> {
    const plan = onDemand().checkSessionRun(command, options, this.#plan);
    this.#admit();
    return this.#kept.run(plan);
  }

  start(command: unknown, options?: unknown): Job {
    const plan = onDemand().checkSessionStart(command, options, this.#plan);
    this.#admit();
    return this.#kept.start(plan);
  }

  interrupt(signal: string | number = 'SIGINT'): boolean {
    if (!isSignal(signal) || signal === 0) throw unknownSignal(signal);
    const wasRunning = this.#kept.interrupt(signal);
    if (wasRunning === null) throw unknownSignal(signal);
    return wasRunning;
  }

  async restart(given: { cwd?: string | URL | undefined } = {}): Promise<void> {
    const options = object('options', given, ['cwd']);
    this.#refuseIfClosed();
    const { root } = this.#plan.spec.surroundings;
    const cwd = options.cwd === undefined ? undefined : this.#plan.startDirectory(options.cwd);
    await this.#kept.restart(cwd, root);
  }

  close(): ReturnType<PublicSession['close']> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  ref(): this {
    this.#kept.ref(true);
    return this;
  }

  unref(): this {
    this.#kept.ref(false);
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): ReturnType<PublicSession['close']> {
    const output = redacted(await this.#kept.close(), this.#plan.redactor);
    // A target that was given as plain options lives for this session alone.
    await this.#plan.ownTarget?.dispose();
    await this.#plan.active?.close();
    return output;
  }

  /** Throws if no command can be added. */
  #admit(): void {
    this.#refuseIfClosed();
    const { maxQueue } = this.#plan;
    if (this.#kept.waiting() > maxQueue) {
      throw codedError('SESSION_QUEUE', `More than ${maxQueue} commands would wait in ${this.id}`);
    }
  }

  #refuseIfClosed(): void {
    if (this.#closing !== null) throw codedError('SESSION_CLOSED', `${this.id} has been closed`);
  }
}

export { ShellSession };
