import { object } from '../options/checks.mjs';
import { isSignal, unknownSignal } from '../options/command/signals.mjs';
import { rest } from '../support/rest.mjs';

let nextId = 1;

/**
 * A session. `#kept` is what stays between its commands, by the option `keep`: the shell's process, or its
 * state.
 */
class ShellSession {
  id = `session-${nextId++}`;
  #plan;
  #kept;
  #closing = null;

  constructor(options) {
    const { checkSession, KeptProcess, KeptState } = rest();
    this.#plan = { ...checkSession(options), id: this.id };
    this.#kept = this.#plan.keep === 'state' ? new KeptState(this.#plan) : new KeptProcess(this.#plan);
  }

  get pid() {
    return this.#kept.status().pid ?? null;
  }

  get cwd() {
    return this.#kept.status().cwd ?? null;
  }

  get state() {
    return this.#closing === null ? this.#kept.status().state : 'closed';
  }

  get pending() {
    return this.#kept.status().pending;
  }

  async run(command, options) {
    const plan = rest().checkSessionRun(command, options, this.#plan.root);
    this.#admit();
    return this.#kept.run(plan);
  }

  start(command, options) {
    const plan = rest().checkSessionStart(command, options, this.#plan.root);
    this.#admit();
    return this.#kept.start(plan);
  }

  interrupt(signal = 'SIGINT') {
    if (!isSignal(signal) || signal === 0) throw unknownSignal(signal);
    const wasRunning = this.#kept.interrupt(signal);
    if (wasRunning === null) throw unknownSignal(signal);
    return wasRunning;
  }

  async restart(options = {}) {
    object('options', options, ['cwd']);
    this.#refuseIfClosed();
    const { root } = this.#plan.spec.surroundings;
    const cwd = options.cwd === undefined ? undefined : this.#plan.startDirectory(options.cwd);
    await this.#kept.restart(cwd, root);
  }

  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  ref() {
    this.#kept.ref(true);
    return this;
  }

  unref() {
    this.#kept.ref(false);
    return this;
  }

  async [Symbol.asyncDispose]() {
    await this.close();
  }

  async #close() {
    const output = await this.#kept.close();
    // A target that was given as plain options lives for this session alone.
    await this.#plan.ownTarget?.dispose();
    return output;
  }

  /** Throws if no command can be added. */
  #admit() {
    this.#refuseIfClosed();
    const { maxQueue } = this.#plan;
    if (this.#kept.waiting() > maxQueue) {
      throw withCode('SESSION_QUEUE', `More than ${maxQueue} commands would wait in ${this.id}`);
    }
  }

  #refuseIfClosed() {
    if (this.#closing !== null) throw withCode('SESSION_CLOSED', `${this.id} has been closed`);
  }
}

function withCode(code, message) {
  const error = new Error(message);
  error.code = code;
  return error;
}

export { ShellSession };
