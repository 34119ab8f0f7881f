// Converts between the events of a command and their form in a cassette.

import { Buffer } from 'node:buffer';
import type { StreamName } from '../../result/output-api.ts';
import type { Names } from '../names/names.ts';
import { FIRST_PID } from '../names/names.ts';
import type { InputEvent, InputKind, OwnFields, Script, ScriptEnd, ScriptEvent } from '../play/script.ts';
import type { CassetteEntry, StoredEvent } from './cassette.ts';
import type { StoredFile } from './files.ts';

type Base64 = { base64: string };

/** The fields of a stored end that go to the result as they are. */
const OWN = [
  'cwd',
  'backgroundPids',
  'shellEnded',
  'restarted',
  'pipeStatus',
  'sandbox',
  'limits',
  'target',
  'error',
] as const;

/** Returns the stored form of events. Names replace values in each stream as a whole. */
export function storedEvents(
  events: ScriptEvent[],
  names: Names,
  redact: (text: string) => string,
): StoredEvent[] {
  const texts = new Map<ScriptEvent, string>();
  for (const stream of ['stdout', 'stderr'] as const) {
    const chunks = events.filter((event) => event.kind === 'output' && event.stream === stream);
    const parts = chunks.map((event) =>
      event.kind === 'output' && typeof event.data === 'string' ? event.data : '',
    );
    for (const [index, text] of names.storedParts(parts).entries()) texts.set(chunks[index], redact(text));
  }
  return events.flatMap((event) => storedEvent(event, texts.get(event) ?? '', names));
}

function storedEvent(event: ScriptEvent, text: string, names: Names): StoredEvent[] {
  const at = rounded(event.at);
  switch (event.kind) {
    case 'spawn':
      return [[at, 'spawn']];
    case 'output':
      if (typeof event.data !== 'string') return [[at, event.stream, base64(event.data)]];
      return text === '' ? [] : [[at, event.stream, ...lines(text)]];
    case 'waiting':
    case 'checked':
      return [[at, event.kind, stored(event.wait ?? null, names)]];
    case 'ports':
      return [[at, 'ports', stored(event.ports, names)]];
    case 'background':
      return [[at, 'background', storedEnd(event.end, names)]];
    case 'input':
      return [[at, event.input, ...(event.value === '' ? [] : [names.stored(event.value)])]];
  }
}

/** Returns the stored form of an end. */
export function storedEnd(end: ScriptEnd, names: Names): CassetteEntry['end'] {
  const { at, status, exitCode, signal, own, spill, exact, plain } = end;
  return JSON.parse(
    JSON.stringify({
      at,
      status,
      exitCode,
      signal,
      ...own,
      spill,
      exact: exactOf(exact),
      plain: exactOf(plain),
    }),
    (_, value) => (typeof value === 'string' ? names.stored(value) : value),
  );
}

function exactOf(exact: Record<string, unknown> | undefined): unknown {
  if (exact === undefined || Object.keys(exact).length === 0) return undefined;
  return JSON.parse(
    JSON.stringify(exact, (_, value) => {
      if (value === undefined) return null;
      // A buffer has become an object with its bytes already.
      const isBuffer = value?.type === 'Buffer' && Array.isArray(value.data);
      return isBuffer ? base64(Buffer.from(value.data)) : value;
    }),
  );
}

/** Returns the script of a stored command. */
export function scriptOfEntry(entry: CassetteEntry, place: string, names: Names): Script {
  const actual = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value), (_, each) => (typeof each === 'string' ? names.actual(each) : each));
  const pid = entry.pid === undefined ? undefined : FIRST_PID + entry.pid;
  const endOf = ({
    at,
    status,
    exitCode,
    signal,
    spill,
    exact,
    plain,
    ...rest
  }: CassetteEntry['end']): ScriptEnd => ({
    at,
    status: status as ScriptEnd['status'],
    exitCode: exitCode as number | undefined,
    signal: signal as string | undefined,
    pid,
    usage: usageOf(entry.usage),
    own: Object.fromEntries(
      OWN.filter((name) => name in rest).map((name) => [name, actual(rest[name])]),
    ) as OwnFields,
    spill: spill as ScriptEnd['spill'],
    exact: exact === undefined ? undefined : revived(actual(exact) as Record<string, unknown>),
    plain: plain === undefined ? undefined : revived(actual(plain) as Record<string, unknown>),
  });
  const events = entry.events.map(([at, kind, ...values]): ScriptEvent => {
    switch (kind) {
      case 'spawn':
        return { at, kind };
      case 'stdout':
      case 'stderr':
        return { at, kind: 'output', stream: kind as StreamName, data: dataOf(values, names) };
      case 'waiting':
      case 'checked':
        return { at, kind, wait: (actual(values[0]) ?? undefined) as never };
      case 'ports':
        return { at, kind, ports: values[0] as never };
      case 'background':
        return { at, kind, end: endOf(values[0] as CassetteEntry['end']) };
      default:
        return { at, ...inputOf(kind, String(values[0] ?? ''), names) };
    }
  });
  return { place, isRaw: false, events, end: endOf(entry.end), files: actualFiles(entry, names) };
}

function inputOf(kind: string, stored: string, names: Names): InputEvent {
  const isSame = (text: string) => names.shape(names.stored(text)) === names.shape(stored);
  return { kind: 'input', input: kind as InputKind, value: names.actual(stored), isSame };
}

/** Returns the changes of a stored command, with values in place of names. */
export function actualFiles({ files = [] }: CassetteEntry, names: Names): StoredFile[] {
  return JSON.parse(JSON.stringify(files), (_, each) =>
    typeof each === 'string' ? names.actual(each) : each,
  );
}

function dataOf(values: unknown[], names: Names): string | Uint8Array {
  const [first] = values;
  if (typeof first === 'object' && first !== null) return Buffer.from((first as Base64).base64, 'base64');
  return names.actual(values.join(''));
}

/** Returns exact fields with their buffers, and `undefined` for those that a result does not have. */
function revived(exact: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(exact).map(([name, value]) => [name, revivedValue(name, value)]));
}

function revivedValue(name: string, value: unknown): unknown {
  if (value === null) return undefined;
  if (name !== 'bytes') return value;
  const streams = Object.entries(value as Record<string, Base64>);
  return Object.fromEntries(streams.map(([stream, bytes]) => [stream, Buffer.from(bytes.base64, 'base64')]));
}

/** Returns the stored form of usage. */
export function storedUsage(usage: ScriptEnd['usage']): (number | null)[] | undefined {
  return usage && [usage.userMs, usage.systemMs, usage.maxRssBytes ?? null];
}

function usageOf(usage: (number | null)[] | undefined): ScriptEnd['usage'] {
  if (usage === undefined) return undefined;
  const [userMs, systemMs, maxRssBytes] = usage;
  return {
    userMs: userMs ?? 0,
    systemMs: systemMs ?? 0,
    maxRssBytes: maxRssBytes ?? undefined,
  } as ScriptEnd['usage'];
}

function stored(value: unknown, names: Names): unknown {
  return JSON.parse(JSON.stringify(value), (_, each) =>
    typeof each === 'string' ? names.stored(each) : each,
  );
}

/** Splits a text into its lines, each with its line break. */
function lines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function base64(bytes: Uint8Array): Base64 {
  return { base64: Buffer.from(bytes).toString('base64') };
}

/** Rounds a time (ms) to what a reader needs. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
