import type { Names } from '../names/names.ts';
import type { ActualCall, CallFields } from './call.ts';
import { differences } from './call.ts';
import type { Cassette, CassetteEntry } from './cassette.ts';
import type { Nearest } from './failures.ts';
import { textOf } from './failures.ts';

/** The recorded commands of one test, and which of them have run. */
export class Section {
  readonly name: string;
  /** Whether the cassette has it. */
  readonly isThere: boolean;
  readonly entries: CassetteEntry[];
  #cassette: Cassette;
  #names: Names;
  #isStrict: boolean;
  #used = new Set<CassetteEntry>();

  constructor(cassette: Cassette, name: string, names: Names, isStrict: boolean) {
    const entries = cassette.section(name);
    this.name = name;
    this.isThere = entries !== undefined;
    this.entries = entries ?? [];
    this.#cassette = cassette;
    this.#names = names;
    this.#isStrict = isStrict;
  }

  /** The entries that have answered no call. */
  get left(): CassetteEntry[] {
    return this.entries.filter((entry) => !this.#used.has(entry));
  }

  /** Returns the entry that answers a call, which answers no other from then on. */
  take(actual: CallFields, call: ActualCall): CassetteEntry | undefined {
    const candidates = this.#isStrict ? this.left.slice(0, 1) : this.left;
    const found = candidates.find((entry) => {
      const isSame = differences(callFields(entry), actual, this.#names, call.shell).length === 0;
      return isSame && this.#names.bind(textsOf(callFields(entry)), rawTexts(call));
    });
    if (found !== undefined) this.#used.add(found);
    return found;
  }

  /** Returns the unused entry that is nearest to a call. */
  nearest(actual: CallFields, call: ActualCall): Nearest | undefined {
    const ranked = this.left
      .map((entry) => ({
        entry,
        differences: differences(callFields(entry), actual, this.#names, call.shell),
        distance: distance(textOf(entry.run), textOf(actual.run)),
      }))
      .sort(
        (one, other) => one.distance - other.distance || one.differences.length - other.differences.length,
      );
    const [best] = ranked;
    return (
      best && { fields: callFields(best.entry), line: this.line(best.entry), differences: best.differences }
    );
  }

  /** Returns the line of an entry in the file. */
  line(entry: CassetteEntry): number {
    return this.#cassette.line(this.name, this.entries.indexOf(entry));
  }
}

/** Returns the fields of an entry that are compared. */
function callFields(entry: CassetteEntry): CallFields {
  const {
    pid: _,
    events: __,
    end: ___,
    usage: ____,
    exact: _____,
    notes: ______,
    files: _______,
    ...fields
  } = entry;
  return fields as CallFields;
}

/** Returns the texts of a stored call in which names can be. */
function textsOf({ run, cwd, env, input, ...options }: CallFields): string {
  const variables = Object.values((env ?? {}) as Record<string, string>);
  const command = typeof run === 'string' ? [run] : run;
  const text = typeof input === 'string' ? input : '';
  return [...command, cwd, ...variables, text, ...placeOf(options)].join('\0');
}

/** Returns the same texts of a call before it is stored. */
function rawTexts({ command, argv, cwd, env, input, options }: ActualCall): string {
  const text = typeof input === 'string' ? input : '';
  return [...(argv ?? [command]), cwd, ...Object.values(env), text, ...placeOf(options)].join('\0');
}

/** Returns the options that have paths. */
function placeOf({ target, sandbox }: Record<string, unknown>): string[] {
  return [target, sandbox].map((value) => JSON.stringify(value) ?? '');
}

/** Returns how far two commands are apart: by the words that only one of them has. */
function distance(one: string, other: string): number {
  const [first, second] = [one, other].map((text) => text.split(/\s+/));
  const common = first.filter((word) => second.includes(word)).length;
  return first.length + second.length - 2 * common;
}
