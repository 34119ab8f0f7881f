// Replaces what differs in each run in a question of a tool: times, pids and ids. A stored answer is about
// fixed values in their places, for which the addon is asked once more; the values of a run stand in the
// answer there.

import { Buffer } from 'node:buffer';
import { isRecord } from '../../options/checks.ts';
import type { Question } from './questions.ts';

/** The fixed values. A pid is that of no process. */
const DURATION_MS = 1000;
const TIME = '2000-01-01T00:00:00.000Z';
const CHUNK_ID = 'c0ffee';
const FIRST_PID = 2 ** 30 + 2 ** 24;

/** The states in which a time limit has been reached: answers tell which one. */
const LIMITED = ['timeout', 'background'];

/** The arguments of tools that are time limits, in milliseconds or seconds. */
const TIME_LIMIT = /timeout|wait|yield/i;

/** The fields of an outcome that have a pid, or several. */
const PIDS = ['pid', 'processGroup', 'backgroundPids'];

/** The ids of jobs of one test, which are numbers of the whole process. */
export class JobIds {
  #fixed = new Map<string, string>();

  /** Returns the fixed id of a job. Ids without a number stay. */
  note(id: string): string {
    const known = this.#fixed.get(id);
    if (known !== undefined) return known;
    const fixed = id.replace(/\d+$/, String(1000 + this.#fixed.size + 1));
    this.#fixed.set(id, fixed);
    return fixed;
  }

  get(id: string): string | undefined {
    return this.#fixed.get(id);
  }
}

/** A question in fixed values, and the pairs of these and the values of this run. */
export interface Normal {
  given: unknown[];
  values: Map<string, string>;
}

/** Returns a question with fixed values in the JSON at some places of its arguments. */
export function normal(given: readonly unknown[], json: readonly number[], ids: JobIds): Normal {
  const values = new Map<string, string>();
  const fix = (fixed: unknown, actual: unknown) => {
    values.set(String(fixed), String(actual));
    return fixed;
  };
  let pids = 0;
  const known = new Map<unknown, number>();
  const pid = (actual: unknown): unknown => {
    if (Array.isArray(actual)) return actual.map(pid);
    if (typeof actual !== 'number') return actual;
    if (!known.has(actual)) known.set(actual, FIRST_PID + ++pids);
    return fix(known.get(actual), actual);
  };
  const limits = json.flatMap((index) => timeLimits(parsedJson(given[index])));
  const duration = (actual: number, status: unknown) => {
    if (!LIMITED.includes(String(status))) return DURATION_MS;
    const reached = limits.filter((limit) => limit <= actual);
    // Without an argument, the limit is a default, of whole seconds.
    return reached.length > 0 ? Math.max(...reached) : Math.floor(actual / 1000) * 1000;
  };
  const walk = (value: unknown, name: string, status?: unknown): unknown => {
    if (PIDS.includes(name)) return pid(value);
    if (name === 'durationMs' && typeof value === 'number') return duration(value, status);
    if (name === 'time' && typeof value === 'string') return fix(TIME, value);
    if (name === 'chunkId' && typeof value === 'string') return fix(CHUNK_ID, value);
    if (name === 'job' && typeof value === 'string') return fix(ids.note(value), value);
    if (Array.isArray(value)) return value.map((each) => walk(each, ''));
    if (isRecord(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => [key, walk(each, key, value.status)]),
      );
    }
    const id = typeof value === 'string' || typeof value === 'number' ? ids.get(String(value)) : undefined;
    if (id === undefined) return value;
    return fix(typeof value === 'number' ? Number(id) : id, value);
  };
  const all = given.map((each, index) => {
    if (!json.includes(index)) return each;
    const parsed = parsedJson(each);
    return parsed === undefined ? each : JSON.stringify(walk(parsed, ''));
  });
  return { given: all, values };
}

/** Returns the time limits among the arguments of a tool (ms). */
function timeLimits(args: object | undefined): number[] {
  return Object.entries(args ?? {})
    .filter(([name, value]) => typeof value === 'number' && TIME_LIMIT.test(name))
    .flatMap(([, value]) => [value, value * 1000]);
}

/**
 * Returns a question with names in what a command has written, and its sizes with them: the answer is the
 * same on all machines.
 */
export function withNames(
  given: readonly unknown[],
  { outcome, ...places }: NonNullable<Question['output']>,
  name: (text: string) => string,
): unknown[] {
  const all = [...given];
  const sizes = parsedJson(given[outcome]) as Record<string, unknown> | undefined;
  if (sizes === undefined) return all;
  const before = Number(sizes.stdoutBytes) + Number(sizes.stderrBytes);
  for (const [stream, place] of Object.entries(places)) {
    const text = given[place];
    if (typeof text !== 'string') continue;
    const named = name(text);
    all[place] = named;
    const size = `${stream}Bytes`;
    if (typeof sizes[size] !== 'number') continue;
    // The paths of the package's own files, which it takes out of an output, have another length each time.
    const left = sizes.truncated === true ? sizes[size] - Buffer.byteLength(text) : 0;
    sizes[size] = left + Buffer.byteLength(named);
  }
  if (sizes.cursor === before) sizes.cursor = Number(sizes.stdoutBytes) + Number(sizes.stderrBytes);
  all[outcome] = JSON.stringify(sizes);
  return all;
}

/** Returns a text with the values of this run in the places of the fixed ones. */
export function inRun(text: string, values: Map<string, string>): string {
  let result = text;
  for (const [fixed, actual] of values) {
    if (fixed !== actual && result.includes(fixed)) result = result.replaceAll(fixed, actual);
  }
  return result;
}

/** Returns the object or list of a JSON text; `undefined` for any other text. */
export function parsedJson(text: unknown): object | undefined {
  if (typeof text !== 'string' || !/^[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
