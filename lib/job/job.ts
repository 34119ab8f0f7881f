import type { Writable } from 'node:stream';
import type { JobEvent, NativeResult } from '../addon/addon-types.ts';
import { register, theBinding, unregister } from '../addon/binding.ts';
import { DurableMembers } from '../durable/durable-members.ts';
import type { Recording } from '../live/record/api.ts';
import { bytes, integer } from '../options/checks.ts';
import { isSignal, unknownSignal } from '../options/command/signals.ts';
import { contradicts } from '../options/output/encoding.ts';
import type { RunStatus } from '../result/api.ts';
import { jobOutput, nativeResult } from '../result/chunks.ts';
import type { Encoding, OutputChunk } from '../result/output-api.ts';
import type { Result } from '../result/result.ts';
import { refusedBecause, stoppedBeforeItStarted } from '../result/result.ts';
import { features } from '../support/features.ts';
import { LazyPromise } from '../support/lazy-promise.ts';
import { queueMicrotask } from '../support/timers.ts';
import { addAbortListener } from './abort.ts';
import type { JobOutput } from './api.ts';
import type { PublishEnd } from './command-events.ts';
import { commandStarted } from './command-events.ts';
import { EventScope } from './events/event-scope.ts';
import type { Table } from './inside.ts';
import { inside } from './inside.ts';
import type {
  InputWait,
  ReadyOptions,
  ReadyResult,
  Screen,
  ScreenOptions,
  WaitForScreenOptions,
  WaitForScreenResult,
} from './inspection/api.ts';
import { JobInspection } from './inspection/job-inspection.ts';
import type { JobScreen } from './inspection/job-screen.ts';
import { SpawnReport } from './inspection/spawn-report.ts';
import { notFound, unavailableElsewhere, withoutTerminal } from './job-errors.ts';
import { LoopReference } from './loop-reference.ts';
import type { JobInput } from './streams/job-input.ts';
import { OutputFlow } from './streams/output-flow.ts';
import type { Task } from './task.ts';
import { chunkOf, resultOf } from './task.ts';

/** A running command. */
class Job extends DurableMembers {
  readonly id: string;
  #task: Task;
  #number: number;
  #state: 'starting' | 'running' | RunStatus = 'starting';
  #outcome = new LazyPromise<Result>();
  #written: Promise<Result> | undefined;
  #scope: EventScope;
  #flow: OutputFlow;
  #input: JobInput | null;
  #loop = new LoopReference();
  #forgetSignal: (() => void) | undefined;
  #publishEnd: PublishEnd | undefined;
  /** Requests before the start: the reason not to start, and below it the signals for the process. */
  #refusal: NativeResult | null;
  #earlySignals: Task['killSignal'][] = [];
  #inspection: JobInspection;
  #spawn: SpawnReport;
  #isBackground = false;
  #table: Table = { isListed: false, isForgotten: false, onMove: null, onUnfinished: null, onEnd: [] };

  static {
    inside.number = (job) => job.#number;
    inside.over = (job) => job.#outcome.promise;
    inside.written = (job) => {
      const { observed } = job.#task;
      if (observed === undefined) return job.#outcome.promise;
      job.#written ??= job.#outcome.promise.then((result) => observed.written?.then(() => result) ?? result);
      return job.#written;
    };
    inside.isOver = (job) => job.#isOver() || (job.#state === 'running' && !theBinding().isLive(job.#number));
    inside.table = (job) => job.#table;
    inside.isForced = (job) => job.#task.isForced;
    inside.kept = (job) =>
      (job.#task.hasRing ? theBinding().kept(job.#number) : 0) + job.#inspection.memory();
    inside.askForUnfinished = (job) => theBinding().reportUnfinished(job.#number);
    inside.forget = (job) => {
      job.#table.isForgotten = true;
      job.#inspection.forget();
      if (job.#task.hasRing) theBinding().forget(job.#number);
    };
  }

  constructor(task: Task) {
    if (task === undefined) throw new TypeError('Job is abstract: run(), Jobs and BashJob make jobs');
    const scope = new EventScope(task.isExposed);
    super(scope, (name) => this.#updateListeners(name), task.durable);
    this.#scope = scope;
    this.#task = task;
    this.#refusal = task.refusal;
    this.#number = register((event) => this.#handleEvent(event));
    this.id = task.durable?.id ?? `job-${this.#number}`;
    this.#flow = new OutputFlow(this.#number, () => this.listenerCount('data') > 0);
    this.#spawn = new SpawnReport(
      this.#number,
      () => this.listenerCount('spawn') > 0,
      () => this.#scope.emit(this, 'spawn'),
    );
    this.#inspection = this.#inspect();
    this.#input = task.hasInput ? this.#newInput(task) : null;
    if (task.approval) task.approval.then((refused) => this.#startLater(refused));
    else if (task.startsAtOnce) this.#startAtOnce();
    this.ref();
    if (this.#state === 'starting' && !task.approval) queueMicrotask(() => this.#startLater(null));
  }

  get command(): string {
    return this.#task.command;
  }

  get status(): 'starting' | 'running' | RunStatus {
    return this.#state;
  }

  get pid(): number | null {
    return this.#outcome.value?.pid ?? this.#spawn.pid ?? theBinding().pid(this.#number);
  }

  get isBackground(): boolean {
    return this.#isBackground;
  }

  get recording(): Recording | null {
    return this.#task.observed?.recording ?? null;
  }

  get result(): Promise<Result> {
    // A caller that reads the result of a background job waits for it.
    if (this.#isBackground) this.ref();
    return inside.written(this);
  }

  get stdin(): Writable | null {
    return this.#input?.stream ?? null;
  }

  write(chunk: string | Uint8Array): boolean {
    if (this.#input !== null) {
      // Before the start, no program has selected another form of its keys.
      const terminal = this.#state === 'starting' ? undefined : this.#inspection.terminal();
      return this.#input.write(terminal?.typed(chunk) ?? chunk);
    }
    // The chunk is checked first, so that an invalid one throws even without standard input.
    bytes('chunk', chunk);
    return false;
  }

  end(chunk?: string | Uint8Array): void {
    this.#input?.end(chunk);
  }

  read(since = 0): JobOutput<Encoding> {
    integer('since', since, 0, Number.MAX_SAFE_INTEGER);
    if (this.#table.isForgotten) throw notFound(this.id);
    const piece = this.#task.hasRing ? theBinding().read(this.#number, since) : null;
    return jobOutput(piece ?? { chunks: [], cursor: 0, dropped: 0 }, this.#task.hasBytes);
  }

  screen(options?: ScreenOptions): Screen {
    return this.#terminal().snapshot(options);
  }

  resize(cols: number, rows: number): boolean {
    const isResized = this.#terminal().resize(cols, rows);
    if (isResized) this.#task.observed?.resized(cols, rows);
    // Before the start, the terminal gets its size later.
    return isResized || this.#state === 'starting';
  }

  async waitForScreen(
    pattern: RegExp | string,
    options?: WaitForScreenOptions,
  ): Promise<WaitForScreenResult> {
    this.#terminal();
    return this.#inspection.waitForScreen(pattern, options);
  }

  async waiting(): Promise<InputWait | null> {
    if (this.#task.isElsewhere) throw unavailableElsewhere('waiting()');
    return this.#inspection.waiting();
  }

  async ready(options: ReadyOptions): Promise<ReadyResult> {
    if (this.#task.isElsewhere && this.#task.target === undefined) throw unavailableElsewhere('ready()');
    if (this.#task.hasBytes && options?.pattern !== undefined) {
      throw contradicts('options.pattern', options.pattern);
    }
    return this.#inspection.ready(options);
  }

  kill(signal: Task['killSignal'] = this.#task.killSignal): boolean {
    if (!isSignal(signal)) throw unknownSignal(signal);
    // The background processes of a finished job may go on under its number.
    const number = this.#isOver() ? 0 : this.#number;
    const wasRunning = theBinding().kill(number, signal);
    if (wasRunning === null) throw unknownSignal(signal);
    if (this.#state !== 'starting') return wasRunning;
    // Before the start, a signal that would end the job prevents the start; others wait for it.
    if (theBinding().endsJob(signal, this.#task.killSignal)) {
      this.#refusal ??= stoppedBeforeItStarted(this.#task.isAnswered);
      // The pending approval is of no use.
      if (this.#task.approval) queueMicrotask(() => this.#startLater(null));
    } else if (signal !== 0) this.#earlySignals.push(signal);
    return true;
  }

  ref(): this {
    this.#loop.set(true);
    return this;
  }

  unref(): this {
    this.#loop.set(false);
    return this;
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<OutputChunk<Encoding>> {
    return this.#flow.iterate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOver()) this.kill();
    await this.result;
  }

  #startAtOnce(): void {
    this.#refusal ??= this.#abortedAlready();
    if (this.#refusal !== null) return;
    try {
      this.#launch();
    } catch (error) {
      unregister(this.#number);
      throw error;
    }
  }

  #start(): void {
    this.#refusal ??= this.#abortedAlready();
    if (this.#refusal === null) this.#refusal = this.#launch();
    if (this.#refusal !== null) this.#end(this.#refusal);
    for (const signal of this.#earlySignals) theBinding().kill(this.#number, signal);
  }

  /**
   * Starts the job, or refuses it, outside of the constructor: at the next microtask, or once the host's
   * `approve` has decided. Idempotent. Nobody can catch an error here, so it becomes the result.
   */
  #startLater(refusal: NativeResult | null): void {
    if (this.#state !== 'starting') return;
    this.#refusal ??= refusal;
    try {
      this.#start();
    } catch (error) {
      unregister(this.#number);
      this.#end(refusedBecause(error));
    }
  }

  #launch(): NativeResult | null {
    const { command, sessionId, signal, observed } = this.#task;
    const refusal = this.#task.start(this.#number, this.#flow.open(this.#task.mayGetListeners));
    if (refusal === null) {
      const job = { number: this.#number, job: this, inspection: this.#inspection, observed };
      this.#publishEnd = commandStarted({ id: this.id, sessionId }, command, job);
    }
    this.#state = 'running';
    this.#input?.begin();
    this.#inspection.start();
    this.#spawn.follow();
    if (signal) this.#forgetSignal = addAbortListener(signal, () => theBinding().abort(this.#number));
    return refusal;
  }

  #abortedAlready(): NativeResult | null {
    const { signal, isAnswered } = this.#task;
    return signal?.aborted ? stoppedBeforeItStarted(isAnswered) : null;
  }

  #handleEvent(event: JobEvent): void {
    switch (event.kind) {
      case 'spawn':
        this.#spawn.note(event.pid);
        break;
      case 'end':
        this.#end(nativeResult(event));
        break;
      case 'unfinished':
        this.#table.onUnfinished?.(event.lines);
        break;
      case 'drain':
        this.#scope.run(() => this.#input?.drained());
        break;
      case 'background':
        if (!this.#task.isInSession) this.#move(nativeResult(event));
        else {
          this.#end(event.result);
          // The background processes belong to the session from now on.
          this.#task.onLeft?.(this.#number);
        }
        break;
      case 'observed':
        this.#task.observed?.changed();
        break;
      case 'connect':
        this.#task.connects?.handleEvent(event.connect, this.#number, this.id);
        break;
      case 'stdout':
      case 'stderr': {
        const chunk = chunkOf(this.#task, event);
        this.#scope.emit(this, 'data', chunk, event.kind);
        this.#flow.push(event.kind, chunk);
        break;
      }
      default: {
        const wait = this.#inspection.handleEvent(event);
        if (wait === undefined) break;
        this.#task.observed?.waits(wait);
        this.#scope.emit(this, 'waiting', wait);
      }
    }
  }

  /** Lets `run()` answer now, while the command goes on. */
  #move(native: NativeResult): void {
    // The caller has its answer, so a later abort of its signal must not reach this command.
    this.#forgetSignal?.();
    if (this.#isBackground) return;
    this.#isBackground = this.#table.onMove?.(this.#resultOf(native)) ?? false;
    if (!this.#isBackground) return;
    this.unref();
    this.#task.observed?.moved();
  }

  /** Ends the job. Every end of a job, whatever its cause, calls this method. */
  #end(native: NativeResult): void {
    const result = this.#resultOf(native);
    this.#state = result.status;
    this.#forgetSignal?.();
    unregister(this.#number);
    this.#scope.run(() => this.#input?.finish());
    // The result has the pid of a job that was over before it was asked for it.
    this.#spawn.note(result.pid);
    this.#publishEnd?.(result);
    for (const listener of this.#table.onEnd) listener(result);
    this.#outcome.resolve(result);
    this.#inspection.finish();
    this.#loop.release();
    this.#flow.finish();
    this.#scope.emit(this, 'exit', result.exitCode, result.signal, result);
    this.#scope.release();
  }

  #resultOf(native: NativeResult): Result {
    return resultOf(this.#task, native, this.#table.isListed ? this.id : null);
  }

  #newInput({ observed }: Task): JobInput {
    const inContext = (act: () => void) => this.#scope.run(act);
    return new (features().JobInput)(this.#number, inContext, observed && ((piece) => observed.typed(piece)));
  }

  #inspect(): JobInspection {
    return new JobInspection(this.#number, this.#task, {
      isOver: () => this.#isOver(),
      read: (since) => this.read(since),
      tap: (listener) => this.#flow.tap(listener),
      hasListener: () => this.listenerCount('waiting') > 0,
      emitScreen: () => {
        const hasListener = this.listenerCount('screen') > 0;
        if (hasListener) this.#scope.emit(this, 'screen');
        return hasListener;
      },
    });
  }

  #terminal(): JobScreen {
    if (this.#table.isForgotten) throw notFound(this.id);
    const terminal = this.#inspection.terminal();
    if (terminal === undefined) throw withoutTerminal(this.id);
    return terminal;
  }

  /** Reports the demand of a new listener to the addon. */
  #updateListeners(name: string): void {
    this.#flow.update();
    if (name === 'screen') this.#inspection.followScreen();
    if (this.#state !== 'running') return;
    if (name === 'waiting') this.#inspection.followWaits();
    else if (name === 'spawn') this.#spawn.follow();
  }

  #isOver(): boolean {
    return this.#state !== 'starting' && this.#state !== 'running';
  }
}

export { inside, Job, notFound };
