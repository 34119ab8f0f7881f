import { theHost } from '../../addon/host.mjs';
import { OutputWatch } from '../streams/output-watch.mjs';
import { InputWaits, inputWait } from './input-waits.mjs';
import { JobScreen } from './job-screen.mjs';
import { ready } from './ready.mjs';

/**
 * The inspection of one job while it runs: its screen, whether it waits for input, and whether it is ready.
 *
 * Without listeners and requests, the inspection does not call the addon.
 */
class JobInspection {
  #number;
  #task;
  #job;
  /** The terminal; `null` without one, before its first use, and when the job is forgotten. */
  #screen = null;
  #watch;
  #waits;
  #ports = new Set();

  /**
   * @param number the job's number at the addon
   * @param task the task of the job
   * @param job the access to the job: `isOver()`, `read(since)`, `tap(listener)` and `hasListener()` of
   * `waiting`
   */
  constructor(number, task, job) {
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
  start() {
    this.terminal()?.attach();
    this.followWaits();
    this.#watch.restart();
    if (this.#ports.size > 0) theHost().followPorts(this.#number, true);
  }

  /** Returns the terminal, or `undefined` for a job without one. */
  terminal() {
    if (this.#task.pty === undefined) return undefined;
    this.#screen ??= new JobScreen(this.#number, this.#task.pty);
    return this.#screen;
  }

  waitForScreen(pattern, options) {
    const follow = (listener) => this.#watch.add(listener);
    return this.terminal().waitFor(pattern, options, follow, this.#job.isOver);
  }

  waiting() {
    return this.#waits.ask();
  }

  ready(options) {
    const view = {
      isOver: this.#job.isOver,
      follow: (listener) => this.#watch.add(listener),
      read: this.#task.hasRing ? this.#job.read : undefined,
      tap: this.#job.tap,
      followPorts: (listener) => this.#followPorts(listener),
    };
    return ready(view, options);
  }

  /** Tells the addon whether `waiting` has a listener. */
  followWaits() {
    this.#waits.follow(this.#job.hasListener() && !this.#job.isOver());
  }

  /** Handles an event of the addon. Returns the wait that the job must emit, if there is one. */
  handleEvent({ kind, wait, ports }) {
    switch (kind) {
      case 'waiting':
        return inputWait(wait);
      case 'inputchecked':
        this.#waits.answer(wait);
        break;
      case 'ports':
        for (const listener of [...this.#ports]) listener(ports);
        break;
      default:
        this.#watch.changed();
    }
    return undefined;
  }

  /** Answers all requests at the end of the job. */
  finish() {
    this.#waits.finish();
    this.#watch.call();
  }

  /** Returns the memory of the screen (bytes). */
  memory() {
    return this.#screen?.memory() ?? 0;
  }

  /** Drops the screen of a finished job. */
  forget() {
    this.#screen = null;
  }

  /**
   * Calls `listener(ports)` whenever the ports of the job change. Returns a function that removes the
   * listener.
   */
  #followPorts(listener) {
    this.#ports.add(listener);
    // Each listener restarts the search, because only a new search reports the ports that are open already.
    theHost().followPorts(this.#number, true);
    return () => {
      this.#ports.delete(listener);
      if (this.#ports.size === 0) theHost().followPorts(this.#number, false);
    };
  }
}

export { JobInspection };
