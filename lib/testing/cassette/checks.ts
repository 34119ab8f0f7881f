// Checks of what a cassette has: people edit it, and merge it.

import type { CassetteEntry } from './cassette.ts';

type Fields = Record<string, unknown>;

const STATUSES = [
  'exited',
  'signaled',
  'timeout',
  'idleTimeout',
  'aborted',
  'failed',
  'denied',
  'background',
  'answered',
];

/** The kinds of events, beside output. */
const KINDS = [
  'spawn',
  'waiting',
  'checked',
  'ports',
  'background',
  'write',
  'end',
  'kill',
  'abort',
  'expire',
  'resize',
  'dispose',
];

/** Returns whether a value is a command of a cassette, or a question to an overlay. */
export function isEntry(value: unknown): value is CassetteEntry {
  if (!isObject(value)) return false;
  const { run, cwd, env, events, end, pid, usage, notes, files } = value;
  return (
    (typeof run === 'string' || (isTexts(run) && run.length > 0)) &&
    typeof cwd === 'string' &&
    (env === undefined || isTextsByName(env)) &&
    Array.isArray(events) &&
    events.every(isEvent) &&
    isEnd(end) &&
    isNumberOr(pid) &&
    (usage === undefined ||
      (Array.isArray(usage) && usage.every((each) => each === null || isNumber(each)))) &&
    (notes === undefined || isTextsByName(notes)) &&
    (files === undefined || (Array.isArray(files) && files.every(isFile)))
  );
}

function isEvent(event: unknown): boolean {
  if (!Array.isArray(event) || !isNumber(event[0])) return false;
  const [, kind, ...values] = event;
  const [first] = values;
  if (kind === 'stdout' || kind === 'stderr') {
    return values.every((value) => typeof value === 'string' || typeof value?.base64 === 'string');
  }
  if (kind === 'background') return isEnd(first);
  if (kind === 'ports') return Array.isArray(first) && first.every(isObject);
  if (kind === 'waiting') return isObject(first);
  if (kind === 'checked') return first === null || isObject(first);
  return KINDS.includes(kind) && values.every((value) => typeof value === 'string');
}

function isEnd(end: unknown): boolean {
  if (!isObject(end)) return false;
  const { at, status, exitCode, signal, exact, plain, spill, error } = end;
  return (
    // Only a command that outlived its test has no end.
    (isNumber(at) || (at === 'never' && status === 'aborted')) &&
    STATUSES.includes(status as string) &&
    isNumberOr(exitCode) &&
    isTextOr(signal) &&
    [exact, plain, spill, error].every((each) => each === undefined || isObject(each)) &&
    (error === undefined || (isTextOr((error as Fields).code) && isTextOr((error as Fields).message)))
  );
}

function isFile(file: unknown): boolean {
  if (typeof file === 'string') return true;
  return isObject(file) && typeof file.path === 'string' && isTextOr(file.base64) && isNumberOr(file.mode);
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}

function isNumberOr(value: unknown): boolean {
  return value === undefined || isNumber(value);
}

function isTextOr(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isTextsByName(value: unknown): boolean {
  return isObject(value) && isTexts(Object.values(value));
}
