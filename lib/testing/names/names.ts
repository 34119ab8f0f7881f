// The names that stand for changing values in a cassette: `<root>`, `<tmp:1>`, `<secret:TOKEN>`.

import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Span } from './spans.ts';
import {
  ABOUT_PIDS,
  escapes,
  ownFiles,
  positions,
  randomPart,
  replaced,
  sessionFiles,
  TEMPORARY,
  TOKENS,
  UUID,
} from './spans.ts';

/** A value that a pattern finds, and the name for it. */
type Finder = (text: string) => Span[];

export interface NamesOptions {
  root: string;
  holes: Record<string, RegExp>;
  /** value -> the name of the variable that has it. */
  secrets: Map<string, string>;
}

/** The lowest pid of a replayed command: no process has it, so `process.kill()` hits nobody. */
export const FIRST_PID: number = 2 ** 30;

/** The names and values of one test. */
export class Names {
  #root: string;
  #paths: [string, string][];
  #holes: Record<string, RegExp>;
  #secrets: Map<string, string>;
  /** name -> value, as in `tmp:1`. */
  #values = new Map<string, string>();
  /** The names in a cassette that have a value in this run, by the commands that matched. */
  #bound = new Map<string, string>();

  constructor({ root, holes, secrets }: NamesOptions) {
    this.#root = root;
    this.#holes = holes;
    this.#secrets = secrets;
    const paths = new Map<string, string>();
    for (const [path, name] of [
      [root, 'root'],
      [real(root), 'root'],
      [homedir(), 'home'],
      [real(homedir()), 'home'],
    ]) {
      if (path.length > 1 && !paths.has(path)) paths.set(path, name);
    }
    this.#paths = [...paths].sort(([one], [other]) => other.length - one.length);
  }

  /** Binds a pid to a name, so that later texts have the name. */
  addPid(number: number, pid: number): void {
    this.#values.set(`pid:${number}`, String(pid));
  }

  /** Returns a text with names in place of values. */
  stored(text: string): string {
    return this.storedParts([text])[0];
  }

  /** Does the same with a text in which some values have their names already. */
  named(text: string): string {
    return replaced(
      text,
      this.#spans(text).filter(({ name }) => name !== '<lt>'),
    );
  }

  /**
   * Does the same with the parts of a text: a value that two parts share is found, and its name is in the
   * first.
   */
  storedParts(parts: string[]): string[] {
    const whole = parts.join('');
    const spans = this.#spans(whole);
    if (spans.length === 0) return parts;
    const results: string[] = [];
    let begin = 0;
    let index = 0;
    for (const part of parts) {
      const end = begin + part.length;
      let result = '';
      let at = begin;
      // A span that began in an earlier part has its name there.
      while (index < spans.length && spans[index].start < end) {
        const { start, end: stop, name } = spans[index];
        if (start >= begin) result += whole.slice(at, start) + name;
        at = Math.min(stop, end);
        if (stop > end) break;
        index++;
      }
      results.push(result + whole.slice(at, end));
      begin = end;
    }
    return results;
  }

  /** Returns a text with names in place of secrets alone. */
  withoutSecrets(text: string): string {
    return replaced(
      text,
      this.#secretSpans(text).sort((one, other) => one.start - other.start),
    );
  }

  /** Returns a text with values in place of names. Secrets stay names. */
  actual(text: string): string {
    return text.replace(/<(root|home|lt|[\w-]+:\d+|(?:hole|session):[\w-]+)>/g, (whole, name: string) => {
      if (name === 'lt') return '<';
      if (name === 'root') return this.#root;
      if (name === 'home') return homedir();
      if (name.startsWith('session:')) return `/tmp/agent-bash.0.0/${name.slice('session:'.length)}`;
      const value = NUMBERED_NAME.test(name) ? this.#bound.get(name) : this.#values.get(name);
      return value ?? this.#made(name) ?? whole;
    });
  }

  /**
   * Binds the names in a stored text to the values of an actual one, which has the same shape. Returns
   * whether they fit together, and to earlier ones.
   */
  bind(stored: string, actual: string): boolean {
    const names = [...stored.matchAll(NUMBERED)].map(([, name]) => name);
    const spans = this.#spans(actual).filter(({ name }) => name.match(NUMBERED) !== null);
    if (names.length !== spans.length) return false;
    const fresh = new Map<string, string>();
    const fits = names.every((name, index) => {
      const value = actual.slice(spans[index].start, spans[index].end);
      const known = this.#bound.get(name) ?? fresh.get(name);
      if (known === undefined) fresh.set(name, value);
      return known === undefined || known === value;
    });
    if (!fits) return false;
    for (const [name, value] of fresh) this.#bound.set(name, value);
    return true;
  }

  /** Returns a text in which every name is the same for all values, for the comparison of shapes. */
  shape(text: string): string {
    return text.replace(
      /<(root|home|own|lt|secret:[^>]*|[\w-]+:\d+|(?:hole|session):[\w-]+)>/g,
      (_, name: string) => {
        return `__${name.replace(/:\d+$/, '').replace(/\W/g, '_')}__`;
      },
    );
  }

  /** Returns a value for a name that no command has bound. */
  #made(name: string): string | undefined {
    const [kind, number] = name.split(':');
    if (kind === 'pid') return String(FIRST_PID + Number(number));
    if (kind === 'tmp') return `/tmp/replayed-${number}`;
    if (kind === 'uuid') return `00000000-0000-4000-8000-${number.padStart(12, '0')}`;
    return undefined;
  }

  #spans(text: string): Span[] {
    const finders: Finder[] = [
      (searched) => this.#secretSpans(searched),
      (searched) => this.#holeSpans(searched),
      ownFiles,
      sessionFiles,
      (searched) => this.#pathSpans(searched),
      (searched) => this.#numbered(searched, 'tmp', TEMPORARY),
      (searched) => this.#numbered(searched, 'uuid', UUID),
      (searched) => this.#pidSpans(searched),
      escapes,
    ];
    const found: Span[] = [];
    for (const find of finders) {
      for (const span of find(text)) {
        if (!found.some(({ start, end }) => span.start < end && start < span.end)) found.push(span);
      }
    }
    return found.sort((one, other) => one.start - other.start);
  }

  #secretSpans(text: string): Span[] {
    const spans: Span[] = [];
    for (const [value, name] of this.#secrets) {
      for (const start of positions(text, value)) {
        spans.push({ start, end: start + value.length, name: `<secret:${name}>` });
      }
    }
    for (const match of text.matchAll(TOKENS)) {
      spans.push({ start: match.index, end: match.index + match[0].length, name: '<secret:token>' });
    }
    return spans;
  }

  #holeSpans(text: string): Span[] {
    const spans: Span[] = [];
    for (const [name, pattern] of Object.entries(this.#holes)) {
      const flags = new Set([...pattern.flags, 'g', 'd']);
      for (const match of text.matchAll(new RegExp(pattern.source, [...flags].join('')))) {
        const [start, end] = match.indices?.[1] ?? match.indices?.[0] ?? [0, 0];
        const key = `hole:${name}`;
        // A hole has one value in a test.
        if (end > start && !this.#values.has(key)) this.#values.set(key, text.slice(start, end));
      }
      const value = this.#values.get(`hole:${name}`);
      if (value === undefined) continue;
      for (const start of positions(text, value)) {
        const [before, after] = [text[start - 1] ?? ' ', text[start + value.length] ?? ' '];
        if (/\w/.test(before) && /\w/.test(value[0])) continue;
        if (/\w/.test(after) && /\w/.test(value.at(-1) ?? '')) continue;
        spans.push({ start, end: start + value.length, name: `<hole:${name}>` });
      }
    }
    return spans;
  }

  #pathSpans(text: string): Span[] {
    const spans: Span[] = [];
    for (const [path, name] of this.#paths) {
      for (const start of positions(text, path)) {
        const [before, after] = [text[start - 1] ?? ' ', text[start + path.length] ?? '/'];
        if (/[\w.-]/.test(before) || /[\w-]/.test(after)) continue;
        spans.push({ start, end: start + path.length, name: `<${name}>` });
      }
    }
    return spans;
  }

  #numbered(text: string, kind: string, pattern: RegExp): Span[] {
    const spans: Span[] = [];
    for (const match of text.matchAll(pattern)) {
      const value = kind === 'tmp' ? randomPart(match[0]) : match[0];
      if (value === '') continue;
      spans.push({
        start: match.index,
        end: match.index + value.length,
        name: `<${this.#nameOf(kind, value)}>`,
      });
    }
    return spans;
  }

  #nameOf(kind: string, value: string): string {
    let number = 1;
    for (const [name, known] of this.#values) {
      if (!name.startsWith(`${kind}:`)) continue;
      if (known === value) return name;
      number = Math.max(number, Number(name.slice(kind.length + 1)) + 1);
    }
    this.#values.set(`${kind}:${number}`, value);
    return `${kind}:${number}`;
  }

  #pidSpans(text: string): Span[] {
    const spans: Span[] = [];
    for (const [name, value] of this.#values) {
      if (!name.startsWith('pid:')) continue;
      for (const start of positions(text, value)) {
        const [before, after] = [text[start - 1] ?? ' ', text[start + value.length] ?? ' '];
        if (/[\w.]/.test(before) || /\w/.test(after)) continue;
        const isPid = ABOUT_PIDS.test(text.slice(Math.max(0, start - 12), start)) || text.trim() === value;
        if (isPid) spans.push({ start, end: start + value.length, name: `<${name}>` });
      }
    }
    return spans;
  }
}

/** A name with a number, whose value a command binds. */
const NUMBERED_NAME = /^(?:tmp|uuid):\d+$/;
const NUMBERED = /<((?:tmp|uuid):\d+)>/g;

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
