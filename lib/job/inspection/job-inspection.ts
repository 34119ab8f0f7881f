import type { JobEvent, JobState, PortState } from '../../addon/addon-types.ts';
import { theBinding } from '../../addon/binding.ts';
import { refuseOnWindows } from '../../addon/missing-addon.ts';
import { features } from '../../support/features.ts';
import type { PortForward } from '../../target/ports-api.ts';
import type { Target } from '../../target/target.ts';
import { OutputWatch } from '../streams/output-watch.ts';
import type { Task } from '../task.ts';
import type {
  InputWait,
  ReadyOptions,
  ReadyResult,
  WaitForScreenOptions,
  WaitForScreenResult,
} from './api.ts';
import { InputWaits, inputWait } from './input-waits.ts';
import type { JobScreen } from './job-screen.ts';
import type { ReadyView } from './ready.ts';

type PortListener = (ports: PortState[]) => void;
type StateListener = (state: JobState) => void;

/** The access to a job, besides its number and its task. */
export interface InspectedJob {
  isOver: () => boolean;
  read: ReadyView['read'];
  tap: ReadyView['tap'];
  /** Returns whether `waiting` has a listener. */
  hasListener: () => boolean;
  /** Emits `screen`. Returns whether anybody listens. */
  emitScreen: () => boolean;
}

/** An event that may be about the inspection of a job. */
export type InspectedEvent = Extract<
  JobEvent,
  {
    kind:
      | 'waiting'
      | 'inputchecked'
      | 'ports'
      | 'state'
      | 'changed'
      | 'prompt'
      | 'promptover'
      | 'answer'
      | 'files';
  }
>;

/**
 * The inspection of one job while it runs: its screen, whether it waits for input, and whether it is ready.
 *
 * Without listeners and requests, the inspection does not call the addon.
 */
class JobInspection {
  #number: number;
  #task: Task;
  #job: InspectedJob;
  /** The terminal; `null` without one, before its first use, and when the job is forgotten. */
  #screen: JobScreen | null = null;
  #watch: OutputWatch;
  #waits: InputWaits;
  #ports = new Set<PortListener>();
  #states: StateListener[] = [];
  /** The ports of a target that are open here. */
  #forwards: PortForward[] = [];
  #stopScreen: (() => void) | undefined;

  /**
   * @param number the job's number at the addon
   * @param task the task of the job
   * @param job the access to the job
   */
  constructor(number: number, task: Task, job: InspectedJob) {
    this.#number = number;
    this.#task = task;
    this.#job = job;
    this.#watch = new OutputWatch(number);
    this.#waits = new InputWaits(number);
  }

  /**
   * Gets the addon's screen right after the start, so that even a command that ends at once has a screen, and
   * repeats the requests of a time when the addon did not know the job: while it waited for an approval.
   */
  start(): void {
    this.terminal()?.attach();
    this.followWaits();
    this.#watch.restart();
    if (this.#ports.size > 0) theBinding().followPorts(this.#number, true);
  }

  /** Returns the terminal, or `undefined` for a job without one. */
  terminal(): JobScreen | undefined {
    if (this.#task.pty === undefined) return undefined;
    this.#screen ??= new (features().JobScreen)(this.#number, this.#task.pty);
    return this.#screen;
  }

  waitForScreen(
    pattern: RegExp | string,
    options: WaitForScreenOptions | undefined,
  ): Promise<WaitForScreenResult> {
    const follow = (listener: () => void) => this.#watch.add(listener);
    const terminal = this.terminal();
    if (terminal === undefined) throw new TypeError('a job without a terminal has no screen');
    return terminal.waitFor(pattern, options, follow, this.#job.isOver);
  }

  async waiting(): Promise<InputWait | null> {
    refuseOnWindows('waiting()');
    return this.#waits.ask();
  }

  ready(options: ReadyOptions): Promise<ReadyResult> {
    const { target } = this.#task;
    const view: ReadyView = {
      isOver: this.#job.isOver,
      follow: (listener) => this.#watch.add(listener),
      read: this.#task.hasRing ? this.#job.read : undefined,
      tap: this.#job.tap,
      followPorts: (listener) => this.followPorts(listener),
      forward: target && ((found) => this.#forward(target, found)),
    };
    return features().ready(view, options);
  }

  /** Tells the addon whether `waiting` has a listener or an observer. */
  followWaits(): void {
    const isOver = this.#job.isOver();
    const { observed, hasInput, isElsewhere } = this.#task;
    const isObserved = observed !== undefined && hasInput && !isElsewhere;
    this.#waits.follow(this.#job.hasListener() && !isOver, isObserved && !isOver);
  }

  /** Emits `screen` after each output, until nobody listens. */
  followScreen(): void {
    if (this.#task.pty === undefined) return;
    this.#stopScreen ??= this.#watch.add(() => {
      if (this.#job.emitScreen()) return;
      this.#stopScreen?.();
      this.#stopScreen = undefined;
    });
  }

  /** Handles an event of the addon. Returns the wait that the job must emit, if there is one. */
  handleEvent(event: InspectedEvent): InputWait | undefined {
    switch (event.kind) {
      case 'waiting':
        return inputWait(event.wait);
      case 'inputchecked':
        this.#waits.answer(event.wait);
        break;
      case 'ports':
        for (const listener of [...this.#ports]) listener(event.ports);
        break;
      case 'state':
        for (const listener of this.#states.splice(0)) listener(event.state);
        break;
      case 'prompt':
      case 'promptover':
        this.#task.prompts?.handleEvent(event, this.#number);
        break;
      case 'changed':
        this.#watch.changed();
    }
    return undefined;
  }

  /** Opens a port of the target here, until the end of the job. */
  async #forward(target: Target, { port, address }: PortState): Promise<PortForward> {
    const isAny = address === '0.0.0.0' || address === '::';
    const opened = (await target.forward(port, isAny ? {} : { host: address })).unref();
    if (this.#job.isOver()) await opened.close();
    else this.#forwards.push(opened);
    return opened;
  }

  /** Answers all requests at the end of the job. */
  finish(): void {
    for (const opened of this.#forwards.splice(0)) void opened.close();
    this.#task.connects?.finish();
    this.#task.prompts?.finish();
    this.#waits.finish();
    this.#watch.call();
  }

  /** Calls `listener` once with the processes of the job, unless it ends before. */
  askState(listener: StateListener): void {
    this.#states.push(listener);
    theBinding().reportState(this.#number);
  }

  /** Returns the memory of the screen (bytes). */
  memory(): number {
    return this.#screen?.memory() ?? 0;
  }

  /** Drops the screen of a finished job. */
  forget(): void {
    this.#screen = null;
  }

  /**
   * Calls `listener(ports)` whenever the ports of the job change. Returns a function that removes the
   * listener.
   */
  followPorts(listener: PortListener): () => void {
    this.#ports.add(listener);
    // Each listener restarts the search, because only a new search reports the ports that are open already.
    theBinding().followPorts(this.#number, true);
    return () => {
      this.#ports.delete(listener);
      if (this.#ports.size === 0) theBinding().followPorts(this.#number, false);
    };
  }
}

export { JobInspection };
