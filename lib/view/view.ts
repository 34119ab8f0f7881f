import type * as Native from '../../native.js';
import type { ViewResult } from '../addon/addon-types.ts';
import { joinWords, linesOf, linesWith, viewOf } from '../addon/native.ts';
import { answered } from '../addon/native-error.ts';
import type { Given } from '../options/checks.ts';
import { boolean, bytes, integer, invalid, isRecord, object, path } from '../options/checks.ts';
import { isSignal } from '../options/command/signals.ts';
import { minimizeSpec } from '../options/output/minimize-option.ts';
import { VIEW_OPTIONS, viewOptions } from '../options/output/view-options.ts';
import { viewResult } from '../result/result.ts';
import type { FoundLine, Lines, View, ViewOptions } from './api.ts';

type Source = string | Uint8Array | { path: string | URL };

/** The options of {@link findLines}. */
interface FindOptions {
  from?: number | undefined;
  max?: number | undefined;
  context?: number | undefined;
  maxBytes?: number | undefined;
}

async function view(
  source: Source,
  given: ViewOptions & {
    exitCode?: unknown;
    signal?: unknown;
    minimize?: unknown;
    command?: unknown;
  } = {},
): Promise<View> {
  const { exitCode, signal, minimize, command, ...rest } = object('options', given, [
    'exitCode',
    'signal',
    'minimize',
    'command',
    ...VIEW_OPTIONS,
  ]);
  integer('options.exitCode', exitCode ?? undefined, 0, 0xffff_ffff);
  if (signal !== undefined && signal !== null && !isSignal(signal)) {
    throw invalid('options.signal', "a signal such as 'SIGTERM' or null", signal);
  }
  // Without an exit code the end is unknown, and counts as failed.
  const endedWell = exitCode === 0 && (signal ?? null) === null;
  const spec = { ...viewOptions('options', rest), minimize: minimizeSpec('options.minimize', minimize) };
  const from = { ...viewSource(source), command: commandLine(command), endedWell };
  return viewResult(answered((await viewOf(from, spec)) as ViewResult));
}

/**
 * Makes the view of a part of a job's output. `part` has the number of lines before it (`null` if it is not
 * known), whether it is new, and the tool that shows other lines.
 */
async function viewOfPart(
  text: string,
  part: Native.JobPartSpec,
  { exitCode, signal, ...options }: Given<'exitCode' | 'signal' | 'maxBytes'>,
): Promise<View> {
  const endedWell = exitCode === 0 && (signal ?? null) === null;
  return answered((await viewOf({ text, endedWell, part }, viewOptions('options', options))) as View);
}

/** Reads lines of a text as `readLines()` does of a file, with their escape sequences. */
async function linesOfText(
  text: string,
  from: number,
  to: number = Number.MAX_SAFE_INTEGER,
  { maxBytes }: { maxBytes: number },
): Promise<Lines> {
  return answered((await linesOf({ text }, from, to, maxBytes, true)) as Lines);
}

/** Finds lines of a text as `findLines()` does those of a file. */
async function findInText(
  text: string,
  find: string,
  { from, max, maxBytes }: { from: number; max: number; maxBytes: number },
): Promise<FoundLine[] & { total: number }> {
  const search = { text: find, from, max, context: 0, maxBytes };
  const { lines, total } = answered((await linesWith({ text }, search)) as Native.FoundLinesResult);
  return Object.assign(lines, { total });
}

/** Checks the command that wrote an output, and returns it as a line of a shell. */
function commandLine(command: unknown): string | undefined {
  if (command === undefined || typeof command === 'string') return command;
  if (Array.isArray(command) && command.every((word) => typeof word === 'string')) return joinWords(command);
  throw invalid('options.command', 'a string or a list of strings', command);
}

function viewSource(source: unknown): Omit<Native.ViewSource, 'endedWell'> {
  if (typeof source === 'string') return { text: source };
  if (isRecord(source) && !ArrayBuffer.isView(source)) {
    const { path: file } = object('source', source, ['path']);
    if (file === undefined) throw invalid('source.path', 'a path or a file: URL', file);
    return { path: path('source.path', file) };
  }
  if (!ArrayBuffer.isView(source)) throw invalid('source', 'text, bytes or an object with a path', source);
  return { bytes: bytes('source', source) };
}

async function readLines(
  file: string | URL,
  from?: number,
  to?: number,
  options: { maxBytes?: number | undefined; plain?: boolean | undefined } = {},
): Promise<Lines> {
  const { maxBytes, plain } = object('options', options, ['maxBytes', 'plain']);
  const last = integer('to', to, 0, Number.MAX_SAFE_INTEGER) ?? Number.MAX_SAFE_INTEGER;
  return answered(
    (await linesOf(
      { path: required('path', path('path', file)) },
      integer('from', from, 1, Number.MAX_SAFE_INTEGER) ?? 1,
      last,
      integer('options.maxBytes', maxBytes, 1, MAX_BYTES, 'bytes') ?? DEFAULT_BYTES,
      boolean('options.plain', plain) === false,
    )) as Lines,
  );
}

async function findLines(
  file: string | URL,
  text: string,
  options: FindOptions = {},
): Promise<FoundLine[] & { total: number }> {
  const { from, max, context, maxBytes } = object('options', options, ['from', 'max', 'context', 'maxBytes']);
  if (typeof text !== 'string' || text === '') throw invalid('text', 'a string that is not empty', text);
  const { lines, total } = answered(
    (await linesWith(
      { path: required('path', path('path', file)) },
      {
        text,
        from: integer('options.from', from, 1, Number.MAX_SAFE_INTEGER) ?? 1,
        max: integer('options.max', max, 0, MAX_LINES) ?? 50,
        context: integer('options.context', context, 0, 100, 'lines') ?? 0,
        maxBytes: integer('options.maxBytes', maxBytes, 1, MAX_BYTES, 'bytes') ?? DEFAULT_BYTES,
      },
    )) as Native.FoundLinesResult,
  );
  return Object.assign(lines, { total });
}

function required(name: string, value: string | undefined): string {
  if (value === undefined) throw invalid(name, 'a path or a file: URL', value);
  return value;
}

/** The default and the upper limit of the text that is returned (bytes of UTF-8). */
const DEFAULT_BYTES = 16_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** The most lines that a search returns: a model could not read more. */
const MAX_LINES = 100_000;

export { findInText, findLines, linesOfText, readLines, view, viewOfPart };
