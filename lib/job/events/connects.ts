// The connections of a command to hosts that its sandbox does not list, about which a person is asked.

import type { AsyncResource } from 'node:async_hooks';
import type { ConnectState } from '../../addon/addon-types.ts';
import { captureContext } from '../../addon/async-context.ts';
import { theBinding } from '../../addon/binding.ts';
import type { ConnectDecider } from '../../options/surroundings/sandbox/connect-option.ts';
import type { ConnectAnswer } from '../../options/surroundings/sandbox-api.ts';
import type { SurroundingsPlan } from '../../options/surroundings/surroundings.ts';
import { redactedText } from '../../redact/redacted.ts';
import type { Redactor } from '../../redact/redaction.ts';
import { messageOf } from '../../support/message-of.ts';
import { clearTimeout, setTimeout } from '../../support/timers.ts';

/** The largest number of open questions of a command. Further ones wait. */
const MAX_OPEN = 4;

/** The largest number of questions of a command. Further hosts are refused. */
const MAX_ASKED = 20;

/** The longest time for which the timeouts of a command stop (ms). */
const MAX_HELD = 600_000;

/** The permission that each answer gives. */
const PERMITS: Record<ConnectAnswer, boolean> = { once: true, always: true, no: false, never: false };

/** Asks the host's function about the connections of a job, and passes its answers to the addon. */
class JobConnects {
  #decider: ConnectDecider;
  #command: string;
  #redactor: Redactor | undefined;
  #context: AsyncResource = captureContext();
  /** The questions without an answer, by their numbers. */
  #open = new Map<number, AbortController>();
  /** The questions that wait for their turn. */
  #waiting: (() => void)[] = [];
  #asking = 0;
  #asked = 0;
  /** The time for which the timeouts may still stop (ms), and since when they do. */
  #holdLeft = MAX_HELD;
  #heldSince: number | null = null;
  #holdTimer: NodeJS.Timeout | undefined;

  /** @param command the command, in which secret values are marks */
  constructor(decider: ConnectDecider, command: string, redactor: Redactor | undefined) {
    this.#decider = decider;
    this.#command = command;
    this.#redactor = redactor;
  }

  /** Handles a question, or the end of one, of the job of this number and id. */
  handleEvent({ number, host, port }: ConnectState, job: number, jobId: string): void {
    if (host === undefined || port === undefined) {
      this.#close(number);
      return;
    }
    const known = this.#decider.known(host, port);
    if (known !== undefined || ++this.#asked > MAX_ASKED) {
      theBinding().answerConnect(job, number, known);
      return;
    }
    const controller = new AbortController();
    this.#open.set(number, controller);
    const ask = () => void this.#ask({ number, host, port }, job, jobId, controller.signal);
    if (this.#asking < MAX_OPEN) ask();
    else this.#waiting.push(ask);
  }

  /** Closes all questions, at the end of the job. */
  finish(): void {
    this.#waiting = [];
    for (const number of [...this.#open.keys()]) this.#close(number);
  }

  async #ask(
    { number, host, port }: Required<ConnectState>,
    job: number,
    jobId: string,
    signal: AbortSignal,
  ): Promise<void> {
    if (signal.aborted) {
      this.#next(job);
      return;
    }
    this.#asking++;
    this.#hold(job);
    const question = {
      host: redactedText(host, this.#redactor),
      port,
      command: this.#command,
      jobId,
      signal,
    };
    let answer: ConnectAnswer | undefined;
    try {
      const given: unknown = await Promise.race([
        this.#context.runInAsyncScope(this.#decider.ask, undefined, question),
        aborted(signal),
      ]);
      if (!signal.aborted) answer = answerOf(given);
    } catch (error) {
      if (!signal.aborted) warn(messageOf(error));
    }
    // A late answer has no effect.
    if (this.#open.delete(number)) {
      if (answer !== undefined) this.#decider.note(host, port, answer);
      theBinding().answerConnect(job, number, answer && PERMITS[answer]);
    }
    this.#asking--;
    this.#next(job);
  }

  /** Lets the next question have its turn, and the timeouts go on when there is none. */
  #next(job: number): void {
    const next = this.#waiting.shift();
    if (next !== undefined) next();
    else if (this.#asking === 0) this.#release(job);
  }

  #close(number: number): void {
    const controller = this.#open.get(number);
    this.#open.delete(number);
    controller?.abort();
  }

  /** Stops the timeouts of the job, for as long as they may stop. */
  #hold(job: number): void {
    if (this.#heldSince !== null || this.#holdLeft <= 0) return;
    this.#heldSince = performance.now();
    theBinding().holdTime(job, true);
    this.#holdTimer = setTimeout(() => this.#release(job), this.#holdLeft);
    this.#holdTimer.unref?.();
  }

  #release(job: number): void {
    if (this.#heldSince === null) return;
    this.#holdLeft -= performance.now() - this.#heldSince;
    this.#heldSince = null;
    clearTimeout(this.#holdTimer);
    theBinding().holdTime(job, false);
  }
}

function answerOf(given: unknown): ConnectAnswer {
  if (typeof given === 'string' && Object.hasOwn(PERMITS, given)) return given as ConnectAnswer;
  throw new TypeError(`expected 'once', 'always', 'no' or 'never', got ${JSON.stringify(given)}`);
}

/** Returns a promise that resolves when a signal fires, for a function that never answers. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Returns what asks about the connections of a command in these surroundings; `undefined` for nobody. */
function connectsOf(
  command: string,
  { connect, redactor }: Pick<SurroundingsPlan, 'connect' | 'redactor'>,
): JobConnects | undefined {
  return connect && new JobConnects(connect, command, redactor);
}

function warn(reason: string): void {
  process.emitWarning(`The function 'onConnect' has refused a host: ${reason}`, { code: 'CONNECT_FAILED' });
}

export { connectsOf, JobConnects };
