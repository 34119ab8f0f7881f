// The file with the recordings of a test file: JSON, in which a line of output is a line of the file.

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CallFields } from './call.ts';
import { isEntry } from './checks.ts';
import type { StoredFile } from './files.ts';

/** The stored form of an event: its time (ms), its kind, and its values. */
export type StoredEvent = [at: number, kind: string, ...values: unknown[]];

/** A command of a cassette. */
export interface CassetteEntry extends CallFields {
  pid?: number;
  events: StoredEvent[];
  end: { at: number | 'never'; status: string; [field: string]: unknown };
  usage?: (number | null)[];
  exact?: Record<string, unknown>;
  /** The changes of the command below the root. */
  files?: StoredFile[];
  /** The texts that the command wrote to files that it shares with this package, by the names of these. */
  notes?: Record<string, string>;
}

type Tests = Record<string, CassetteEntry[]>;

/** The version of the format. */
const VERSION = 1;

/** A cassette, and the sections of its tests. */
export class Cassette {
  readonly path: string;
  #tests: Tests;
  #text: string;

  /** @param isRead whether the file counts */
  constructor(path: string, isRead = true) {
    this.path = path;
    this.#text = isRead && existsSync(path) ? readFileSync(path, 'utf8') : '';
    this.#tests = this.#text === '' ? {} : testsIn(this.#text, path);
  }

  /** The names of all sections. */
  get names(): string[] {
    return Object.keys(this.#tests);
  }

  section(test: string): CassetteEntry[] | undefined {
    return Object.hasOwn(this.#tests, test) ? this.#tests[test] : undefined;
  }

  /** Returns the line of an entry of a section. */
  line(test: string, index: number): number {
    const before = Object.keys(this.#tests).slice(0, Object.keys(this.#tests).indexOf(test));
    const number = before.reduce((sum, name) => sum + this.#tests[name].length, index);
    let seen = -1;
    const lines = this.#text.split('\n');
    return lines.findIndex((line) => /^\s*(?:\{\s*)?"run":/.test(line) && ++seen === number) + 1;
  }

  /** Replaces the section of a test, unless only times, pids, usage or the bounds of chunks have changed. */
  write(test: string, entries: CassetteEntry[], check: (text: string) => void): void {
    const before = this.section(test);
    if (before !== undefined && essence(before) === essence(entries)) return;
    this.#update((tests) => ({ ...tests, [test]: entries }), check);
  }

  /** Removes sections. */
  remove(tests: string[]): void {
    this.#update((all) => Object.fromEntries(Object.entries(all).filter(([name]) => !tests.includes(name))));
  }

  /** Returns whether two sections have the same commands, which gave the same. */
  areSame(one: string, other: string): boolean {
    const [first, second] = [this.section(one), this.section(other)];
    return first !== undefined && second !== undefined && essence(first) === essence(second);
  }

  #update(change: (tests: Tests) => Tests, check: (text: string) => void = () => {}): void {
    // Other processes may have written their sections meanwhile.
    const fresh = existsSync(this.path) ? testsIn(readFileSync(this.path, 'utf8'), this.path) : {};
    const tests = change(fresh);
    const names = Object.keys(tests).sort((one, other) => (one < other ? -1 : 1));
    const text = format(names.map((name) => [name, tests[name]]));
    check(text);
    mkdirSync(dirname(this.path), { recursive: true });
    writeFileSync(`${this.path}.${process.pid}`, text);
    renameSync(`${this.path}.${process.pid}`, this.path);
    this.#tests = Object.fromEntries(names.map((name) => [name, tests[name]]));
    this.#text = text;
  }
}

function testsIn(text: string, path: string): Tests {
  let value: { cassette?: unknown; tests?: unknown };
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw wrong(path, `is not JSON: ${(error as Error).message}`);
  }
  if (value?.cassette !== VERSION) throw wrong(path, `has the version ${value?.cassette}, not ${VERSION}`);
  if (value.tests === null || typeof value.tests !== 'object') throw wrong(path, 'has no tests');
  const tests = value.tests as Tests;
  for (const [name, entries] of Object.entries(tests)) {
    if (!Array.isArray(entries)) throw wrong(path, `has no list of commands in ${JSON.stringify(name)}`);
    const index = entries.findIndex((entry) => !isEntry(entry));
    if (index < 0) continue;
    const run = (entries[index] as CassetteEntry | null)?.run ?? `the command ${index + 1}`;
    throw wrong(path, `has a broken command in ${JSON.stringify(name)}: ${JSON.stringify(run)}`);
  }
  return tests;
}

function wrong(path: string, fault: string): Error {
  return Object.assign(new Error(`CASSETTE_INVALID: ${path} ${fault}. Record it again.`), {
    code: 'CASSETTE_INVALID',
  });
}

/** Returns the parts of entries that a new recording must change to be written. */
function essence(entries: CassetteEntry[]): string {
  const parts = entries.map(({ pid: _, usage: __, events, end, exact, ...entry }) => {
    const { at: ___, limits, ...ended } = end;
    const reached = limits && { ...limits, usage: undefined };
    return [entry, joined(events), ended, reached, exact === undefined ? null : withoutTimes(exact)];
  });
  return JSON.stringify(parts);
}

function withoutTimes(exact: Record<string, unknown>): Record<string, unknown> {
  const { durationMs: _, ...rest } = exact;
  return rest;
}

/** Joins what a stream writes between two other events, and leaves times out. */
function joined(events: StoredEvent[]): unknown[] {
  const result: unknown[] = [];
  let written: Record<string, unknown[]> = {};
  const flush = () => {
    const streams = Object.entries(written).sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [stream, values] of streams) {
      const isText = values.every((value) => typeof value === 'string');
      result.push([stream, isText ? values.join('') : values]);
    }
    written = {};
  };
  for (const [, kind, ...values] of events) {
    if (kind === 'stdout' || kind === 'stderr') {
      written[kind] = [...(written[kind] ?? []), ...values];
    } else if (kind !== 'spawn') {
      flush();
      result.push([kind, ...values]);
    }
  }
  flush();
  return result;
}

/** Formats the file: each field of a command, each event, and each line of output has a line. */
function format(tests: [string, CassetteEntry[]][]): string {
  const sections = tests.map(([name, entries]) => {
    const commands = entries.map((entry) => `{\n${fields(entry)}\n    }`);
    return `    ${JSON.stringify(name)}: [${commands.join(', ')}]`;
  });
  return `{\n  "cassette": ${VERSION},\n  "tests": {\n${sections.join(',\n')}\n  }\n}\n`;
}

function fields(entry: CassetteEntry): string {
  const lines = Object.entries(entry).map(([name, value]) => {
    const text =
      name === 'events'
        ? eventLines(value as StoredEvent[])
        : name === 'files'
          ? listLines(value as unknown[])
          : oneLine(value);
    return `      ${JSON.stringify(name)}: ${text}`;
  });
  return lines.join(',\n');
}

function eventLines(events: StoredEvent[]): string {
  if (events.length === 0) return '[]';
  const lines = events.map((event) => {
    const [at, kind, ...values] = event;
    if (values.length < 2) return `        ${oneLine(event)}`;
    const texts = values.map((value) => `          ${JSON.stringify(value)}`);
    return `        [${at}, ${JSON.stringify(kind)},\n${texts.join(',\n')}]`;
  });
  return `[\n${lines.join(',\n')}\n      ]`;
}

/** Formats a list with a line for each item. */
function listLines(items: unknown[]): string {
  return `[\n${items.map((item) => `        ${oneLine(item)}`).join(',\n')}\n      ]`;
}

/** Formats a value on one line, with a blank after each comma and colon. */
function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, each]) => each !== undefined);
  if (fields.length === 0) return '{}';
  return `{ ${fields.map(([name, each]) => `${JSON.stringify(name)}: ${oneLine(each)}`).join(', ')} }`;
}
