// Starts jobs, reads their output, writes to their input, and ends them.

import type { ToolJobEnd } from '../../../native.js';
import { addAbortListener } from '../../job/abort.ts';
import type { Job } from '../../job/job.ts';
import { inside } from '../../job/job.ts';
import { startPlan } from '../../jobs.ts';
import { planStart } from '../../options/run-options.ts';
import type { RunResult } from '../../result/api.ts';
import type { CodedError } from '../../support/coded-error.ts';
import { now } from '../../support/now.ts';
import type { KillAction, Prepared, ReadAction, RunAction, WriteAction } from '../actions.ts';
import type { CommandOptions, CommandOutput } from '../options/command-run-options.ts';
import type { CommandOutcome, OutputFile, Performed } from '../outcomes.ts';
import type { JobEntry } from '../state/job-entries.ts';
import { isOver } from '../state/job-entries.ts';
import { fileIn } from '../state/job-files.ts';
import type { ToolCall, ToolsetState } from '../toolset-state.ts';
import type { AskedOutput } from './job-output.ts';
import { newOutput } from './job-output.ts';
import { nothingRun, outcomeOf, runningOf } from './outcome.ts';
import { hasNew, waitForEnd, waitForLaunch, waitForOutput, waitForReply } from './waits.ts';

/** A command to start, with its options and its checked place. */
export interface PreparedCommand extends Prepared {
  command: string | string[] | undefined;
}

/** Starts a job, and waits for its end as long as the action says. */
async function startJob(
  spec: RunAction,
  { command, options, place }: PreparedCommand,
  state: ToolsetState,
  call: ToolCall,
): Promise<Performed> {
  // The signal of the call reaches the job only until the call has its answer.
  const stop = new AbortController();
  const directory = spec.namesFile ? withDirectory(options, state) : undefined;
  let job: Job;
  try {
    const { background, ...others } = options;
    const adopts = background === 'adopt' || state.durable !== null;
    const own = {
      ...others,
      background: adopts ? undefined : background,
      signal: stop.signal,
      stdin: spec.isOpen && !spec.pty ? 'pipe' : 'empty',
    };
    const plan = planStart(command, own, place);
    // The files for the statuses end with this process.
    const asksPipeStatus = state.asksPipeStatus && state.durable === null;
    job = startPlan(state.jobs, plan, { adopts, asksPipeStatus });
  } catch (error) {
    const { code, message } = error as CodedError;
    if (code !== 'JOB_LIMIT' && code !== 'JOBS_DISPOSED') throw error;
    return {
      outcome: { ...nothingRun('failed', message), errorCode: code, command: spec.command },
    };
  }
  job.unref();
  const forget = addAbortListener(call.signal, () => stop.abort());
  call.started?.({ job, pty: spec.pty !== undefined });
  await waitForLaunch(job, LAUNCH_MS, call.signal);
  if (isOver({ job })) await inside.over(job);
  state.jobFiles.add(directory, job);
  const entry = state.entries.add(job, {
    label: spec.label,
    call,
    directory,
    isOpen: spec.isOpen || spec.pty !== undefined,
    isTerminal: spec.pty !== undefined,
    view: options.output.view,
    grant: spec.grant,
  });
  await waitForEnd(entry, spec.yieldMs ?? 0, call.signal);
  forget();
  state.durable?.started(entry);
  if (call.signal.aborted) await inside.over(job);
  if (isOver(entry)) {
    const result = (await inside.over(job)) as RunResult;
    // A short command may be over before the answer to its start.
    if (spec.isDetached && result.status !== 'failed' && result.status !== 'aborted') {
      return { outcome: detached(entry), jobId: job.id };
    }
    entry.cursor = result.cursor ?? 0;
    state.files.add(result, false);
    const { label, isOpen, isTerminal } = entry;
    const more = { job: entry.id, label, isOpen, isTerminal, startedAsJob: true };
    return { outcome: outcomeOf(result, more), result, jobId: job.id };
  }
  if (spec.isDetached) return { outcome: detached(entry), jobId: job.id };
  return { outcome: { ...(await taken(entry, state)), startedAsJob: true }, jobId: job.id };
}

/** Gives a job a file from its start, in a directory of its own, and returns the directory. */
function withDirectory(
  options: CommandOptions & { output: CommandOutput },
  { jobFiles }: ToolsetState,
): string | undefined {
  const { spill } = options.output;
  const directory = spill && jobFiles.makeDirectory(spill, options.root);
  if (spill && directory !== undefined) options.output.spill = { ...spill, directory, above: 0 };
  return directory;
}

/** Returns the answer to the start of a job whose output is read later. */
function detached(entry: JobEntry): CommandOutcome {
  return { ...summary(entry, null), startedAsJob: true };
}

/** The longest wait for the process of a job (ms): a launch may hang. */
const LAUNCH_MS = 1_000;

async function readJob(action: ReadAction, state: ToolsetState, call: ToolCall): Promise<Performed> {
  const { id, since, fromStart, peeks, waitMs, untilEnd } = action;
  const entry = state.entries.get(id);
  if (entry === undefined) return unknown(id);
  const from = since ?? (fromStart ? 0 : entry.cursor);
  if (waitMs > 0 && !isOver(entry) && (untilEnd || !hasNew(entry, from))) {
    await (untilEnd
      ? waitForEnd(entry, waitMs, call.signal)
      : waitForOutput(entry, from, waitMs, call.signal));
  }
  const { cursor } = entry;
  const outcome = { ...(await unreadOutput(entry, from, state, action)), hasWaited: waitMs > 0 };
  if (peeks) entry.cursor = cursor;
  return { outcome, jobId: entry.job.id };
}

async function writeJob(action: WriteAction, state: ToolsetState, call: ToolCall): Promise<Performed> {
  const { id, waitMs, untilEnd } = action;
  const entry = state.entries.get(id);
  if (entry === undefined) return unknown(id);
  entry.asksFirst = false;
  const isKey = action.key !== undefined && entry.isTerminal;
  const { text, end, signal }: Partial<WriteAction> = isKey ? { text: action.key } : action;
  const wasOver = isOver(entry);
  const from = entry.cursor;
  if (signal !== undefined && !wasOver) {
    try {
      entry.job.kill(signal);
    } catch (error) {
      // The model gave an unknown signal. The dialects have no words for that, and the output that it reads
      // counts as read.
      const outcome = { ...(await unreadOutput(entry, from, state)), wasOver, tookInput: true };
      return { outcome, jobId: entry.job.id, fault: (error as Error).message };
    }
  }
  // Output from here on may be the reply: what came before may be unread, and is none.
  const written = entry.job.read(from).cursor;
  let tookInput = entry.isOpen && !wasOver;
  if (text !== undefined && text !== '') tookInput = !wasOver && entry.job.write(text);
  if (end) entry.job.end();
  if (!isOver(entry)) {
    await (untilEnd
      ? waitForEnd(entry, waitMs, call.signal)
      : waitForReply(entry, written, waitMs, call.signal));
  }
  return {
    outcome: { ...(await unreadOutput(entry, from, state, action)), tookInput, wasOver },
    jobId: entry.job.id,
  };
}

async function killJob({ id }: Pick<KillAction, 'id'>, state: ToolsetState): Promise<Performed> {
  const entry = state.entries.get(id);
  if (entry === undefined) return unknown(id);
  const wasOver = isOver(entry);
  if (!wasOver) {
    entry.killed = true;
    entry.job.kill(inside.isForced(entry.job) ? undefined : 'SIGKILL');
    await inside.over(entry.job);
  }
  return { outcome: { ...(await unreadOutput(entry, entry.cursor, state)), wasOver }, jobId: entry.job.id };
}

/**
 * Returns whether the output from an offset on is all output of a job that is over: its result has more of it
 * than its ring.
 */
function isWholeOf({ view }: JobEntry, from: number, result: RunResult | null): result is RunResult {
  return from === 0 && result !== null && view === undefined && result.status !== 'failed';
}

/** Returns the output of a job from an offset on, and its state. Marks that output as read. */
async function unreadOutput(
  entry: JobEntry,
  from: number,
  state: ToolsetState,
  asked?: AskedOutput,
): Promise<CommandOutcome> {
  // The result of a finished job arrives a moment after its status has changed.
  const result = isOver(entry) ? ((await inside.over(entry.job)) as RunResult) : null;
  if (result !== null) state.files.add(result, false);
  if (isWholeOf(entry, from, result)) {
    entry.cursor = result.cursor ?? entry.cursor;
    const { stdout, stderr } = result;
    return { ...summary(entry, result), stdout, stderr, hasView: false };
  }
  const { stdoutBytes, stderrBytes, ...output } = await newOutput(entry, from, result, state, asked);
  // Neither the text of a view nor the description of binary output tells the length of the output.
  const isBinary = output.binaryStdout !== undefined || output.binaryStderr !== undefined;
  const sizes = output.hasView || isBinary ? { stdoutBytes, stderrBytes } : {};
  return { ...summary(entry, result), ...output, ...sizes };
}

/** Returns the output and state of a job that this call has started, with the sizes of its output. */
async function taken(entry: JobEntry, state: ToolsetState): Promise<CommandOutcome> {
  const output = await newOutput(entry, 0, null, state);
  return { ...summary(entry, null), ...output };
}

/** Returns what tells of the end of a job. */
function endOfJob(entry: JobEntry, result: RunResult, state: ToolsetState): ToolJobEnd {
  const { id: job, label, killed, isOpen, isTerminal, callId } = entry;
  const { stdout, stderr, ...outcome } = outcomeOf(result, { job, label, killed, isOpen, isTerminal });
  const call = {
    tool: entry.tool ?? state.mainTool,
    arguments: entry.text,
    // The addon takes only text, and an error here would be an unhandled rejection.
    id: callId === undefined || callId === null ? undefined : String(callId),
  };
  return state.native.ended(call, JSON.stringify(outcome), stdout, stderr);
}

/** Returns the state of a job, without its output. */
function summary(entry: JobEntry, result: RunResult | null = entry.result): CommandOutcome {
  const { id, job, label, killed, isOpen, isTerminal } = entry;
  const shared = { job: id, label, killed, isOpen, isTerminal, stdout: '', stderr: '' };
  if (result !== null) {
    return { ...outcomeOf(result, shared), cursor: entry.cursor };
  }
  return {
    ...shared,
    file: fileOfJob(entry),
    status: 'background',
    isStarting: job.status === 'starting',
    command: job.command,
    isAdopted: entry.adopted !== undefined,
    backgroundPids: runningOf(entry.adopted ?? []),
    pid: pidOf(entry),
    processGroup: pidOf(entry),
    durationMs: now() - entry.startedAt,
    cursor: entry.cursor,
  };
}

/** Returns the file with the output of a job that runs; `null` if it needed none so far. */
function fileOfJob({ file, directory }: JobEntry): OutputFile | null {
  if (file !== null) return file;
  const path = fileIn(directory);
  return path === null ? null : { path };
}

/**
 * Returns the pid of a job that runs. The addon forgets it at the end, a moment before the job's result
 * arrives.
 */
function pidOf(entry: JobEntry): number | null {
  entry.pid ??= entry.job.pid;
  return entry.pid;
}

function unknown(id: string): Performed {
  return { outcome: { ...nothingRun('unknown', `there is no job ${id}`), job: id } };
}

export { endOfJob, killJob, readJob, startJob, summary, unknown, unreadOutput, writeJob };
