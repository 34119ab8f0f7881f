// A durable job at the streams of this process.

import type { DurableInfo, Job, Jobs, RunResult } from 'agent-bash';
import { attach } from 'agent-bash/console';
import type { Encoding } from '../../result/output-api.ts';
import { room } from '../forward.ts';
import { hasInput, passInput } from '../standard-input.ts';
import { lastOutput } from '../terminal.ts';

/** The byte of Ctrl-], and the time without output after which all of a job that runs is printed (ms). */
const DETACH = 0x1d;
const IDLE_MS = 500;

/**
 * Attaches this process to a job: by a console where both have a terminal. Otherwise the output and the input
 * are passed on. Resolves with the result, whose status is `background` for a job that runs on.
 */
async function attachHere(jobs: Jobs, info: DurableInfo, signal: AbortSignal): Promise<RunResult<Encoding>> {
  const { stdin, stdout } = process;
  if (info.pty !== null && stdin.isTTY && stdout.isTTY) {
    const job = await jobs.attach(info.id, { since: 0 });
    const { reason } = await attach(job, { escape: 'send', detachKey: 'ctrl-]' }).done;
    if (reason === 'exited' || reason === 'killed') stdout.write(lastOutput(job));
    else job.detach();
    return job.result;
  }
  const job = await jobs.attach(info.id, { since: 0, encoding: encodingOf(info) });
  signal.addEventListener('abort', () => job.detach());
  const stop = stdin.isTTY ? passLines(job) : hasInput() ? passInput(job) : () => {};
  try {
    await printOutput(job, undefined);
    return await job.result;
  } finally {
    stop();
  }
}

/** Passes lines of a person on to a job, until one has Ctrl-]. Returns a function that stops it. */
function passLines(job: Job<Encoding>): () => void {
  const { stdin } = process;
  const onData = (chunk: Buffer) => {
    const at = chunk.indexOf(DETACH);
    if (at === -1) job.write(chunk);
    else {
      if (at > 0) job.write(chunk.subarray(0, at));
      job.detach();
    }
  };
  stdin.on('data', onData);
  stdin.on('end', () => job.end());
  return () => {
    stdin.off('data', onData);
    stdin.pause();
  };
}

/** Returns how the output of a job is read: as bytes, except that of a terminal. */
function encodingOf({ pty }: DurableInfo): Encoding {
  return pty === null ? 'buffer' : 'utf8';
}

/**
 * Writes the output of a job to the streams of this process, until it ends, or until so many bytes are
 * written. Bytes that are no longer kept do not come: then the output is over when none comes for a while.
 * Returns how many bytes were written.
 */
async function printOutput(job: Job<Encoding>, most: number | undefined): Promise<number> {
  let written = 0;
  let timer: NodeJS.Timeout | undefined;
  const chunks = job[Symbol.asyncIterator]();
  const restart = () => {
    clearTimeout(timer);
    if (most !== undefined) timer = setTimeout(() => chunks.return?.(), IDLE_MS);
  };
  restart();
  while (most === undefined || written < most) {
    const { done, value } = await chunks.next();
    if (done) break;
    const output = 'text' in value ? value.text : value.data;
    written += Buffer.byteLength(output);
    if (!process[value.stream].write(output)) await room(process[value.stream]);
    restart();
  }
  clearTimeout(timer);
  await chunks.return?.();
  return written;
}

export { attachHere, encodingOf, printOutput };
