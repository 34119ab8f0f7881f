// Carries out the actions of a dialect.

import { inside } from '../../job/job.ts';
import type { BatchAction, ManageAction, ReadyAction, RestartAction } from '../actions.ts';
import type { CommandOutcome, CompoundOutcome, Performed } from '../outcomes.ts';
import { isOver } from '../state/job-entries.ts';
import type { ToolCall, ToolsetState } from '../toolset-state.ts';
import { killJob, readJob, summary, unknown, unreadOutput, writeJob } from './jobs.ts';
import { nothingRun } from './outcome.ts';
import { readOutput } from './output.ts';
import { runOne } from './run.ts';
import { waitWithin } from './waits.ts';

/** The outcome of an action, by whose name `src/tools/outcome/` has it. */
export type ActionOutcome = { of: ReadyAction['do'] } & (CommandOutcome | CompoundOutcome);

/** Carries out an action. */
async function perform(
  action: ReadyAction,
  state: ToolsetState,
  call: ToolCall,
): Promise<Performed<ActionOutcome>> {
  const { outcome, ...more } = await performed(action, state, call);
  return { outcome: { of: action.do, ...outcome }, ...more };
}

async function performed(
  action: ReadyAction,
  state: ToolsetState,
  call: ToolCall,
): Promise<Performed<CommandOutcome | CompoundOutcome>> {
  switch (action.do) {
    case 'run':
      return runOne(action, state, call);
    case 'batch':
      return runAll(action, state, call);
    case 'read':
      return readJob(action, state, call);
    case 'write':
      return writeJob(action, state, call);
    case 'kill':
      return killJob(action, state);
    case 'output':
      return readOutput(action, state);
    case 'manage':
      return manage(action, state, call);
    case 'restart':
      return restart(action, state, call);
    case 'list':
      return { outcome: { items: listed(state) } };
  }
}

function listed({ entries }: ToolsetState): CommandOutcome[] {
  return entries.list().map((entry) => summary(entry));
}

/** Drops what is kept between calls, which may be nothing, and then runs a command if the action has one. */
async function restart(
  { then }: RestartAction,
  state: ToolsetState,
  call: ToolCall,
): Promise<Performed<CompoundOutcome>> {
  await state.session?.restart();
  state.cwdMemory?.reset();
  if (then === null) return { outcome: { command: null } };
  // The policy has judged it where it would have started before.
  const { outcome, ...more } = await runOne({ ...then, prepared: undefined }, state, call);
  return { outcome: { command: outcome }, ...more };
}

/** Ends jobs, and waits for jobs. */
async function manage(
  { poll, cancel, isPolling, waitMs }: ManageAction,
  state: ToolsetState,
  call: ToolCall,
): Promise<Performed<CompoundOutcome>> {
  const cancelled: CommandOutcome[] = [];
  for (const id of cancel) cancelled.push((await killJob({ id }, state)).outcome);
  if (!isPolling) {
    return { outcome: { cancelled, items: cancel.length > 0 ? [] : listed(state) } };
  }
  const running = state.entries.list().filter((entry) => !isOver(entry));
  const ids = poll.length > 0 ? poll : running.map(({ id }) => id);
  const entries = ids.map((id) => state.entries.get(id));
  const waiting = entries.flatMap((entry) => (entry === undefined || isOver(entry) ? [] : [entry]));
  if (waiting.length > 0 && waiting.length === entries.length) {
    await waitWithin(waitMs, call.signal, (done) => {
      for (const entry of waiting) inside.over(entry.job).then(done);
    });
  }
  const items = entries.map(async (entry, index) =>
    entry === undefined ? unknown(ids[index]).outcome : unreadOutput(entry, entry.cursor, state),
  );
  return { outcome: { cancelled, items: await Promise.all(items) } };
}

/** Runs commands concurrently. The outcomes are in the order of the commands. */
async function runAll(
  { runs, concurrency }: BatchAction,
  state: ToolsetState,
  call: ToolCall,
): Promise<Performed<CompoundOutcome>> {
  const outcomes = new Array<CommandOutcome>(runs.length);
  const results = new Array<Performed['result']>(runs.length);
  const count = Math.min(runs.length, concurrency);
  let next = 0;
  const worker = async () => {
    while (next < runs.length) {
      const index = next++;
      if (call.signal.aborted) {
        outcomes[index] = { ...nothingRun('aborted'), command: runs[index].command };
        continue;
      }
      // Earlier commands may have changed where this one starts.
      const run = index < count ? runs[index] : { ...runs[index], prepared: undefined };
      const { outcome, result } = await runOne(run, state, call);
      outcomes[index] = outcome;
      results[index] = result;
    }
  };
  await Promise.all(Array.from({ length: count }, worker));
  return { outcome: { items: outcomes }, result: results[0] };
}

export { perform };
