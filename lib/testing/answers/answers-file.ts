// The file with stored answers of the addon, beside a cassette: a line of JSON for each, in one order.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isRecord } from '../../options/checks.ts';
import { codedError } from '../../support/coded-error.ts';

export interface StoredAnswer {
  /** The name of the question. */
  ask: string;
  /** The beginning of what was asked, for people. */
  of: string;
  /** The hash of all that the answer depends on. */
  key: string;
  answer: unknown;
}

/** The version of the format, in the first line. */
const VERSION = 1;
const HEAD = `{ "answers": ${VERSION} }`;

/** Returns the path of the answers beside a cassette. */
export function answersPath(cassette: string): string {
  return `${cassette.replace(/\.json$/, '')}.addon.jsonl`;
}

export class AnswersFile {
  /** `undefined` for answers that are nowhere. */
  readonly path: string | undefined;
  #answers: Map<string, StoredAnswer> | undefined;

  constructor(path: string | undefined) {
    this.path = path;
  }

  get #text(): string {
    return this.path !== undefined && existsSync(this.path) ? readFileSync(this.path, 'utf8') : '';
  }

  get(key: string): StoredAnswer | undefined {
    this.#answers ??= this.#read();
    return this.#answers.get(key);
  }

  /** Returns the line of an answer. */
  line(key: string): number {
    const lines = this.#text.split('\n');
    return lines.findIndex((line) => line.includes(`"key": ${JSON.stringify(key)}`)) + 1;
  }

  /** Adds answers, and keeps the others. */
  add(answers: StoredAnswer[], check: (text: string) => void): void {
    if (answers.length === 0) return;
    // Other processes may have written theirs meanwhile.
    const all = this.#read();
    for (const answer of answers) all.set(answer.key, answer);
    this.#write(all, check);
  }

  /** Removes all answers but those with these keys. */
  keep(keys: ReadonlySet<string>): void {
    const all = this.#read();
    const kept = new Map([...all].filter(([key]) => keys.has(key)));
    if (kept.size < all.size) this.#write(kept, () => {});
  }

  #write(all: Map<string, StoredAnswer>, check: (text: string) => void): void {
    this.#answers = all;
    if (this.path === undefined) return;
    if (all.size === 0) {
      rmSync(this.path, { force: true });
      return;
    }
    const lines = [...all.values()].sort(byQuestion).map(lineOf);
    const text = `${[HEAD, ...lines].join('\n')}\n`;
    check(text);
    mkdirSync(dirname(this.path), { recursive: true });
    writeFileSync(`${this.path}.${process.pid}`, text);
    renameSync(`${this.path}.${process.pid}`, this.path);
  }

  #read(): Map<string, StoredAnswer> {
    const text = this.#text;
    if (text === '') return new Map();
    const [head, ...lines] = text.split('\n');
    if ((parsed(head) as { answers?: unknown } | null)?.answers !== VERSION) throw this.#wrong(1);
    const answers = lines.flatMap((line, index) => {
      if (line.trim() === '') return [];
      const answer = parsed(line);
      if (!isAnswer(answer)) throw this.#wrong(index + 2);
      return [answer];
    });
    return new Map(answers.map((answer) => [answer.key, answer]));
  }

  #wrong(line: number): Error {
    const message = `CASSETTE_INVALID: ${this.path}:${line} is no stored answer. Remove the file, and record again.`;
    return codedError('CASSETTE_INVALID', message);
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function isAnswer(value: unknown): value is StoredAnswer {
  if (!isRecord(value)) return false;
  const { ask, of, key } = value;
  return [ask, of, key].every((each) => typeof each === 'string') && 'answer' in value;
}

function byQuestion(one: StoredAnswer, other: StoredAnswer): number {
  const [first, second] = [one, other].map(({ ask, of, key }) => `${ask}\0${of}\0${key}`);
  return first < second ? -1 : 1;
}

function lineOf({ ask, of, key, answer }: StoredAnswer): string {
  const fields = Object.entries({ ask, of, key, answer });
  return `{ ${fields.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(', ')} }`;
}
