import { object } from '../options/checks.mjs';
import { isSignal, unknownSignal } from '../options/command/signals.mjs';
import { directories } from '../options/surroundings/directories.mjs';
import { KeptState } from './kept-state.mjs';
import { LiveShell } from './live-shell.mjs';
import { checkSession, checkSessionRun, checkSessionStart } from './session-options.mjs';

let nextId = 1;

class ShellSession {
  id = `session-${nextId++}`;
  #plan;
  #shell;
  #closing = null;

  constructor(options) {
    this.#plan = { ...checkSession(options), id: this.id };
    this.#shell = this.#plan.keep === 'state' ? new KeptState(this.#plan) : new LiveShell(this.#plan);
  }

  get pid() {
    return this.#shell.status().pid ?? null;
  }

  get cwd() {
    return this.#shell.status().cwd ?? null;
  }

  get state() {
    return this.#closing === null ? this.#shell.status().state : 'closed';
  }

  get pending() {
    return this.#shell.status().pending;
  }

  async run(command, options) {
    const plan = checkSessionRun(command, options, this.#plan.spec.surroundings.root);
    this.#admit();
    return this.#shell.run(plan);
  }

  start(command, options) {
    const plan = checkSessionStart(command, options, this.#plan.spec.surroundings.root);
    this.#admit();
    return this.#shell.start(plan);
  }

  interrupt(signal = 'SIGINT') {
    if (!isSignal(signal) || signal === 0) throw unknownSignal(signal);
    const wasRunning = this.#shell.interrupt(signal);
    if (wasRunning === null) throw unknownSignal(signal);
    return wasRunning;
  }

  async restart(options = {}) {
    object('options', options, ['cwd']);
    this.#refuseIfClosed();
    const { root } = this.#plan.spec.surroundings;
    const cwd = options.cwd === undefined ? undefined : directories(options.cwd, root).cwd;
    await this.#shell.restart(cwd, root);
  }

  close() {
    this.#closing ??= this.#shell.close();
    return this.#closing;
  }

  ref() {
    this.#shell.ref(true);
    return this;
  }

  unref() {
    this.#shell.ref(false);
    return this;
  }

  async [Symbol.asyncDispose]() {
    await this.close();
  }

  /** Throws if no command can be added. */
  #admit() {
    this.#refuseIfClosed();
    const { maxQueue } = this.#plan;
    if (this.#shell.waiting() > maxQueue) {
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
