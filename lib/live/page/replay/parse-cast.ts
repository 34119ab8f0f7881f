// Reads the commands of a recording, as the messages of a live view.

import type { LiveEvent, LiveOutput, LiveStart } from '../../api.ts';
import { SafeSequences } from '../../output/safe-sequences.ts';

/** An event at its time (ms since 1970). */
export type TimedEvent = LiveEvent & { time: number };

export interface ParsedCast {
  title: string;
  /** The longest pause of a replay (ms). */
  longestPause: number;
  events: TimedEvent[];
}

const COMMENT = '#agent-bash ';

/** The state of a parse, from line to line of a recording. */
interface Reading {
  events: TimedEvent[];
  /** The time of the latest event (ms since 1970). */
  time: number;
  cursor: number;
  /** The command and the stream of the output that follows. */
  origin: { id: string | null; stream: LiveOutput['stream'] };
  /** Whether the recording is one of this package. */
  isOurs: boolean;
  /** The commands with a terminal, and the filters of the commands' output. */
  terminals: Set<string>;
  filters: Map<string, SafeSequences>;
}

/**
 * Parses an asciicast v3. A line that was cut at its end is left out.
 *
 * @throws Error that names the line of what is wrong
 */
function parseCast(text: string, name: string): ParsedCast {
  const lines = text.split('\n');
  const header = parsed(lines[0], name, 1) as {
    version?: unknown;
    term?: { cols?: unknown; rows?: unknown };
    title?: unknown;
    timestamp?: unknown;
    idle_time_limit?: unknown;
  };
  const { cols, rows } = header?.term ?? {};
  if (header?.version !== 3 || typeof cols !== 'number' || typeof rows !== 'number') {
    throw new Error(`${name}:1: expected the header of an asciicast of version 3`);
  }
  const title = typeof header.title === 'string' ? header.title : name;
  const begin = typeof header.timestamp === 'number' ? header.timestamp * 1_000 : 0;
  const isOurs = lines.some((line) => line.startsWith(COMMENT));
  const reading: Reading = {
    events: [],
    time: begin,
    cursor: 0,
    origin: { id: isOurs ? null : 'job-1', stream: 'stdout' },
    isOurs,
    terminals: new Set(),
    filters: new Map(),
  };
  if (!isOurs) addStart(reading, title, { cols, rows });
  const last = lines.length - 1;
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line === '') continue;
    // The last line has no end: it may be cut.
    const value = index === last ? tryParse(line) : undefined;
    if (index === last && value === undefined) break;
    addLine(reading, line, name, index + 1);
  }
  const limit = typeof header.idle_time_limit === 'number' ? header.idle_time_limit * 1_000 : 2_000;
  return { title, longestPause: limit, events: reading.events };
}

function addLine(reading: Reading, line: string, name: string, number: number): void {
  if (line.startsWith(COMMENT)) {
    // A comment is cut by a SIGKILL, and what follows it is whole.
    const event = tryParse(line.slice(COMMENT.length)) as TimedEvent | undefined;
    if (event !== undefined) addComment(reading, event);
    return;
  }
  if (line.startsWith('#')) return;
  const event = parsed(line, name, number);
  const isEvent =
    Array.isArray(event) && typeof event[0] === 'number' && typeof event[1] === 'string' && event.length >= 3;
  if (!isEvent) throw new Error(`${name}:${number}: expected [interval, code, data]`);
  const [interval, code, data] = event as [number, string, unknown];
  reading.time += interval * 1_000;
  if (code === 'o') addOutput(reading, String(data));
  else if (code === 'r' && !reading.isOurs) addResize(reading, String(data));
  else if (code === 'x' && !reading.isOurs) addEnd(reading, Number(data));
}

function addComment(reading: Reading, event: TimedEvent): void {
  if (event.type === 'output') {
    const { id, stream = 'stdout' } = event as Partial<LiveOutput>;
    reading.origin = { id: id ?? null, stream };
    return;
  }
  if (event.type === 'start' && event.pty !== null) reading.terminals.add(event.id);
  // The interval of the next line counts from the latest line, in whole seconds of the header.
  reading.time = Math.max(event.time, reading.time);
  reading.events.push(event);
}

function addOutput(reading: Reading, data: string): void {
  const { id, stream } = reading.origin;
  // Text of the recording itself.
  if (id === null) return;
  const isTerminal = reading.terminals.has(id);
  const key = `${id} ${stream}`;
  const filter = reading.filters.get(key) ?? new SafeSequences(isTerminal);
  reading.filters.set(key, filter);
  const plain = isTerminal ? data : withoutDressing(data, stream);
  const text = filter.push(plain);
  if (text === '') return;
  reading.cursor += text.length;
  reading.events.push({
    seq: 0,
    type: 'output',
    time: reading.time,
    id,
    stream,
    text,
    cursor: reading.cursor,
  });
}

/** Returns text as the command has written it, without what shows it in a terminal. */
function withoutDressing(data: string, stream: LiveOutput['stream']): string {
  const lines = data.replaceAll('\r\n', '\n');
  return stream === 'stderr' ? lines.replace(/^\x1b\[31m([\s\S]*)\x1b\[39m(\n*)$/, '$1$2') : lines;
}

function addStart(reading: Reading, command: string, pty: { cols: number; rows: number }): void {
  const start: LiveStart = {
    type: 'start',
    id: 'job-1',
    call: null,
    session: null,
    command,
    cwd: '',
    sandbox: null,
    target: null,
    pty,
    stdin: false,
  };
  reading.terminals.add('job-1');
  reading.events.push({ seq: 1, time: reading.time, ...start });
}

function addResize(reading: Reading, data: string): void {
  const [cols, rows] = data.split('x').map(Number);
  if (!(cols >= 1 && rows >= 1)) return;
  reading.events.push({ seq: 0, time: reading.time, type: 'resize', id: 'job-1', by: 'host', cols, rows });
}

function addEnd(reading: Reading, exitCode: number): void {
  const durationMs = reading.time - reading.events[0].time;
  reading.events.push({
    seq: 2,
    time: reading.time,
    type: 'end',
    id: 'job-1',
    status: 'exited',
    exitCode,
    signal: null,
    durationMs,
    totalBytes: reading.cursor,
    backgroundPids: [],
    refused: [],
    errorCode: null,
  });
}

function parsed(text: string, name: string, line: number): unknown {
  const value = tryParse(text);
  if (value === undefined) throw new Error(`${name}:${line}: expected JSON`);
  return value;
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export { parseCast };
