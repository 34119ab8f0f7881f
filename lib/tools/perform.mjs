// Carries out what a dialect has decided.

import { userInfo } from 'node:os';
import { onAbort } from '../job/abort.mjs';
import { inside } from '../job/job.mjs';
import { removeSpill } from '../result/result.mjs';
import { run, runWithJob } from '../run.mjs';
import { now } from '../support/now.mjs';
import { runOptions } from './options/run-options.mjs';
import { nothingRun, outcomeOf } from './outcome.mjs';
import { isOver } from './place/job-entries.mjs';

/**
 * Carries out an action in a toolset's `place`: its host's options, its table, its jobs. Gives `{ outcome, result, jobId }`.
 * `call`: the signal that ends it, and `push`, which hears output, or `undefined`.
 */
function perform(action, place, call) {
  switch (action.do) {
    case 'run':
      return runOne(action, place, call);
    case 'batch':
      return runAll(action.runs, place, call);
    case 'read':
      return readJob(action, place, call);
    case 'write':
      return writeJob(action, place, call);
    case 'kill':
      return killJob(action, place);
    case 'manage':
      return manage(action, place, call);
    case 'restart':
      return restart(action, place, call);
    case 'list':
      return {
        outcome: { ...nothingRun('exited'), items: place.entries.list().map((entry) => summary(entry)) },
      };
    default:
      return { outcome: nothingRun('exited') };
  }
}

async function runOne(asked, place, call) {
  const spec = withYield(asked, call.context);
  const command = spec.argv ?? spec.command;
  if (spec.askedUser !== undefined && !isOwnUser(spec.askedUser)) {
    return { outcome: nothingRun('failed', `the command can't be run as the user '${spec.askedUser}'`) };
  }
  const options = runOptions(spec, place);
  if (place.session?.takes(spec)) return runInSession(spec, options, place, call);
  if (place.policy !== undefined) Object.assign(options, authorization(place));
  if (spec.isJob) return startJob(spec, command, options, place, call);
  options.signal = call.signal;
  if (spec.yieldMs !== undefined) Object.assign(options, yielding(spec, place));
  place.cwdMemory?.prepare(options);
  const result = call.push
    ? await runWithJob(command, options, (job) => job.on('data', call.push))
    : await run(command, options);
  if (result.jobId === null) {
    dropNeedlessSpill(spec.output, result);
    const resetTo = place.cwdMemory?.after(result);
    return { outcome: outcomeOf(result, { resetTo }), result };
  }
  const job = place.jobs.get(result.jobId);
  if (job === undefined)
    return { outcome: outcomeOf(result, { job: result.jobId }), result, jobId: result.jobId };
  if (call.push) job.off('data', call.push);
  const entry = place.entries.add(job, {
    label: spec.label,
    cursor: result.cursor ?? 0,
    output: spec.output,
  });
  return { outcome: outcomeOf(result, { job: entry.id, label: entry.label }), result, jobId: job.id };
}

/** A command of the session's shell. It starts where the last one ended, unless the model asks for a directory. */
async function runInSession({ cwd, command, timeoutMs, output }, options, place, call) {
  const { session } = place;
  const own = { ...options, signal: call.signal, timeout: timeoutMs };
  if (cwd !== undefined) {
    const moved = await session.run(`cd -- ${quoted(options.cwd)}`, { ...own, cwd: place.host.cwd });
    if (moved.status !== 'exited' || moved.exitCode !== 0)
      return { outcome: outcomeOf(moved), result: moved };
  }
  const result = await session.run(command, { ...own, cwd: place.host.cwd }, call.push);
  dropNeedlessSpill(output, result);
  return { outcome: outcomeOf(result, { restarted: result.shellEnded || result.restarted }), result };
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A new shell for the session, and then perhaps a command. */
async function restart({ then }, place, call) {
  if (place.session === undefined) {
    const message = 'there is no session to restart';
    return { outcome: nothingRun('failed', message) };
  }
  await place.session.restart();
  if (then === null) return { outcome: { ...nothingRun('exited'), didRestart: true } };
  const { outcome, result } = await runOne(then, place, call);
  return { outcome: { ...outcome, didRestart: true }, result };
}

/** Ends jobs, and waits for jobs. */
async function manage({ poll, cancel, isPolling, waitMs }, place, call) {
  const cancelled = [];
  for (const id of cancel) cancelled.push((await killJob({ id }, place)).outcome);
  if (!isPolling) {
    const items = cancel.length > 0 ? [] : place.entries.list().map((entry) => summary(entry));
    return { outcome: { ...nothingRun('exited'), cancelled, items } };
  }
  const running = place.entries.list().filter((entry) => !isOver(entry));
  const ids = poll.length > 0 ? poll : running.map(({ id }) => id);
  const entries = ids.map((id) => place.entries.get(id));
  const waiting = entries.filter((entry) => entry !== undefined && !isOver(entry));
  if (waiting.length > 0 && waiting.length === entries.length) {
    await waited(waitMs, call.signal, (done) => {
      for (const entry of waiting) inside.over(entry.job).then(done);
    });
  }
  const items = entries.map(async (entry, index) =>
    entry === undefined ? unknown(ids[index]).outcome : looked(entry, entry.cursor),
  );
  return { outcome: { ...nothingRun('exited'), cancelled, items: await Promise.all(items) } };
}

/** The caller's time to yield comes before a longer one of the dialect. */
function withYield(spec, { yieldMs }) {
  if (!(yieldMs >= 0) || spec.isJob || spec.yieldMs <= yieldMs) return spec;
  return { ...spec, yieldMs };
}

/** The policy decides again as the command starts, on what really runs. Whoever is asked has answered before. */
function authorization({ policy }) {
  return { policy, approve: () => 'allow' };
}

function isOwnUser(name) {
  const { uid, username } = userInfo();
  return name === username || name === String(uid);
}

/** A file with output that the model reads in whole is of no use. */
function dropNeedlessSpill({ spillAbove }, result) {
  if (result.spillPath === null) return;
  const isRead =
    result.view === null
      ? spillAbove !== undefined && result.totalBytes.stdout + result.totalBytes.stderr <= spillAbove
      : result.view.complete;
  if (!isRead) return;
  removeSpill({ ...result }).catch(() => {});
  result.spillPath = null;
  result.spill = null;
}

/** The command goes on in the table after a while, for what is left of its time. */
function yielding({ yieldMs, timeoutMs }, { jobs }) {
  const rest = timeoutMs === undefined || timeoutMs <= yieldMs ? 0 : timeoutMs - yieldMs;
  if (timeoutMs !== undefined && timeoutMs < yieldMs) return { timeout: timeoutMs };
  return { onTimeout: 'background', timeout: yieldMs, backgroundTimeout: rest, jobs };
}

/** Runs commands beside each other; the outcomes are in their order. */
async function runAll(runs, place, call) {
  const outcomes = new Array(runs.length);
  const results = new Array(runs.length);
  let next = 0;
  const worker = async () => {
    while (next < runs.length) {
      const index = next++;
      if (call.signal.aborted) {
        outcomes[index] = { ...nothingRun('aborted'), command: runs[index].command };
        continue;
      }
      const { outcome, result } = await runOne(runs[index], place, call);
      outcomes[index] = outcome;
      results[index] = result;
    }
  };
  const count = Math.min(runs.length, place.concurrency);
  await Promise.all(Array.from({ length: count }, worker));
  return { outcome: { ...nothingRun('exited'), items: outcomes }, result: results[0] };
}

/** Starts a job, and waits for its end for a while. */
async function startJob(spec, command, options, place, call) {
  // The signal of the call reaches the job until there is an answer.
  const stop = new AbortController();
  let job;
  try {
    job = place.jobs.start(command, {
      ...options,
      signal: stop.signal,
      stdin: spec.isOpen && !spec.pty ? 'pipe' : 'empty',
    });
  } catch (error) {
    if (error.code !== 'JOB_LIMIT' && error.code !== 'JOBS_DISPOSED') throw error;
    return {
      outcome: { ...nothingRun('failed', error.message), errorCode: error.code, command: spec.command },
    };
  }
  job.unref();
  const forget = onAbort(call.signal, () => stop.abort());
  if (call.push) job.on('data', call.push);
  await launched(job);
  const entry = place.entries.add(job, {
    label: spec.label,
    isOpen: spec.isOpen || spec.pty,
    isTerminal: spec.pty,
    output: spec.output,
  });
  await ended(entry, spec.yieldMs ?? 0, call.signal);
  forget();
  if (call.push) job.off('data', call.push);
  if (call.signal.aborted) await inside.over(job);
  if (isOver(entry)) {
    const result = await inside.over(job);
    entry.cursor = result.cursor ?? 0;
    const { label, isOpen, isTerminal } = entry;
    const more = { job: entry.id, label, isOpen, isTerminal, startedAsJob: true };
    return { outcome: outcomeOf(result, more), result, jobId: job.id };
  }
  return { outcome: { ...taken(entry), startedAsJob: true }, jobId: job.id };
}

/** How often a job that is being started is looked at (ms), and how often at most: a launch may hang. */
const LAUNCH_LOOK_MS = 1;
const LAUNCH_LOOKS = 1_000;

/** Waits until a job has a process, or is over: an answer names the process, and a failed launch is one. */
async function launched(job) {
  for (let looks = 0; looks < LAUNCH_LOOKS && job.pid === null && !isOver({ job }); looks++) {
    await new Promise((resolve) => setTimeout(resolve, LAUNCH_LOOK_MS));
  }
}

async function readJob({ id, since, fromStart, peeks, waitMs, untilEnd }, place, call) {
  const entry = place.entries.get(id);
  if (entry === undefined) return unknown(id);
  const from = since ?? (fromStart ? 0 : entry.cursor);
  const isNew = () => entry.job.read(from).cursor > from;
  if (waitMs > 0 && !isOver(entry) && (untilEnd || !isNew())) {
    await (untilEnd ? ended(entry, waitMs, call.signal) : spoken(entry, waitMs, call.signal));
  }
  const { cursor } = entry;
  const outcome = { ...(await looked(entry, from)), hasWaited: waitMs > 0 };
  if (peeks) entry.cursor = cursor;
  return { outcome, jobId: entry.job.id };
}

async function writeJob(action, place, call) {
  const { id, waitMs, untilEnd } = action;
  const entry = place.entries.get(id);
  if (entry === undefined) return unknown(id);
  const isKey = action.key !== undefined && entry.isTerminal;
  const { text, end, signal } = isKey ? { text: action.key } : action;
  const wasOver = isOver(entry);
  const from = entry.cursor;
  if (signal !== undefined && !wasOver) {
    try {
      entry.job.kill(signal);
    } catch (error) {
      return {
        outcome: { ...(await looked(entry, from)), errorCode: error.code, error: error.message, wasOver },
      };
    }
  }
  let tookInput = entry.isOpen && !wasOver;
  if (text !== undefined && text !== '') tookInput = !wasOver && entry.job.write(text);
  if (end) entry.job.end();
  if (!isOver(entry)) await (untilEnd ? ended : settledDown)(entry, waitMs, call.signal);
  return { outcome: { ...(await looked(entry, from)), tookInput, wasOver }, jobId: entry.job.id };
}

async function killJob({ id }, place) {
  const entry = place.entries.get(id);
  if (entry === undefined) return unknown(id);
  const wasOver = isOver(entry);
  if (!wasOver) {
    entry.killed = true;
    entry.job.kill(inside.isForced(entry.job) ? undefined : 'SIGKILL');
    await inside.over(entry.job);
  }
  return { outcome: { ...(await looked(entry, entry.cursor)), wasOver }, jobId: entry.job.id };
}

/** What a job has written from a place on, and how it is. It is not read again. */
async function looked(entry, from) {
  // A job that is over tells of its end a moment after its status does.
  const result = isOver(entry) ? await inside.over(entry.job) : null;
  const { chunks, cursor, dropped } = entry.job.read(from);
  entry.cursor = cursor;
  const textOf = (stream) => chunks.map((chunk) => (chunk.stream === stream ? chunk.text : '')).join('');
  return { ...summary(entry, result), stdout: textOf('stdout'), stderr: textOf('stderr'), cursor, dropped };
}

/** The same without waiting, for a job that runs. */
function taken(entry) {
  const { chunks, cursor, dropped } = entry.job.read(0);
  entry.cursor = cursor;
  const textOf = (stream) => chunks.map((chunk) => (chunk.stream === stream ? chunk.text : '')).join('');
  const stdout = textOf('stdout');
  const stderr = textOf('stderr');
  const bytes = { stdoutBytes: Buffer.byteLength(stdout), stderrBytes: Buffer.byteLength(stderr) };
  return { ...summary(entry, null), ...bytes, stdout, stderr, cursor, dropped };
}

/** How a job is, without its output. */
function summary(entry, result = entry.result) {
  const { id, job, label, killed, isOpen, isTerminal } = entry;
  const shared = { job: id, label, killed, isOpen, isTerminal, stdout: '', stderr: '' };
  if (result !== null) {
    return { ...outcomeOf(result, shared), cursor: entry.cursor };
  }
  return {
    ...shared,
    status: 'background',
    command: job.command,
    pid: job.pid,
    processGroup: job.pid,
    durationMs: now() - entry.startedAt,
    cursor: entry.cursor,
  };
}

function unknown(id) {
  return { outcome: { ...nothingRun('unknown', `there is no job ${id}`), job: id } };
}

/** Waits for the end of a job. */
function ended(entry, waitMs, signal) {
  return waited(waitMs, signal, (done) => {
    inside.over(entry.job).then(done);
  });
}

/** Waits for output of a job, or its end. */
function spoken(entry, waitMs, signal) {
  return waited(waitMs, signal, (done) => {
    entry.job.on('data', done);
    inside.over(entry.job).then(done);
    return () => entry.job.off('data', done);
  });
}

/** How long a program that has answered is given to go on (ms): its next piece comes within that, or when it likes. */
const PAUSE_MS = 50;

/** Waits until a job that has got input has written something and paused, or is over. */
function settledDown(entry, waitMs, signal) {
  return waited(waitMs, signal, (done) => {
    let timer;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(done, PAUSE_MS);
    };
    entry.job.on('data', heard);
    inside.over(entry.job).then(done);
    return () => {
      clearTimeout(timer);
      entry.job.off('data', heard);
    };
  });
}

/** Waits for what `start(done)` waits for, for so long, or until the signal fires. Node stays alive. */
function waited(waitMs, signal, start) {
  if (!(waitMs > 0) || signal.aborted) return undefined;
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      forget();
      stop?.();
      resolve();
    };
    const timer = setTimeout(end, Math.min(waitMs, 2 ** 31 - 1));
    const forget = onAbort(signal, end);
    const stop = start(end);
  });
}

export { perform };
