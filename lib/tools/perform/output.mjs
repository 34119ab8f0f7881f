// Shows earlier output: its view, a range of its lines, or the lines that contain a text.

import { inside } from '../../job/job.ts';
import { findInText, findLines, linesOfText, readLines, view, viewOfPart } from '../../view.ts';
import { isOver } from '../state/job-entries.mjs';
import { endOf, partOf } from './job-output.mjs';
import { summary, unknown } from './jobs.mjs';
import { fileOf, nothingRun } from './outcome.mjs';

/** Reads the output of a job, or a file that an earlier answer has named. */
async function readOutput(action, state) {
  try {
    if (action.path === undefined) return await outputOfJob(action, state);
    const source = state.files.get(action.path);
    const shared = { ...nothingRun('exited'), file: source.file };
    return { outcome: { ...shared, ...(await excerpt(source, action)) } };
  } catch (error) {
    return { outcome: nothingRun('failed', error.message) };
  }
}

async function outputOfJob(action, state) {
  const entry = state.entries.get(action.id);
  if (entry === undefined) return unknown(action.id);
  const result = isOver(entry) ? await inside.over(entry.job) : null;
  const source = sourceOf(entry, result, state);
  const shared = { ...summary(entry, result), hasView: false, truncated: false };
  const part = await excerpt(source, action, { entry, result, state });
  const { file = shared.file && { path: shared.file.path }, dropped = 0 } = source;
  return { outcome: { ...shared, file, dropped, ...part }, jobId: entry.job.id };
}

/** Returns the source of a job's output: its file, if that has more than the job's ring. */
function sourceOf(entry, result, { files }) {
  const path = ((result && fileOf(result)) ?? entry.file)?.path;
  const { chunks, dropped } = entry.job.read(0);
  if (path !== undefined && dropped > 0) {
    if (result !== null) files.add(result, false);
    return { ...files.get(path), exitCode: result?.exitCode, signal: result?.signal };
  }
  return { text: chunks.map(({ text }) => text).join(''), dropped };
}

function excerpt(source, action, job) {
  const { from = 1, to, find } = action;
  if (find !== undefined) return found(source, { ...action, from });
  if (action.from !== undefined || to !== undefined) return range(source, { ...action, from });
  return whole(source, action, job);
}

async function whole({ path, text, exitCode, signal, dropped, binary }, { maxBytes }, job) {
  if (path !== undefined) {
    const { text: seen, complete } = await view({ path }, { exitCode, signal, maxBytes });
    return { stdout: seen, hasView: true, truncated: !complete, ...binary };
  }
  if (Buffer.byteLength(text) <= maxBytes) return { stdout: text };
  const { entry, result, state } = job;
  const part = partOf(dropped > 0 ? null : 0, false, state);
  const seen = await viewOfPart(text, part, { ...entry.view, maxBytes, ...endOf(result) });
  return { stdout: seen.text, hasView: true, truncated: true };
}

async function range({ path, text }, { from, to, maxBytes }) {
  const lines = await (path === undefined
    ? linesOfText(text, from, to, { maxBytes })
    : readLines(path, from, to, { maxBytes }));
  const isCut = lines.from === lines.to && Buffer.byteLength(lines.text) > maxBytes - 4;
  return { stdout: lines.text, excerpt: { from: lines.from, to: lines.to, isLast: lines.eof, isCut } };
}

/** Returns the beginning of a line, up to a whole character. */
function beginning(line, maxBytes) {
  const bytes = Buffer.from(line).subarray(0, maxBytes);
  return bytes.toString().replace(/\uFFFD+$/, '');
}

/** The most lines that one search returns: their numbers need room too. */
const MOST_FOUND = 200;

async function found({ path, text }, { find, from, to, maxBytes }) {
  const options = { from, max: MOST_FOUND, maxBytes };
  const hits = await (path === undefined ? findInText(text, find, options) : findLines(path, find, options));
  const lines = [];
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
