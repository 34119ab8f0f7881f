// The answers of the addon in one test: with the addon, they are collected; without it, those that an earlier
// run has stored count.

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../options/checks.ts';
import type { Names } from '../names/names.ts';
import type { AnswersFile, StoredAnswer } from './answers-file.ts';
import type { Normal } from './normal.ts';
import { inRun, JobIds, normal, parsedJson, withNames } from './normal.ts';
import type { Given, Question } from './questions.ts';
import { QUESTIONS } from './questions.ts';

/** Asks the addon; `null` without it. */
export type Ask = ((...given: unknown[]) => unknown) | null;

export interface AnswersOptions {
  file: AnswersFile;
  names: Names;
  redact: ((text: string) => string) | undefined;
  /** Is called after each answer that is collected. */
  onCollect: () => void;
  /** Returns the error for a question without an answer. */
  onMissing: (question: string, cause: Error) => Error;
}

/** The most characters of a question that its line shows. */
const SHOWN = 100;

export class Answers {
  #file: AnswersFile;
  #names: Names;
  #redact: (text: string) => string;
  #ids = new JobIds();
  #all = new Map<string, StoredAnswer>();
  #onCollect: () => void;
  #onMissing: (question: string, cause: Error) => Error;

  constructor({ file, names, redact = same as never, onCollect, onMissing }: AnswersOptions) {
    this.#file = file;
    this.#onCollect = onCollect;
    this.#names = names;
    this.#redact = redact;
    this.#onMissing = onMissing;
  }

  /** The answers that were collected. */
  get collected(): StoredAnswer[] {
    return [...this.#all.values()];
  }

  /** The collected answers that the file has otherwise. */
  get changed(): StoredAnswer[] {
    return this.collected.filter(({ key, answer }) => {
      const stored = this.#file.get(key);
      return stored !== undefined && this.#shape(stored.answer) !== this.#shape(answer);
    });
  }

  /** The collected answers that the file does not have. */
  get missing(): StoredAnswer[] {
    return this.collected.filter(({ key }) => this.#file.get(key) === undefined);
  }

  /** Adds answers that a child of the test has collected. */
  add(answers: StoredAnswer[]): void {
    for (const answer of answers) this.#all.set(answer.key, answer);
  }

  /** Collects the answer to a question. */
  collect(name: string, given: Given, ask: NonNullable<Ask>, answer: unknown): void {
    if (this.#file.path === undefined) return;
    const question = QUESTIONS[name] ?? {};
    const fixed = this.#fixed(given, question);
    const key = this.#key(name, question, fixed.given);
    if (this.#all.has(key)) return;
    const fixedAnswer = isDeepStrictEqual(fixed.given, [...given]) ? answer : ask(...fixed.given);
    if (question.plain !== undefined && isDeepStrictEqual(question.plain(fixed.given), fixedAnswer)) return;
    const { of = same } = question.part ?? {};
    const stored = this.#stored(of(fixedAnswer), question.output !== undefined);
    this.#all.set(key, { ask: name, of: this.label(name, given), key, answer: stored });
    this.#onCollect();
  }

  /** Returns the stored answer to a question, or the one that needs no addon; `undefined` without either. */
  find(name: string, given: Given): { answer: unknown } | undefined {
    const question = QUESTIONS[name] ?? {};
    const fixed = this.#fixed(given, question);
    const key = this.#key(name, question, fixed.given);
    const stored = this.#file.get(key);
    if (stored === undefined) return question.plain && { answer: question.plain(given) };
    const { whole = same } = question.part ?? {};
    return { answer: whole(this.#actual(stored.answer, fixed.values), given) };
  }

  /** Returns the stored answer, or throws the failure of the test without one. */
  answer(name: string, given: Given, cause: Error): unknown {
    const found = this.find(name, given);
    if (found === undefined) throw this.#onMissing(`${name}(${this.label(name, given)})`, cause);
    return found.answer;
  }

  /** Returns the beginning of what is asked. */
  label(name: string, given: Given): string {
    const counted = QUESTIONS[name]?.about?.(given) ?? given;
    const [first, ...others] = (Array.isArray(counted) ? counted : [counted]).slice(
      name.includes('.') ? 1 : 0,
    );
    const command = isRecord(first) && typeof first.command === 'string' ? first.command : undefined;
    // After the name of a tool and its arguments comes an outcome, whose command they tell.
    const shown = name.startsWith('dialect.') ? [first, others[0]] : [first, ...others];
    const [[what] = ['']] = name.startsWith('dialect.') ? (given as [[unknown]]) : [];
    const texts = (shown.length === 0 ? [what] : shown)
      .filter((each) => each !== undefined)
      .map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
    const text = this.#redact(this.#names.stored(command ?? texts.join(' ')));
    return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  }

  /** Returns a question as it would be in another run and on another machine. */
  #fixed(given: Given, { json = [], output }: Question): Normal {
    const name = (text: string) => withSecretNames(this.#redact(this.#names.stored(text)));
    return normal(output === undefined ? given : withNames(given, output, name), json, this.#ids);
  }

  #key(name: string, { about = same }: Question, given: Given): string {
    // Random paths count by their order in the question: their numbers may be others in a replay.
    const numbers: string[] = [];
    const stored = JSON.stringify(this.#stored(about(given)));
    const text = withSecretNames(stored).replace(NUMBERED, (path, kind) => {
      if (!numbers.includes(path)) numbers.push(path);
      return `<${kind} ${numbers.indexOf(path)}>`;
    });
    const asked = this.#names.shape(text);
    return createHash('sha256').update(`${name}\0${asked}`).digest('hex').slice(0, 16);
  }

  /** Returns a value with names in its texts. JSON in a text becomes a value too. */
  #stored(value: unknown, hasNames = false): unknown {
    const store = (text: string) => (hasNames ? this.#names.named(text) : this.#names.stored(text));
    return JSON.parse(JSON.stringify(value) ?? 'null', (key, each) => {
      if (typeof each !== 'string') return each;
      const object = parsedJson(each);
      if (object !== undefined && (IN_JSON.includes(key) || JSON.stringify(object) === each)) {
        return { json: this.#stored(object, hasNames) };
      }
      return this.#redact(store(each));
    });
  }

  /** Returns a stored value with the values of this run. */
  #actual(value: unknown, values: Map<string, string>): unknown {
    if (typeof value === 'string') return inRun(this.#names.actual(value), values);
    if (typeof value === 'number') return Number(values.get(String(value)) ?? value);
    if (Array.isArray(value)) return value.map((each) => this.#actual(each, values));
    if (!isRecord(value)) return value;
    const entries = Object.entries(value);
    if (entries.length === 1 && 'json' in value) return JSON.stringify(this.#actual(value.json, values));
    return Object.fromEntries(entries.map(([key, each]) => [key, this.#actual(each, values)]));
  }

  /** Returns a text of a stored value that is equal for all values of its names. */
  #shape(value: unknown): string {
    return this.#names.shape(JSON.stringify(value) ?? '');
  }
}

/** Returns a stored text in which a secret has the same name in a recording and in its replay. */
function withSecretNames(text: string): string {
  return text.replaceAll('<lt>secret:', '<secret:');
}

const NUMBERED = /<(tmp|uuid|pid):\d+>/g;

/** The fields of an answer that are JSON, in whatever form. `''` is an answer that is one as a whole. */
const IN_JSON = ['', 'action', 'data'];

function same(value: unknown): unknown {
  return value;
}
