// Runs a command: in a shell of its own, in the session's, or as a job.

import { userInfo } from 'node:os';
import { quoteWord } from '../../addon/native.ts';
import { HIDDEN, withCause } from '../../job/command-events.ts';
import { isTable } from '../../jobs.ts';
import { planRun } from '../../options/run-options.ts';
import type { RunResult } from '../../result/api.ts';
import { binaryOf, removeSpill } from '../../result/result.ts';
import { run, runPlan } from '../../run.ts';
import type { SessionResult } from '../../session/api.ts';
import type { OutputPlan, RunAction } from '../actions.ts';
import type { CallContext } from '../api/definition.ts';
import type { CommandOptions, CommandOutput } from '../options/command-run-options.ts';
import { prepared, startOf } from '../options/command-run-options.ts';
import { runsInClient } from '../options/terminals.ts';
import type { CommandOutcome, Performed } from '../outcomes.ts';
import { authorization } from '../permission/policy.ts';
import type { ToolSession } from '../state/session.ts';
import type { ToolCall, ToolsetState } from '../toolset-state.ts';
import { withArtifact } from './artifacts.ts';
import type { PreparedCommand } from './jobs.ts';
import { startJob } from './jobs.ts';
import { ABORTED, fileOf, nothingRun, outcomeOf } from './outcome.ts';
import { runThere } from './terminal-run.ts';

type RunOptions = CommandOptions & { output: CommandOutput };

async function runOne(asked: RunAction, state: ToolsetState, call: ToolCall): Promise<Performed> {
  const spec = withYield(asked, call.context);
  const command = spec.argv ?? spec.command;
  if (spec.askedUser !== undefined && !isOwnUser(spec.askedUser)) {
    return { outcome: nothingRun('failed', `the command can't be run as the user '${spec.askedUser}'`) };
  }
  const { options, place } = prepared(spec, state);
  const gone = removedStart(spec, state);
  const { outcome, ...more } = await runBy(spec, { command, options, place }, state, call);
  const hasNewContainer = isInNewContainer(more.result, state);
  return { outcome: { cwd: options.cwd, ...outcome, gone, granted: spec.granted, hasNewContainer }, ...more };
}

/** Returns whether a command is the first one in a container that has replaced a lost one. */
function isInNewContainer(result: RunResult | undefined, state: ToolsetState): boolean {
  const name = result?.target?.container ?? undefined;
  if (name === undefined || state.isOriginal) return false;
  const before = state.container;
  state.container = name;
  return before !== undefined && before !== name;
}

/**
 * Returns the removed directory in which a command would start; `undefined` where it is there, or the model
 * names another.
 */
function removedStart(spec: RunAction, state: ToolsetState): string | undefined {
  const { session } = state;
  if (spec.cwd !== undefined) return undefined;
  const isShells = session?.takes(spec) && session.cwd !== null && !spec.startsAfresh;
  return isShells ? session?.removed : startOf(state).gone;
}

async function runBy(
  spec: RunAction,
  start: PreparedCommand,
  state: ToolsetState,
  call: ToolCall,
): Promise<Performed> {
  const { command, options, place } = start;
  const { session } = state;
  if (session?.takes(spec)) return runInSession(spec, options, { session, state, call });
  Object.assign(options, authorization(spec, state));
  if (spec.isJob) return startJob(spec, start, state, call);
  const { terminals } = state;
  if (terminals !== undefined && runsInClient(spec, terminals))
    return runThere(spec, start, terminals, state, call);
  options.signal = call.signal;
  options.pipeStatus = state.asksPipeStatus;
  if (state.background === 'adopt') options.jobs = state.jobs;
  if (spec.yieldMs !== undefined) Object.assign(options, yielding(spec, spec.yieldMs, state));
  const cwdFiles = state.cwdMemory && (await state.cwdMemory.prepare(place.spec));
  const { started } = call;
  const pty = spec.pty !== undefined;
  const plan = planRun(command, options, isTable, place);
  // Each of its commands would leave files for days; the model asks for a job that shall stay.
  plan.endsWithHost = true;
  const result = await runPlan(plan, started && ((job) => started({ job, pty })));
  if (options.cwd === undefined) learn(state, result.cwd);
  if (result.jobId === null) {
    await withArtifact(result, options.output, state.own);
    settleSpill(spec.output, options, result, state);
    if (isRemovedThere(spec, result, state)) return { outcome: leaveRemoved(result, state), result };
    const { project } = state.start;
    const resetTo = await state.cwdMemory?.after(cwdFiles, state.start.absolute(startOf(state).cwd), project);
    const reset = resetTo === undefined ? undefined : { to: resetTo, outsideOf: project };
    return { outcome: outcomeOf(result, { reset }), result };
  }
  const job = state.jobs.get(result.jobId);
  if (job === undefined)
    return { outcome: outcomeOf(result, { job: result.jobId }), result, jobId: result.jobId };
  state.files.add(result, false);
  const entry = state.entries.add(job, {
    label: spec.label,
    call,
    cursor: result.cursor ?? 0,
    file: fileOf(result),
    view: options.output.view,
    pid: result.pid,
    adopted: result.status === 'background' ? undefined : result.backgroundPids,
    grant: spec.grant,
  });
  const more = { job: entry.id, label: entry.label, isAdopted: entry.adopted !== undefined };
  return { outcome: outcomeOf(result, more), result, jobId: job.id };
}

/**
 * Returns whether a command could not start because the directory of the one before is no longer there on the
 * target. On this machine, that is known before a command starts.
 */
function isRemovedThere(
  { cwd }: RunAction,
  { error }: RunResult,
  { there, cwdMemory }: ToolsetState,
): boolean {
  const isGone = error?.code === 'CWD_MISSING' || error?.code === 'CWD_NOT_DIRECTORY';
  return isGone && there !== undefined && cwd === undefined && cwdMemory?.current !== undefined;
}

/**
 * Lets the next command start in the host's directory. This one does not run there: it was approved for
 * another directory.
 */
function leaveRemoved(result: RunResult, { cwdMemory, start }: ToolsetState): CommandOutcome {
  cwdMemory?.reset();
  const to = start.path;
  const next = to === undefined ? '' : `; the next command starts in ${to}`;
  return outcomeOf(result, {
    error: `${result.error?.message}${next}`,
    reset: to === undefined ? undefined : { to },
  });
}

/**
 * Notes where a command has started for which no directory is given, which only a target does not tell
 * before.
 */
function learn({ start }: ToolsetState, directory: string | null): void {
  if ('learn' in start) start.learn(directory);
}

/** A call whose command runs in the session. */
interface InSession {
  session: ToolSession;
  state: ToolsetState;
  call: ToolCall;
}

/** The way to a directory: the result that failed, or the promise of the command after it. */
type Move =
  | { failed: RunResult; running?: undefined }
  | { failed?: undefined; running: Promise<SessionResult> };

/** Runs a command in the session's shell. */
async function runInSession(spec: RunAction, options: RunOptions, where: InSession): Promise<Performed> {
  const { session } = where;
  if (session.ended !== null) return { outcome: session.ended };
  session.hold();
  try {
    return await runHeld(spec, options, where);
  } finally {
    session.release();
  }
}

async function runHeld(
  spec: RunAction,
  options: RunOptions,
  { session, state, call }: InSession,
): Promise<Performed> {
  const { command = '', timeoutMs, output, needsRestart, savesState } = spec;
  const own = {
    ...options,
    signal: call.signal,
    timeout: timeoutMs,
    cwd: startOf(state).cwd,
    pipeStatus: state.asksPipeStatus,
  };
  // Several calls may have waited for the same move, and only one may make the next one.
  while (session.isMoving && !call.signal.aborted) await session.moved(call.signal);
  if (call.signal.aborted) return { outcome: nothingRun('aborted', ABORTED) };
  const directory = newDirectory(spec, options, session, state);
  const start = () => session.run(command, own, call.started, savesState);
  const { failed, running }: Move =
    directory === undefined
      ? { running: start() }
      : await move(directory, own, { session, state, call }, start);
  if (failed !== undefined) return { outcome: outcomeOf(failed, { pid: null }), result: failed };
  const result = await running;
  await withArtifact(result, options.output, state.own);
  settleSpill(output, options, result, state);
  if (needsRestart && (result.status === 'timeout' || result.shellEnded)) {
    session.ended = outcomeOf(result, { stdout: '', stderr: '', needsRestart: true });
  }
  const { shellEnded } = result;
  const restarted = shellEnded || result.restarted;
  const isMerged = options.output.merge || options.output.view !== undefined;
  const hasState = savesState || session.isKeptState;
  return { outcome: outcomeOf(result, { shellEnded, restarted, isMerged, hasState }), result };
}

/**
 * Returns the directory to which the session's shell has to go before the command, as `to`; `undefined` if it
 * is there. A command starts where the last one ended, unless the model asks for a directory, or the dialect
 * starts all commands in the host's. On a target, that one may be unknown.
 */
function newDirectory(
  { cwd, startsAfresh }: RunAction,
  options: RunOptions,
  session: ToolSession,
  { start }: ToolsetState,
): { to: string | undefined } | undefined {
  if (cwd === undefined && !startsAfresh) return undefined;
  const to = start.absolute(options.cwd) ?? options.cwd;
  const current = session.cwd ?? start.path;
  return session.isAlone && to === current ? undefined : { to };
}

/**
 * Takes the session's shell to a directory, and then calls `start`, before any other call's command. Resolves
 * with `failed`, a result, if the shell did not get there; otherwise with `running`, the promise of `start`.
 */
async function move(
  { to }: { to: string | undefined },
  own: RunOptions,
  { session, state }: InSession,
  start: () => Promise<SessionResult>,
): Promise<Move> {
  const release = session.startMove();
  try {
    // The engine knows what is wrong with a directory, and whether it leaves the root.
    const checked = await withCause(HIDDEN, () =>
      run(['true'], { cwd: to, root: own.root, target: own.target, signal: own.signal }),
    );
    if (checked.status !== 'exited') return { failed: checked };
    if (to === undefined) learn(state, checked.cwd);
    const moved = await withCause(HIDDEN, () => session.run(`cd -- ${quoteWord(to ?? checked.cwd)}`, own));
    if (moved.status !== 'exited' || moved.exitCode !== 0) return { failed: moved };
    return { running: start() };
  } finally {
    release();
  }
}

/** Applies the caller's `yieldMs` where it is shorter than the dialect's. */
function withYield(spec: RunAction, { yieldMs = Number.NaN }: CallContext): RunAction {
  if (!(yieldMs >= 0) || spec.isJob || (spec.yieldMs ?? Number.NaN) <= yieldMs) return spec;
  return { ...spec, yieldMs };
}

function isOwnUser(name: string): boolean {
  const { uid, username } = userInfo();
  return name === username || name === String(uid);
}

/**
 * Removes the spill file if the model reads all of the output; otherwise registers it, so that `bash_output`
 * may read it.
 */
function settleSpill(
  { spillAbove, spill }: OutputPlan,
  options: RunOptions,
  result: RunResult,
  state: ToolsetState,
): void {
  if (result.spillPath === null) return;
  const isBinary = binaryOf(result) !== undefined;
  const isShort =
    result.view === null
      ? spillAbove !== undefined && result.totalBytes.stdout + result.totalBytes.stderr <= spillAbove
      : result.view.complete;
  if (isBinary || !isShort) {
    state.files.add(result, options.output.view !== undefined && !spill);
    return;
  }
  removeSpill({ ...result }).catch(() => {});
  result.spillPath = null;
  result.spill = null;
}

/**
 * Returns the options by which the command moves to the background after `yieldMs`, and keeps the rest of its
 * timeout.
 */
function yielding(
  { timeoutMs }: RunAction,
  yieldMs: number,
  { jobs }: ToolsetState,
): Partial<CommandOptions> {
  const rest = timeoutMs === undefined || timeoutMs <= yieldMs ? 0 : timeoutMs - yieldMs;
  if (timeoutMs !== undefined && timeoutMs < yieldMs) return { timeout: timeoutMs };
  return { onTimeout: 'background', timeout: yieldMs, backgroundTimeout: rest, jobs };
}

export { runOne };
