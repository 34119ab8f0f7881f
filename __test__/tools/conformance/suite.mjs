// The conformance suite: commands for each dialect, and the answers to them.
import { readFileSync } from 'node:fs';
import { deliberateDelay } from '../../support/waits.mjs';

export const cases = JSON.parse(readFileSync(new URL('cases.json', import.meta.url), 'utf8'));

/** A longer text is compared by its length, its beginning and its end (UTF-16 code units). */
const LONG = 2_000;
const ENDS = 150;

/**
 * Texts that differ from run to run and from machine to machine: pids, ids, times, paths, the shell that was
 * found.
 */
const VARIABLE = [
  [/(pid:? |PID:? |PIDs: |PGID: |pid )\d+(?:, \d+)*/g, '$1<pid>'],
  [/Chunk ID: [0-9a-f]{6}/g, 'Chunk ID: <chunk>'],
  [/session ID \d+/gi, 'session ID <id>'],
  [/\bjob-\d+/g, 'job-<id>'],
  [/Wall time: [\d.]+ seconds/g, 'Wall time: <time> seconds'],
  [/spawn \/\S*\/\w*sh ENOENT/g, 'spawn <shell> ENOENT'],
  [/"duration_seconds":[\d.]+/g, '"duration_seconds":<time>'],
  [/<timestamp>[^<]*<\/timestamp>/g, '<timestamp><time></timestamp>'],
  [/\/[^\s\]]*\/(?:agent-bash-[^\s\]/]*\/)?[^\s\]/]*\.(?:out|log|txt|spill)\b/g, '<file>'],
  [/\/[^\s\]]*agent-bash-(?:spill|\d+)[^\s\],]*/g, '<file>'],
];

/** A text without what differs from run to run. `directory` is that of the case. */
export function normalize(text, directory) {
  let plain = directory === undefined ? text : text.replaceAll(directory, '<dir>');
  for (const [pattern, replacement] of VARIABLE) plain = plain.replace(pattern, replacement);
  return plain;
}

/** A text as it stands in the data. */
function written(text, directory) {
  const plain = normalize(text, directory);
  if (plain.length <= LONG) return plain;
  return { length: plain.length, start: plain.slice(0, ENDS), end: plain.slice(-ENDS) };
}

/** The steps of a case against a toolset: one `{ text, isError }` for each, as `expected` has them. */
export async function play({ steps, options }, create, directory) {
  const toolset = create(filled(options, { dir: directory }, { cwd: directory }));
  const answers = [];
  const names = { dir: directory };
  try {
    for (const step of steps) {
      if (step.delayMs) await deliberateDelay(step.delayMs);
      if (step.dispose) {
        await toolset.dispose();
        continue;
      }
      const tool = step.tool ?? toolset.tools[0].name;
      const args = filled({ ...step.args, ...step.more }, names);
      const call = toolset.call(tool, args, { signal: signalOf(step) });
      if (step.disposeMs) await deliberateDelay(step.disposeMs).then(() => toolset.dispose());
      const { text, isError, data, jobId } = await call;
      if (jobId !== undefined) names.job ??= idOf(text, data) ?? jobId;
      answers.push({ text: written(text, directory), isError });
    }
  } finally {
    await toolset.dispose();
  }
  return answers;
}

/** Returns the dialect's name of the job. */
function idOf(text, data) {
  const id = data?.job ?? data?.backgroundTaskId ?? data?.session_id ?? data?.async?.jobId ?? data?.pid;
  return id ?? /\b(?:bash_|job-)\d+/.exec(text)?.[0];
}

function signalOf({ abortMs }) {
  if (abortMs === undefined) return undefined;
  return abortMs === 0 ? AbortSignal.abort() : AbortSignal.timeout(abortMs);
}

/** A copy in which `{name}` stands for its value. */
function filled(value, names, defaults) {
  const text = JSON.stringify({ ...defaults, ...value }, (_, part) =>
    typeof part === 'string' && /^\{(\w+)\}$/.test(part) ? names[part.slice(1, -1)] : part,
  );
  return JSON.parse(text, (_, part) =>
    typeof part === 'string' ? part.replace('{dir}', names.dir ?? '{dir}') : part,
  );
}
