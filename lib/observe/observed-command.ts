// A command, its questions and its tool calls, as observers get them.

import type { ObservedPiece } from '../addon/addon-types.ts';
import { theBinding } from '../addon/binding.ts';
import type { InputWait } from '../job/inspection/api.ts';
import type { LiveQuestion, LiveState } from '../live/api.ts';
import type { Recording } from '../live/record/api.ts';
import type { Result } from '../result/result.ts';
import { wallNow } from '../support/now.ts';
import type {
  ObservedEvent,
  ObservedFacts,
  ObservedInspection,
  ObservedJob,
  Observer,
  Observers,
} from './observers.ts';

/** A command, for its observers. */
class ObservedCommand {
  readonly facts: ObservedFacts;
  readonly takesAll: boolean;
  /** The number of the command at the addon; 0 before its start. */
  number = 0;
  /** Whether a person at a page makes the request that is being handled. */
  isAskedByPage = false;
  job: ObservedJob | null = null;
  inspection: ObservedInspection | null = null;
  /** The recording of this command alone, and the promise that it is written. */
  recording: Recording | null = null;
  written: Promise<void> | null = null;
  /** The time of the start (ms since 1970). */
  startedAt = 0;
  #call: number | null;
  #isOver = false;
  /** The observers that have not released the command. */
  #observers: Observers;
  /** The functions to call after output. */
  #listeners = new Set<() => void>();
  #wait: InputWait | null = null;

  constructor(observers: Observers, call: number | null, facts: ObservedFacts) {
    this.#observers = observers;
    this.#call = call;
    this.facts = facts;
    this.takesAll = [...observers].some((observer) => observer.takesAll);
  }

  get id(): string {
    return `job-${this.number}`;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Reports the start. */
  begin(number: number, job: ObservedJob, inspection: ObservedInspection): void {
    this.number = number;
    this.job = job;
    this.inspection = inspection;
    this.startedAt = wallNow();
    const { clean, redactor, ...facts } = this.facts;
    this.#emit({ type: 'start', time: this.startedAt, id: this.id, call: this.#call, ...facts });
  }

  /** Reports the end, at which all output is there to be read. */
  end(result: Result): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { status, exitCode, signal, durationMs, totalBytes, backgroundPids, sandbox, error } = result;
    this.#emit({
      type: 'end',
      // The engine has measured the duration, and the event loop may have been busy since.
      time: Math.min(this.startedAt + Math.round(durationMs), wallNow()),
      id: this.id,
      status,
      exitCode,
      signal,
      durationMs,
      totalBytes: totalBytes.stdout + totalBytes.stderr,
      backgroundPids,
      refused: sandbox?.refused ?? [],
      errorCode: error?.code ?? null,
    });
    this.#listeners.clear();
    this.job = null;
    this.inspection = null;
  }

  /** Reports that the command waits for input. A wait that is reported again is none. */
  waits(wait: InputWait): void {
    if (this.#wait !== null) return;
    this.#wait = wait;
    this.#emit({ type: 'waiting', time: wallNow(), id: this.id, wait });
  }

  /** Reports input that was passed on; `null` for its end. */
  typed(input: Uint8Array | null): void {
    const bytes = input?.byteLength ?? 0;
    this.#emit({ type: 'input', time: wallNow(), id: this.id, by: this.#by(), bytes }, input ?? undefined);
    this.#waitsNoLonger();
  }

  resized(cols: number, rows: number): void {
    this.#emit({ type: 'resize', time: wallNow(), id: this.id, by: this.#by(), cols, rows });
  }

  moved(): void {
    this.#emit({ type: 'moved', time: wallNow(), id: this.id });
  }

  /** Reports the processes. */
  inspected(state: Pick<LiveState, 'processes' | 'ports' | 'refused'>): void {
    this.#emit({ type: 'state', time: wallNow(), id: this.id, ...state });
  }

  /** Handles the addon's event that it has read output. */
  changed(): void {
    this.#waitsNoLonger();
    for (const listener of [...this.#listeners]) listener();
  }

  /**
   * Calls `listener` after the next output, and at each {@link watch} again. Returns a function that removes
   * it.
   */
  follow(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.watch();
    return () => this.#listeners.delete(listener);
  }

  /** Asks for a call of the listeners after the next output. */
  watch(): void {
    if (this.#listeners.size > 0) theBinding().watchObserved(this.number);
  }

  /**
   * Returns at most `most` bytes of output from a cursor on; `null` once all observers have released the
   * command.
   */
  read(since: number, most: number): ObservedPiece | null {
    return theBinding().readObserved(this.number, since, most);
  }

  /**
   * Tells a command that waits for its observer that the output up to a cursor was taken; `null` for all of
   * it.
   */
  take(cursor: number | null): void {
    if (this.takesAll) theBinding().takeObserved(this.number, cursor);
  }

  /** Puts an observer in the place of another one. */
  replace(before: Observer, after: Observer): void {
    if (this.#observers.delete(before)) this.#observers.add(after);
  }

  /** Releases the command for an observer, which gets no more of it. The last one frees the output. */
  release(observer: Observer): void {
    if (!this.#observers.delete(observer)) return;
    if (this.#observers.size === 0) theBinding().forgetObserved(this.number);
    else if (observer.takesAll) this.take(null);
  }

  #by(): 'page' | 'host' {
    return this.isAskedByPage ? 'page' : 'host';
  }

  #waitsNoLonger(): void {
    if (this.#wait === null) return;
    this.#wait = null;
    this.#emit({ type: 'waiting', time: wallNow(), id: this.id, wait: null });
  }

  #emit(event: ObservedEvent, input?: Uint8Array): void {
    emitTo(this.#observers, event, this, input);
  }
}

/** Passes an event to observers. An error of one is a defect of this package, which must reach no command. */
function emitTo(
  observers: Observers,
  event: ObservedEvent,
  command: ObservedCommand | null = null,
  input?: Uint8Array,
): void {
  for (const observer of [...observers]) {
    try {
      observer.observe(event, command, input);
    } catch (error) {
      process.emitWarning(`An observer of commands has failed: ${String(error)}`, {
        code: 'OBSERVER_FAILED',
      });
    }
  }
}

/** Joins the observers of several scopes. */
function joinedObservers(scopes: readonly (Observers | undefined)[]): Observers {
  return new Set(scopes.flatMap((scope) => (scope === undefined ? [] : [...scope])));
}

/** The questions to hosts, by the object that `approve` gets. */
const questions: WeakMap<object, LiveQuestion> = new WeakMap();

/** The answers of `approve` that a person at a page has given. */
const pageAnswers: WeakSet<object> = new WeakSet();

/**
 * Reports a question to observers. `asked` is the object that `approve` gets. Returns the number of the
 * question.
 */
function emitQuestion(
  observers: Observers,
  asked: object,
  facts: Omit<LiveQuestion, 'type' | 'question'>,
): number {
  const question: LiveQuestion = { type: 'question', question: nextQuestion(), ...facts };
  questions.set(asked, question);
  emitTo(observers, { time: wallNow(), ...question });
  return question.question;
}

/** Returns who has given an answer of `approve`. */
function byOf(answer: unknown): 'host' | 'page' {
  return typeof answer === 'object' && answer !== null && pageAnswers.has(answer) ? 'page' : 'host';
}

let lastCall = 0;
let lastQuestion = 0;

/** Returns the number of a new tool call. */
function nextCall(): number {
  return ++lastCall;
}

/** Returns a number that no earlier question of this thread has. */
function nextQuestion(): number {
  return ++lastQuestion;
}

export {
  byOf,
  emitQuestion,
  emitTo,
  joinedObservers,
  nextCall,
  nextQuestion,
  ObservedCommand,
  pageAnswers,
  questions,
};
