// The text that a model reads of a job's new output: all of it, or a view if it is longer.

import type { JobPartSpec } from '../../../native.js';
import type { JobOutput } from '../../job/api.ts';
import type { RunResult } from '../../result/api.ts';
import type { TextChunk } from '../../result/output-api.ts';
import { viewOfPart } from '../../view/view.ts';
import type { BinaryFields } from '../outcomes.ts';
import type { JobEntry } from '../state/job-entries.ts';
import type { ToolsetState } from '../toolset-state.ts';
import { binaryFields } from './outcome.ts';

/** How a model asks for the output of a job. */
export interface AskedOutput {
  isWhole?: boolean;
  viewBytes?: number | undefined;
}

/** New output of a job. */
export interface NewOutput extends BinaryFields {
  stdout: string;
  stderr: string;
  stdoutBytes: number;
  stderrBytes: number;
  cursor: number;
  dropped: number;
  hasView?: boolean;
  truncated?: boolean;
}

/** The smallest budget of a view (bytes). */
const MIN_BYTES = 200;

/**
 * Returns the output of a job from an offset on (bytes from its start). Line numbers in its view count from
 * the job's start. `result` is the job's result, or `null` while it runs. `asked` has `isWhole` (no view,
 * whatever the length) and `viewBytes` (the budget of the view).
 */
async function newOutput(
  entry: JobEntry,
  from: number,
  result: RunResult | null,
  state: ToolsetState,
  asked: AskedOutput = {},
): Promise<NewOutput> {
  const { chunks, cursor, dropped } = entry.job.read(from) as JobOutput;
  const before = linesBefore(entry, from, dropped);
  entry.cursor = cursor;
  const [stdout, stderr] = ['stdout', 'stderr'].map((name) =>
    textOf(chunks.filter(({ stream }) => stream === name)),
  );
  const sizes = { stdoutBytes: Buffer.byteLength(stdout), stderrBytes: Buffer.byteLength(stderr) };
  if (before !== null) entry.linesBefore = { cursor, count: before + countOf(stdout) + countOf(stderr) };
  const shared: NewOutput = { ...sizes, stdout, stderr, cursor, dropped };
  const binary = binaryPart([stdout, stderr], result, state);
  if (binary !== undefined) return { ...shared, ...binary, hasView: false };
  if (entry.view === undefined) return shared;
  // The view of the result covers all output.
  Object.assign(shared, { hasView: false, truncated: false });
  if (asked.isWhole) return shared;
  const maxBytes = Math.max(
    MIN_BYTES,
    Math.min(entry.view.maxBytes, asked.viewBytes ?? Number.POSITIVE_INFINITY),
  );
  if (sizes.stdoutBytes + sizes.stderrBytes <= maxBytes) return shared;
  const options = { ...entry.view, maxBytes, ...endOf(result) };
  const seen = await viewOfPart(textOf(chunks), partOf(before, true, state), options);
  return { ...shared, stdout: seen.text, stderr: '', hasView: true, truncated: true };
}

/** Returns the fields for new output that is binary; `undefined` if both streams are text. */
function binaryPart(
  streams: string[],
  result: RunResult | null,
  { native }: ToolsetState,
): BinaryFields | undefined {
  const [stdout, stderr] = streams.map((text) => native.isBinary(text));
  if (!stdout && !stderr) return undefined;
  const known = result === null ? {} : binaryFields(result);
  return {
    binaryStdout: stdout ? (known.binaryStdout ?? UNKNOWN_KIND) : undefined,
    binaryStderr: stderr ? (known.binaryStderr ?? UNKNOWN_KIND) : undefined,
  };
}

/** The kind of output whose first bytes an earlier answer had. */
const UNKNOWN_KIND = 'of no known kind';

/** Returns the number of lines that ended before an offset; `null` if it is no longer known. */
function linesBefore({ job, linesBefore: last }: JobEntry, from: number, dropped: number): number | null {
  if (dropped > 0) return null;
  if (from === last.cursor) return last.count;
  const all = job.read(0) as JobOutput;
  if (all.dropped > 0) return null;
  return countOf(textOf(all.chunks)) - countOf(textOf((job.read(from) as JobOutput).chunks));
}

function textOf(chunks: TextChunk[]): string {
  return chunks.map(({ text }) => text).join('');
}

function countOf(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Returns what a view says of a part of a job's output, before which there are `linesBefore` lines. */
function partOf(linesBefore: number | null, isNew: boolean, { hasOutputTool }: ToolsetState): JobPartSpec {
  return { linesBefore: linesBefore ?? undefined, isNew, reader: hasOutputTool ? 'bash_output' : undefined };
}

/** Returns how a job ended, for a view of its output. */
function endOf(result: RunResult | null): Pick<Partial<RunResult>, 'exitCode' | 'signal'> {
  return { exitCode: result?.exitCode, signal: result?.signal };
}

export { endOf, newOutput, partOf };
