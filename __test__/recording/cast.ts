import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';

type CastEvent = [interval: number, code: 'o' | 'i' | 'm' | 'r' | 'x', data: string];

/** A recording, read line by line. */
export interface Cast {
  header: {
    version: 3;
    term: { cols: number; rows: number; type: string };
    title: string;
    timestamp: number;
  };
  events: CastEvent[];
  /** The comments with a `seq`, which have what happened. */
  comments: { type: string; [name: string]: unknown }[];
  /** All output, as a terminal gets it. */
  output: string;
  markers: string[];
}

/** Reads a recording. Each of its lines must be whole. */
export function readCast(path: string): Cast {
  const text = readFileSync(path, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  const [header, ...lines] = text.split('\n').slice(0, -1);
  const events = lines.filter((line) => line.startsWith('[')).map((line) => JSON.parse(line) as CastEvent);
  const comments = lines
    .filter((line) => line.startsWith('#agent-bash '))
    .map((line) => JSON.parse(line.slice(12)));
  expect(lines.filter((line) => !/^[[#]/.test(line))).toEqual([]);
  const of = (wanted: string) => events.filter(([, code]) => code === wanted).map(([, , data]) => data);
  return {
    header: JSON.parse(header),
    events,
    comments: comments.filter(({ seq }) => seq !== undefined),
    output: of('o').join(''),
    markers: of('m'),
  };
}

/** Returns what a command has written, of a recording: without what the recording shows of itself. */
export function outputOf(path: string, id?: string): string {
  let origin: string | null = null;
  let output = '';
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const comment = line.startsWith('#agent-bash ') ? JSON.parse(line.slice(12)) : undefined;
    if (comment?.type === 'output') origin = comment.id;
    const [, code, data] = line.startsWith('[') ? (JSON.parse(line) as CastEvent) : [];
    if (code === 'o' && (id === undefined ? origin !== null : origin === id)) output += data;
  }
  return output;
}

/** Returns the path of a recording in a new directory. */
export function newFile(): string {
  return join(temporaryDirectory(), 'x.cast');
}
