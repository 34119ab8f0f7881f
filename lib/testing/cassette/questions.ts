// The calls of an overlay, as entries of a cassette: `run` has the overlay, the method and its options, and
// the end has the answer. A diff stands among the events, so that each of its lines has a line.

import { Buffer } from 'node:buffer';
import type { NativeError } from '../../addon/addon-types.ts';
import type { OverlayChange, OverlayConflict } from '../../overlay/api.ts';
import type { Names } from '../names/names.ts';
import type { ActualCall } from './call.ts';
import type { CassetteEntry } from './cassette.ts';

/** The answer of an overlay, as a cassette stores it. */
export interface OverlayAnswer {
  changes: OverlayChange[];
  conflicts: OverlayConflict[];
  diff?: string | undefined;
  error?: NativeError | undefined;
}

/** The names of the overlays of a test in its cassette, by their numbers. */
export class OverlayNames {
  #names = new Map<number, string>();

  /** Names an overlay. */
  add(number: number, name: string): void {
    this.#names.set(number, name);
  }

  /** Returns the name for the next overlay. */
  next(): string {
    return `overlay ${this.#names.size + 1}`;
  }

  /** Returns the name of an overlay; one that an earlier test has made gets its name here. */
  of(number: number): string {
    const name = this.#names.get(number) ?? this.next();
    this.#names.set(number, name);
    return name;
  }
}

/** Returns a question as a call. */
export function questionOf(words: string[]): ActualCall {
  return {
    command: words.join(' '),
    argv: words,
    cwd: '',
    env: {},
    input: '',
    shell: undefined,
    options: {},
  };
}

/** Returns the stored form of an answer: the events and the end of an entry. */
export function storedAnswer(
  { diff, ...answer }: OverlayAnswer,
  names: Names,
): Pick<CassetteEntry, 'events' | 'end'> {
  const lines = names.storedParts(diff?.match(/[^\n]*\n|[^\n]+/g) ?? []).filter((line) => line !== '');
  const stored = JSON.parse(JSON.stringify(answer, toBase64), (_, each) =>
    typeof each === 'string' ? names.stored(each) : each,
  );
  return {
    events: diff === undefined || diff === '' ? [] : [[0, 'stdout', ...lines]],
    end: { at: 0, status: 'answered', answer: stored },
  };
}

/** Returns the answer that an entry of the cassette stores, with the names of this run. */
export function answerOf({ events, end }: CassetteEntry, names: Names): OverlayAnswer {
  const answer = JSON.parse(JSON.stringify(end.answer ?? {}), (_, each) => {
    return typeof each === 'string' ? names.actual(each) : fromBase64(each);
  });
  const diff = names.actual(events.flatMap(([, , ...lines]) => lines).join(''));
  return { changes: [], conflicts: [], diff, ...answer };
}

function toBase64(_: string, value: unknown): unknown {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown };
  // A buffer has become an object with its bytes already.
  return type === 'Buffer' && Array.isArray(data)
    ? { base64: Buffer.from(data as number[]).toString('base64') }
    : value;
}

function fromBase64(value: unknown): unknown {
  const { base64 } = (value ?? {}) as { base64?: unknown };
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64') : value;
}
