// The text that a model reads of a job's output: the new output whole, or its view where it is longer.

import { view } from '../../view.mjs';

/** The least budget of a view (bytes). */
const LEAST = 200;

/**
 * Returns the output of a job from a place on (bytes from its start). Line numbers in a view of it count from the job's start.
 * `result`: how the job ended, or `null`. `asked`: whether the text is whole whatever its length, and the most that a view has
 * (bytes).
 */
async function newOutput(entry, from, result, place, asked = {}) {
  const { chunks, cursor, dropped } = entry.job.read(from);
  const before = linesBefore(entry, from, dropped);
  entry.cursor = cursor;
  const [stdout, stderr] = ['stdout', 'stderr'].map((name) =>
    textOf(chunks.filter(({ stream }) => stream === name)),
  );
  const sizes = { stdoutBytes: Buffer.byteLength(stdout), stderrBytes: Buffer.byteLength(stderr) };
  if (before !== null) entry.linesBefore = { cursor, count: before + countOf(stdout) + countOf(stderr) };
  const shared = { ...sizes, stdout, stderr, cursor, dropped };
  if (entry.view === undefined) return shared;
  // The result's own view is of all output.
  Object.assign(shared, { hasView: false, truncated: false });
  if (asked.isWhole) return shared;
  const maxBytes = Math.max(
    LEAST,
    Math.min(entry.view.maxBytes, asked.viewBytes ?? Number.POSITIVE_INFINITY),
  );
  if (sizes.stdoutBytes + sizes.stderrBytes <= maxBytes) return shared;
  const options = { ...entry.view, maxBytes };
  const seen = await viewOfPart(textOf(chunks), before, { options, result, place, isPart: true });
  return { ...shared, stdout: seen, stderr: '', hasView: true, truncated: true };
}

/** Returns the number of lines that ended before a place; `null` if it is not known any more. */
function linesBefore({ job, linesBefore: last }, from, dropped) {
  if (dropped > 0) return null;
  if (from === last.cursor) return last.count;
  const all = job.read(0);
  if (all.dropped > 0) return null;
  return countOf(textOf(all.chunks)) - countOf(textOf(job.read(from).chunks));
}

function textOf(chunks) {
  return chunks.map(({ text }) => text).join('');
}

function countOf(text) {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** The view of output that begins after so many lines, with a last line about it. `isPart`: whether there is older output. */
async function viewOfPart(text, before, { options, result, place, isPart }) {
  const { maxBytes, footer = true } = options;
  let budget = maxBytes;
  for (;;) {
    const seen = await view(text, {
      ...options,
      maxBytes: budget,
      footer: false,
      exitCode: result?.exitCode,
      signal: result?.signal,
    });
    const lines = withNumbers(seen, before ?? 0);
    if (footer && !seen.complete) lines.push(footerOf(seen, before, place, isPart));
    const whole = lines.join('\n');
    const excess = Buffer.byteLength(whole) - maxBytes;
    if (excess <= 0 || budget === LEAST) return whole;
    budget = Math.max(LEAST, budget - excess - 16);
  }
}

/** The lines of a view, whose markers count the lines before it too. */
function withNumbers({ text, shown, leftOut }, before) {
  const lines = text.split('\n');
  if (before === 0) return lines;
  leftOut.forEach((gap, index) => {
    const above = shown.filter(([, to]) => to < gap.from);
    const at = above.reduce((sum, [from, to]) => sum + to - from + 1, index);
    lines[at] = lines[at]
      .replace(/^\[lines? \d+(-\d+)?/, (range) =>
        range.replace(/\d+/g, (line) => String(Number(line) + before)),
      )
      .replace(/ like line (\d+)/, (_, line) => ` like line ${Number(line) + before}`);
  });
  return lines;
}

function footerOf({ lines, bytes, shown }, before, { hasOutputTool }, isPart) {
  const count = shown.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  const which = before === null ? ', counted from the first one that is kept' : '';
  const more = hasOutputTool ? '; bash_output shows others' : '';
  const grouped = (number) => number.toLocaleString('en-US');
  const unit = (number) => (number === 1 ? 'line' : 'lines');
  return `[output: ${grouped(lines)}${isPart ? ' new' : ''} ${unit(lines)}${which}, ${grouped(bytes)} bytes, ${grouped(count)} ${unit(count)} shown${more}]`;
}

export { newOutput, viewOfPart };
