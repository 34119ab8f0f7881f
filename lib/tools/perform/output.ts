// Shows earlier output: its view, a range of its lines, or the lines that contain a text.

import type { JobOutput } from '../../job/api.ts';
import { inside } from '../../job/job.ts';
import type { RunResult } from '../../result/api.ts';
import { findInText, findLines, linesOfText, readLines, view, viewOfPart } from '../../view/view.ts';
import type { PartAction } from '../actions.ts';
import type { CommandOutcome, OutputFile, Performed } from '../outcomes.ts';
import type { JobEntry } from '../state/job-entries.ts';
import { isOver } from '../state/job-entries.ts';
import type { NamedFile } from '../state/output-files.ts';
import type { ToolsetState } from '../toolset-state.ts';
import { endOf, partOf } from './job-output.ts';
import { summary, unknown } from './jobs.ts';
import { fileOf, nothingRun } from './outcome.ts';

/** Where earlier output comes from: a file, or the text that a job has kept. */
type OutputSource = (Pick<NamedFile, 'path' | 'file' | 'binary'> | JobText) & {
  exitCode?: number | null | undefined;
  signal?: string | null | undefined;
};

/** The text that a job has kept, and the length of what it no longer has (bytes). */
interface JobText {
  path?: undefined;
  file?: OutputFile;
  text: string;
  dropped: number;
}

/** A part of a job's output. */
interface PartOfJob {
  entry: JobEntry;
  result: RunResult | null;
  state: ToolsetState;
}

type ShownOutput = Partial<CommandOutcome>;
type LineRange = PartAction & { from: number };

/** Reads the output of a job, or a file that an earlier answer has named. */
async function readOutput(action: PartAction, state: ToolsetState): Promise<Performed> {
  try {
    if (action.path === undefined) return await outputOfJob(action, state);
    const source = state.files.get(action.path);
    const shared = { ...nothingRun('exited'), file: source.file };
    return { outcome: { ...shared, ...(await excerpt(source, action)) } };
  } catch (error) {
    return { outcome: nothingRun('failed', (error as Error).message) };
  }
}

async function outputOfJob(action: PartAction, state: ToolsetState): Promise<Performed> {
  const { id = '' } = action;
  const entry = state.entries.get(id);
  if (entry === undefined) return unknown(id);
  const result = isOver(entry) ? ((await inside.over(entry.job)) as RunResult) : null;
  const source = sourceOf(entry, result, state);
  const shared = { ...summary(entry, result), hasView: false, truncated: false };
  const part = await excerpt(source, action, { entry, result, state });
  const file = source.file ?? (shared.file ? { path: shared.file.path } : null);
  const dropped = source.path === undefined ? source.dropped : 0;
  return { outcome: { ...shared, file, dropped, ...part }, jobId: entry.job.id };
}

/** Returns the source of a job's output: its file, if that has more than the job's ring. */
function sourceOf(entry: JobEntry, result: RunResult | null, { files }: ToolsetState): OutputSource {
  const path = ((result && fileOf(result)) ?? entry.file)?.path;
  const { chunks, dropped } = entry.job.read(0) as JobOutput;
  if (path !== undefined && dropped > 0) {
    if (result !== null) files.add(result, false);
    return { ...files.get(path), exitCode: result?.exitCode, signal: result?.signal };
  }
  return { text: chunks.map(({ text }) => text).join(''), dropped };
}

function excerpt(source: OutputSource, action: PartAction, job?: PartOfJob): Promise<ShownOutput> {
  const { from = 1, to, find } = action;
  if (find !== undefined) return found(source, { ...action, find, from });
  if (action.from !== undefined || to !== undefined) return range(source, { ...action, from });
  return whole(source, action, job);
}

async function whole(
  source: OutputSource,
  { maxBytes }: PartAction,
  job: PartOfJob | undefined,
): Promise<ShownOutput> {
  if (source.path !== undefined) {
    const { path, exitCode, signal, binary } = source;
    const { text: seen, complete } = await view({ path }, { exitCode, signal, maxBytes });
    return { stdout: seen, hasView: true, truncated: !complete, ...binary };
  }
  const { text, dropped } = source;
  if (job === undefined || Buffer.byteLength(text) <= maxBytes) return { stdout: text };
  const { entry, result, state } = job;
  const part = partOf(dropped > 0 ? null : 0, false, state);
  const seen = await viewOfPart(text, part, { ...entry.view, maxBytes, ...endOf(result) });
  return { stdout: seen.text, hasView: true, truncated: true };
}

async function range(source: OutputSource, { from, to, maxBytes }: LineRange): Promise<ShownOutput> {
  const lines = await (source.path === undefined
    ? linesOfText(source.text, from, to, { maxBytes })
    : readLines(source.path, from, to, { maxBytes }));
  const isCut = lines.from === lines.to && Buffer.byteLength(lines.text) > maxBytes - 4;
  return { stdout: lines.text, excerpt: { from: lines.from, to: lines.to, isLast: lines.eof, isCut } };
}

/** Returns the beginning of a line, up to a whole character. */
function beginning(line: string, maxBytes: number): string {
  const bytes = Buffer.from(line).subarray(0, maxBytes);
  return bytes.toString().replace(/\uFFFD+$/, '');
}

/** The most lines that one search returns: their numbers need room too. */
const MAX_FOUND = 200;

async function found(
  source: OutputSource,
  { find, from, to, maxBytes }: LineRange & { find: string },
): Promise<ShownOutput> {
  const options = { from, max: MAX_FOUND, maxBytes };
  const hits = await (source.path === undefined
    ? findInText(source.text, find, options)
    : findLines(source.path, find, options));
  const lines: string[] = [];
  let room = maxBytes;
  let last = from - 1;
  for (const { line, text: content } of hits) {
    if (to !== undefined && line > to) break;
    const numbered = `${line}: ${content}`;
    const bytes = Buffer.byteLength(numbered) + 1;
    if (bytes > room && lines.length > 0) break;
    lines.push(beginning(numbered, room));
    room -= bytes;
    last = line;
  }
  return { stdout: lines.join('\n'), excerpt: { from, to: last, found: hits.total, shown: lines.length } };
}

export { readOutput };
