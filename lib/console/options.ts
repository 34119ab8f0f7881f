// The options of a console.

import { Job } from 'agent-bash';
import { integer, invalid, object, oneOf, wrong } from '../options/checks.ts';
import type { AttachOptions, ConsoleOptions, ConsoleRegion } from './api.ts';

/** The most columns and rows of a terminal. */
const MAX_SIZE = 1_000;

/** The checked options of a console. */
export interface ConsoleSettings {
  onEscape: 'auto' | 'kill' | 'detach' | 'send';
  detachKey: 'ctrl-]' | false;
}

/** The checked options of `attach()`. */
export interface AttachSettings extends ConsoleSettings {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
  region: ConsoleRegion | undefined;
  title: string | undefined;
}

const CONSOLE = ['escape', 'detachKey'] as const;

/** Checks that a job has a terminal. */
function checkJob(job: unknown): Job {
  if (!(job instanceof Job)) throw invalid('job', 'a Job that runs in a terminal', job);
  // Throws for a job without a terminal.
  job.screen();
  return job;
}

function checkConsole(options: ConsoleOptions = {}): ConsoleSettings {
  return keysOf(object('options', options, CONSOLE));
}

function checkAttach(options: AttachOptions = {}): AttachSettings {
  const given = object('options', options, [...CONSOLE, 'input', 'output', 'region', 'title']);
  const { input = process.stdin, output = process.stdout, region, title } = given;
  if (typeof Object(input).on !== 'function') throw invalid('options.input', 'a readable stream', input);
  if (typeof Object(output).write !== 'function') {
    throw invalid('options.output', 'a writable stream', output);
  }
  if (title !== undefined && typeof title !== 'string') throw invalid('options.title', 'text', title);
  return {
    ...keysOf(given),
    input: input as NodeJS.ReadStream,
    output: output as NodeJS.WriteStream,
    region: region === undefined ? undefined : checkRegion(region),
    title,
  };
}

function keysOf(given: { escape?: unknown; detachKey?: unknown }): ConsoleSettings {
  const { escape: onEscape, detachKey } = given;
  return {
    onEscape: oneOf('options.escape', onEscape, ['auto', 'kill', 'detach', 'send']) ?? 'auto',
    detachKey: oneOf('options.detachKey', detachKey, ['ctrl-]', false]) ?? 'ctrl-]',
  };
}

/** Checks a region. Its border takes two columns and two rows. */
function checkRegion(region: unknown): ConsoleRegion {
  const { row, column, cols, rows } = object('options.region', region, ['row', 'column', 'cols', 'rows']);
  return {
    row: required('options.region.row', row, 0),
    column: required('options.region.column', column, 0),
    cols: required('options.region.cols', cols, 4),
    rows: required('options.region.rows', rows, 3),
  };
}

/** Checks the size of a view. */
function checkSize(size: unknown): { cols: number; rows: number } {
  const { cols, rows } = object('size', size, ['cols', 'rows']);
  return { cols: required('size.cols', cols, 2), rows: required('size.rows', rows, 1) };
}

function required(name: string, value: unknown, least: number): number {
  const number = integer(name, value, least, MAX_SIZE);
  if (number === undefined) throw invalid(name, `an integer from ${least} to ${MAX_SIZE}`, value);
  return number;
}

/** Returns the error of an input at which a console is attached. */
function busy(): TypeError {
  return wrong('Another console is attached to this input', 'CONSOLE_BUSY');
}

export { busy, checkAttach, checkConsole, checkJob, checkSize };
