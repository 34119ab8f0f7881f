// Answers a question by the addon, and notes that answer for the test; without the addon, by what is stored.

import { isNativeError } from '../../addon/native-error.ts';
import { isRecord } from '../../options/checks.ts';
import type { Answers } from './answers.ts';
import { HANDLES, QUESTIONS } from './questions.ts';

/** Asks the addon; where there is none, the error that says so. */
type AskAddon = ((...given: unknown[]) => unknown) | Error;

/** The most questions outside of tests that are kept. */
const MAX_OUTSIDE = 1000;

/** Note answers to questions outside of tests, as when a module makes its tools, in those of a test. */
const outside: ((answers: Answers) => void)[] = [];

/** The answers that count outside of tests. */
let before: Answers | undefined;

/** Notes in the answers of a test what was asked outside of tests. */
export function recordOutside(answers: Answers): void {
  for (const note of outside) note(answers);
}

/** Sets the answers that count outside of tests. */
export function answerOutside(answers: Answers): void {
  before = answers;
}

/** The questions of all tests of a thread. */
export class Questioned {
  #current: () => Answers | undefined;

  constructor(current: () => Answers | undefined) {
    this.#current = current;
  }

  ask(name: string, given: unknown[], own: AskAddon): unknown {
    const handle = HANDLES[name];
    if (handle === undefined) return this.#ask(name, given, own);
    if (own instanceof Error) {
      const error = this.#ask(name, given, own);
      return isNativeError(error) ? error : this.#handle(handle, given, null, own);
    }
    const native = own(...given);
    const refused = isNativeError(native);
    this.#ask(name, given, (...asked) => (refused ? own(...asked) : null));
    return refused ? native : this.#handle(handle, given, native as object, own);
  }

  #handle(
    { name, methods }: { name: string; methods: readonly string[] },
    made: unknown[],
    native: object | null,
    own: AskAddon,
  ): object {
    const asking = (method: string): AskAddon =>
      native === null
        ? (own as Error)
        : (_, ...given) => (native as Record<string, (...all: unknown[]) => unknown>)[method](...given);
    const all = methods.map((method) => {
      const ask = asking(method);
      return [method, (...given: unknown[]) => this.#ask(`${name}.${method}`, [made, ...given], ask)];
    });
    return Object.fromEntries(all);
  }

  #ask(name: string, given: unknown[], own: AskAddon): unknown {
    const answers = this.#current();
    if (own instanceof Error) {
      const found = answers ?? before;
      if (found === undefined) throw own;
      const answer = found.answer(name, given, own);
      return QUESTIONS[name]?.isLater ? Promise.resolve(answer) : answer;
    }
    const answer = own(...given);
    const note = (settled: unknown) => {
      // A copy, because the caller may change its arguments later.
      const asked = copyOf(given);
      const collect = (into: Answers) => into.collect(name, asked, own, settled);
      if (answers !== undefined) collect(answers);
      else if (outside.length < MAX_OUTSIDE) outside.push(collect);
    };
    if (answer instanceof Promise) return noted(answer, note);
    note(answer);
    return answer;
  }
}

/** Resolves as a promise does, after a note of its value. */
async function noted(promise: Promise<unknown>, note: (value: unknown) => void): Promise<unknown> {
  const value = await promise;
  note(value);
  return value;
}

function copyOf(given: unknown[]): unknown[] {
  return given.map((each) => (Array.isArray(each) ? [...each] : isRecord(each) ? { ...each } : each));
}
