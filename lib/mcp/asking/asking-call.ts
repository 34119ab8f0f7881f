import { AsyncLocalStorage } from 'node:async_hooks';
import type { Form, FormAnswer } from './request.ts';

/** A call whose command runs, and by which the user of its client is asked. */
export interface AskingCall {
  /**
   * Asks the user. Rejects when the signal fires, for a client that can't ask, and where no request is there
   * that could bring the answer.
   */
  ask(form: Form, signal: AbortSignal): Promise<FormAnswer>;
  /** Adds a line to the answer of the call. Returns `false` when the call has been answered. */
  note(line: string): boolean;
}

/** The calls whose commands run, by their asynchronous contexts. */
const calls: AsyncLocalStorage<AskingCall> = new AsyncLocalStorage();

/** The lines that a call's answer has behind its text. */
class Notes {
  #lines: string[] = [];
  #isTaken = false;

  add(line: string): boolean {
    if (!this.#isTaken && !this.#lines.includes(line)) this.#lines.push(line);
    return !this.#isTaken;
  }

  /** Returns the lines, behind which there are no others. */
  take(): string[] {
    this.#isTaken = true;
    return this.#lines;
  }
}

/** Returns the error of a question to a client that can't ask. */
function cannotAsk(): Error {
  return new Error('this client cannot ask the user (it has no elicitation)');
}

export { calls, cannotAsk, Notes };
