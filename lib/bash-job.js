'use strict';

const { EventEmitter } = require('node:events');
const { TIMEOUT_MS } = require('./bash.js');
const { onAbort } = require('./abort.js');
const { ChunkIterator } = require('./chunk-iterator.js');
const { holdNode, letNodeGo, register, theHost, unregister } = require('./host.js');
const { checkJobOptions, describe } = require('./job-options.js');
const { messageOf, voiceCall } = require('./voice-call.js');

class BashJob extends EventEmitter {
  id;
  result;
  #call;
  #signal;
  #forgetSignal;
  #number;
  #state = 'starting';
  #pid = null;
  #settle;
  #holdsNode = true;
  #iterators = new Set();
  #isWanted = false;
  #isPaused = false;
  #refusal = null;
  #earlySignals = [];

  constructor(args, workspaceRoot, safeMode = false, options = {}) {
    super();
    const { timeout = TIMEOUT_MS, signal } = checkJobOptions(options);
    try {
      this.#call = voiceCall(args, workspaceRoot, safeMode, timeout === 0 ? undefined : timeout);
    } catch (error) {
      // Arguments that throw when they are looked at are wrong arguments like any other.
      this.#call = {};
      this.#refusal = refusedBecause(error);
    }
    this.#signal = signal;
    this.#number = register((event) => this.#hear(event));
    this.id = `job-${this.#number}`;
    this.result = new Promise((resolve) => {
      this.#settle = resolve;
    });
    holdNode();
    // In a microtask, so that listeners which are added in this turn miss nothing.
    queueMicrotask(() => this.#start());
  }

  get status() {
    return this.#state;
  }

  get pid() {
    return this.#pid ?? theHost().pid(this.#number);
  }

  kill(signal = 'SIGTERM') {
    if (!isSignal(signal)) throw unknownSignal(signal);
    const wasThere = theHost().kill(this.#number, signal);
    if (wasThere === null) throw unknownSignal(signal);
    if (this.#state !== 'starting') return wasThere;
    // There is no process yet. After a signal that ends a job there will be none; others wait for it.
    if (isDeadly(signal)) this.#refusal ??= stoppedBeforeItStarted();
    else if (signal !== 0) this.#earlySignals.push(signal);
    return true;
  }

  ref() {
    return this.#holdNode(true);
  }

  unref() {
    return this.#holdNode(false);
  }

  on(name, listener) {
    super.on(name, listener);
    this.#updateFlow();
    return this;
  }

  addListener(name, listener) {
    return this.on(name, listener);
  }

  prependListener(name, listener) {
    super.prependListener(name, listener);
    this.#updateFlow();
    return this;
  }

  [Symbol.asyncIterator]() {
    const iterator = new ChunkIterator(
      () => this.#updateFlow(),
      () => this.#iterators.delete(iterator),
    );
    if (this.#isOver()) {
      iterator.finish();
    } else {
      this.#iterators.add(iterator);
      this.#updateFlow();
    }
    return iterator;
  }

  async [Symbol.asyncDispose]() {
    if (!this.#isOver()) this.kill();
    await this.result;
  }

  #start() {
    if (this.#signal?.aborted) this.#refusal ??= stoppedBeforeItStarted();
    if (this.#refusal !== null) {
      this.#end(this.#refusal);
      return;
    }
    if (this.#signal) this.#forgetSignal = onAbort(this.#signal, () => theHost().abort(this.#number));
    this.#state = 'running';
    this.#isWanted = this.#hasConsumer();
    const refusal = theHost().start(this.#number, this.#call, this.#isWanted);
    if (refusal !== null) this.#end(refusal);
    for (const signal of this.#earlySignals) theHost().kill(this.#number, signal);
  }

  #hear({ kind, text, result }) {
    if (kind === 'end') {
      this.#end(result);
      return;
    }
    this.#tell('data', text, kind);
    for (const iterator of this.#iterators) iterator.push({ stream: kind, text });
    this.#updateFlow();
  }

  /** The one place where a job is over. */
  #end(native) {
    const result = runResult(native, this.#call);
    this.#pid = result.pid;
    this.#state = result.status;
    this.#forgetSignal?.();
    unregister(this.#number);
    this.#holdNode(false);
    this.#settle(result);
    for (const iterator of this.#iterators) iterator.finish();
    this.#iterators.clear();
    this.#tell('exit', result.exitCode, result.signal, result);
  }

  /** Like `emit`, but a listener that throws keeps nothing from the others: its error goes the uncaught way. */
  #tell(name, ...args) {
    for (const listener of this.rawListeners(name)) {
      try {
        Reflect.apply(listener, this, args);
      } catch (error) {
        process.nextTick(() => {
          throw error;
        });
      }
    }
  }

  #isOver() {
    return this.#state !== 'starting' && this.#state !== 'running';
  }

  #hasConsumer() {
    return this.listenerCount('data') > 0 || this.#iterators.size > 0;
  }

  /** Tells the addon whether the output is wanted, and whether an iterator has enough of it for now. */
  #updateFlow() {
    if (this.#state !== 'running') return;
    const isWanted = this.#hasConsumer();
    if (isWanted !== this.#isWanted) {
      this.#isWanted = isWanted;
      theHost().want(this.#number, isWanted);
    }
    const isPaused = [...this.#iterators].some((iterator) => iterator.isFull);
    if (isPaused !== this.#isPaused) {
      this.#isPaused = isPaused;
      theHost().pause(this.#number, isPaused);
    }
  }

  #holdNode(isNeeded) {
    if (isNeeded !== this.#holdsNode && !(isNeeded && this.#isOver())) {
      this.#holdsNode = isNeeded;
      if (isNeeded) holdNode();
      else letNodeGo();
    }
    return this;
  }
}

function runResult(native, { command, cmd, workspaceRoot }) {
  return {
    command: command?.trim() ? command : (cmd ?? ''),
    cwd: workspaceRoot ?? '',
    status: native.status,
    exitCode: native.exitCode ?? null,
    signal: native.signal ?? null,
    stdout: native.stdout,
    stderr: native.stderr,
    output: native.output,
    truncated: native.truncated,
    totalBytes: { stdout: native.stdoutBytes, stderr: native.stderrBytes },
    durationMs: native.durationMs,
    pid: native.pid ?? null,
    error: native.error ?? null,
  };
}

function stoppedBeforeItStarted() {
  const message = 'the command was stopped before it started';
  return notStarted('aborted', 'ABORT_ERR', message, `Failed to launch process: ${message}`);
}

function refusedBecause(error) {
  const message = messageOf(error);
  return notStarted('failed', 'ERR_INVALID_ARG_VALUE', message, message);
}

function notStarted(status, code, message, text) {
  return {
    status,
    stdout: '',
    stderr: '',
    output: `Error: ${text}`,
    truncated: false,
    stdoutBytes: 0,
    stderrBytes: 0,
    durationMs: 0,
    error: { code, message },
  };
}

function isDeadly(signal) {
  return ['SIGTERM', 'SIGKILL', 15, 9].includes(typeof signal === 'string' ? signal.toUpperCase() : signal);
}

/** Larger numbers would lose their upper bits on the way. */
function isSignal(signal) {
  return typeof signal === 'string' || (Number.isInteger(signal) && signal >= 0 && signal <= 64);
}

function unknownSignal(signal) {
  const error = new TypeError(
    `Unknown signal: ${describe(signal)}; expected a name such as 'SIGTERM' or its number`,
  );
  error.code = 'ERR_UNKNOWN_SIGNAL';
  return error;
}

module.exports = { BashJob };
