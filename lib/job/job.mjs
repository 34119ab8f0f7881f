import { EventEmitter } from 'node:events';
import { captureContext } from '../addon/async-context.mjs';
import { ref, register, theHost, unref, unregister } from '../addon/host.mjs';
import { bytes, integer } from '../options/checks.mjs';
import { isDeadly, isSignal, unknownSignal } from '../options/signals.mjs';
import { makeDisposable, runResult, stoppedBeforeItStarted } from '../result.mjs';
import { onAbort } from './abort.mjs';
import { ChunkIterator } from './chunk-iterator.mjs';
import { JobInput } from './job-input.mjs';
import { callListeners, throwLater } from './listeners.mjs';

/** What the other files of this package may do with a job, and its users may not. */
const inside = {};

/**
 * A command that is running. What it runs is its `task`:
 *
 * - `start(number, isWanted)` starts it, and gives `null` or the result of what could not be started;
 * - `startsAtOnce`: in the constructor, which throws what `start` throws, and not in the microtask after it;
 * - `refusal`: the native result of a task that is not to be started, or `null`;
 * - `isHeard`: whether it may get listeners after its start, which then miss little until this turn is over;
 * - `isExposed`: whether users get the job, and so may add listeners or write to it at any time;
 * - `command`, and `place(native)`, which gives the command and the directory for a native result;
 * - `signal`, `killSignal`; `hasInput`, `hasRing`: whether the addon takes its input, keeps its latest text;
 * - `isForced`: whether SIGKILL follows a signal that asks it to end; `spills`: whether its output goes to a file;
 * - `isAnswered`: whether the result's output is that of `bash()`.
 */
class Job extends EventEmitter {
  id;
  #task;
  #number;
  #state = 'starting';
  #pid = null;
  /** The result, once there is one, and the promise of it, once somebody has asked for it. */
  #result = null;
  #promise = null;
  #settle;
  /** The asynchronous context of whoever made the job; `null` where there are no listeners, and after the end. */
  #context;
  /** As Node has it: what holds for an emitter is decided when it is made. */
  #capturesRejections = EventEmitter.captureRejections;
  #forgetSignal;
  #isRef = false;
  #iterators = new Set();
  /** Whether the addon is told that somebody wants the output; `undefined` while nobody knows. */
  #isWanted;
  #isPaused = false;
  #refusal;
  #earlySignals = [];
  #input;
  #isBackground = false;
  #isListed = false;
  #isForgotten = false;
  #moves = null;
  #ends = [];

  static {
    inside.number = (job) => job.#number;
    /** The result, without the promise to wait for it that reading `result` is. */
    inside.over = (job) => job.#whenOver();
    /** Calls `listener(result)` at the end, before anybody else hears of it. */
    inside.onEnd = (job, listener) => job.#ends.push(listener);
    /** Calls `listener(result)` when the addon goes on without `run()`. It gives whether a table has taken the job. */
    inside.onMove = (job, listener) => {
      job.#moves = listener;
    };
    /** The job is in a table, and its result says so. */
    inside.list = (job) => {
      job.#isListed = true;
    };
    /** Whether SIGKILL follows when the job is asked to end. */
    inside.isForced = (job) => job.#task.isForced;
    /** How much memory the addon takes for the latest text of the job (bytes). */
    inside.kept = (job) => (job.#task.hasRing ? theHost().kept(job.#number) : 0);
    /** The addon drops what it keeps of a job that is over. */
    inside.forget = (job) => {
      job.#isForgotten = true;
      if (job.#task.hasRing) theHost().forget(job.#number);
    };
  }

  constructor(task) {
    super();
    if (task === undefined) throw new TypeError('Job is abstract: run(), Jobs and BashJob make jobs');
    this.#task = task;
    this.#refusal = task.refusal;
    this.#number = register((event) => this.#hear(event));
    this.id = `job-${this.#number}`;
    this.#context = task.isExposed ? captureContext() : null;
    this.#input = task.hasInput ? new JobInput(this.#number, (act) => this.#inContext(act)) : null;
    if (task.startsAtOnce) this.#startAtOnce();
    this.#setRef(true);
    if (this.#state === 'starting') queueMicrotask(() => this.#start());
  }

  get command() {
    return this.#task.command;
  }

  get status() {
    return this.#state;
  }

  get pid() {
    return this.#pid ?? theHost().pid(this.#number);
  }

  get isBackground() {
    return this.#isBackground;
  }

  get result() {
    // Whoever asks for it waits for it.
    if (this.#isBackground) this.#setRef(true);
    return this.#whenOver();
  }

  get stdin() {
    return this.#input === null ? null : this.#input.stream;
  }

  write(chunk) {
    if (this.#input !== null) return this.#input.write(chunk);
    // A wrong chunk is wrong, also where nobody reads it.
    bytes('chunk', chunk);
    return false;
  }

  end(chunk) {
    this.#input?.end(chunk);
  }

  read(since = 0) {
    integer('since', since, 0, Number.MAX_SAFE_INTEGER);
    if (this.#isForgotten) throw notFound(this.id);
    const piece = this.#task.hasRing ? theHost().read(this.#number, since) : null;
    const { chunks, cursor, dropped } = piece ?? { chunks: [], cursor: 0, dropped: 0 };
    return { text: chunks.map(({ text }) => text).join(''), chunks, cursor, dropped };
  }

  kill(signal = this.#task.killSignal) {
    if (!isSignal(signal)) throw unknownSignal(signal);
    const wasThere = theHost().kill(this.#number, signal);
    if (wasThere === null) throw unknownSignal(signal);
    if (this.#state !== 'starting') return wasThere;
    // There is no process yet. After a signal that ends a job there will be none; others wait for it.
    if (isDeadly(signal)) this.#refusal ??= stoppedBeforeItStarted(this.#task.isAnswered);
    else if (signal !== 0) this.#earlySignals.push(signal);
    return true;
  }

  ref() {
    return this.#setRef(true);
  }

  unref() {
    return this.#setRef(false);
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

  emit(name, ...args) {
    if (name !== 'data' && name !== 'exit') return super.emit(name, ...args);
    return callListeners(this, name, args, this.#capturesRejections);
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

  #startAtOnce() {
    this.#refusal ??= this.#abortedAlready();
    if (this.#refusal !== null) return;
    try {
      this.#launch();
    } catch (error) {
      unregister(this.#number);
      throw error;
    }
  }

  #start() {
    this.#refusal ??= this.#abortedAlready();
    if (this.#refusal === null) this.#refusal = this.#launch();
    if (this.#refusal !== null) this.#end(this.#refusal);
    for (const signal of this.#earlySignals) theHost().kill(this.#number, signal);
  }

  #launch() {
    // Listeners may still come in this turn, also after an `await`. The first text shows whether anybody has come.
    this.#isWanted = this.#task.isHeard ? this.#hasConsumer() || undefined : false;
    const refusal = this.#task.start(this.#number, this.#isWanted);
    this.#state = 'running';
    const { signal } = this.#task;
    if (signal) this.#forgetSignal = onAbort(signal, () => theHost().abort(this.#number));
    return refusal;
  }

  #abortedAlready() {
    const { signal, isAnswered } = this.#task;
    return signal?.aborted ? stoppedBeforeItStarted(isAnswered) : null;
  }

  #hear({ kind, text, result }) {
    switch (kind) {
      case 'end':
        this.#end(result);
        break;
      case 'drain':
        this.#inContext(() => this.#input?.drained());
        break;
      case 'background':
        this.#move(result);
        break;
      default:
        this.#tell('data', text, kind);
        for (const iterator of this.#iterators) iterator.push({ stream: kind, text });
        this.#updateFlow();
    }
  }

  /** `run()` answers now, and the command goes on without it. */
  #move(native) {
    // Who gave the signal has the answer, and will not mean this command by a later abort.
    this.#forgetSignal?.();
    if (this.#isBackground) return;
    this.#isBackground = this.#moves?.(this.#resultOf(native)) ?? false;
    if (this.#isBackground) this.#setRef(false);
  }

  /** The one place where a job is over. */
  #end(native) {
    const result = this.#resultOf(native);
    this.#pid = result.pid;
    this.#state = result.status;
    this.#forgetSignal?.();
    unregister(this.#number);
    this.#inContext(() => this.#input?.finish());
    for (const listener of this.#ends) listener(result);
    this.#result = result;
    this.#settle?.(result);
    this.#setRef(false);
    for (const iterator of this.#iterators) iterator.finish();
    this.#iterators.clear();
    this.#tell('exit', result.exitCode, result.signal, result);
    // A table keeps jobs that are over. The stores of the context need not live as long.
    this.#context = null;
  }

  /**
   * The promise of the result. It is made when somebody asks for it.
   *
   * In Node 20 and 22 a promise holds the `AsyncLocalStorage` stores of whoever made it.
   */
  #whenOver() {
    this.#promise ??= new Promise((resolve) => {
      if (this.#result === null) this.#settle = resolve;
      else resolve(this.#result);
    });
    return this.#promise;
  }

  /** Calls `act` in the asynchronous context of whoever made the job, as Node does for a child process. */
  #inContext(act) {
    if (this.#context === null) act();
    else this.#context.runInAsyncScope(act);
  }

  #resultOf(native) {
    const result = runResult(native, this.#task.place(native), this.#isListed ? this.id : null);
    return this.#task.spills ? makeDisposable(result) : result;
  }

  /** Emits an event in the context of whoever made the job. `emit` may be anybody's, and throw. */
  #tell(name, ...args) {
    try {
      this.#inContext(() => this.emit(name, ...args));
    } catch (error) {
      throwLater(error);
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
    const isPaused = this.#iterators.size > 0 && [...this.#iterators].some((iterator) => iterator.isFull);
    if (isPaused !== this.#isPaused) {
      this.#isPaused = isPaused;
      theHost().pause(this.#number, isPaused);
    }
  }

  #setRef(isNeeded) {
    if (isNeeded !== this.#isRef && !(isNeeded && this.#isOver())) {
      this.#isRef = isNeeded;
      if (isNeeded) ref();
      else unref();
    }
    return this;
  }
}

function notFound(id) {
  const error = new Error(`Background job not found: ${id}`);
  error.code = 'JOB_NOT_FOUND';
  return error;
}

export { inside, Job, notFound };
