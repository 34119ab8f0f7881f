// Carries out the actions of a dialect.

import { inside } from '../../job/job.ts';
import { isOver } from '../state/job-entries.mjs';
import { killJob, readJob, summary, unknown, unreadOutput, writeJob } from './jobs.mjs';
import { nothingRun } from './outcome.mjs';
import { readOutput } from './output.mjs';
import { runOne } from './run.mjs';
import { waited } from './waits.mjs';

/**
 * Carries out an action. Resolves with `{ outcome, result, jobId, fault }`, where `fault` is what was wrong
 * with the action, if the outcome does not say it. `state` is the state of the toolset: the host's options,
 * the table, the jobs. `call` has the signal that ends the action, and `push`, which gets its output, or
 * `undefined`.
 */
async function perform(action, state, call) {
  const { outcome, ...more } = await ACTIONS[action.do](action, state, call);
  return { outcome: { of: action.do, ...outcome }, ...more };
}

/** The functions by `do` of their actions. `src/tools/outcome/` has the outcomes by the same names. */
const ACTIONS = {
  run: runOne,
  batch: runAll,
  read: readJob,
  write: writeJob,
  kill: killJob,
  output: readOutput,
  manage,
  restart,
  list: (_action, state) => ({ outcome: { items: listed(state) } }),
};

function listed({ entries }) {
  return entries.list().map((entry) => summary(entry));
}

/** Drops what is kept between calls, which may be nothing, and then runs a command if the action has one. */
async function restart({ then }, state, call) {
  await state.session?.restart();
  state.cwdMemory?.reset();
  if (then === null) return { outcome: { command: null } };
  const { outcome, result } = await runOne(then, state, call);
  return { outcome: { command: outcome }, result };
}

/** Ends jobs, and waits for jobs. */
async function manage({ poll, cancel, isPolling, waitMs }, state, call) {
  const cancelled = [];
  for (const id of cancel) cancelled.push((await killJob({ id }, state)).outcome);
  if (!isPolling) {
    return { outcome: { cancelled, items: cancel.length > 0 ? [] : listed(state) } };
  }
  const running = state.entries.list().filter((entry) => !isOver(entry));
  const ids = poll.length > 0 ? poll : running.map(({ id }) => id);
  const entries = ids.map((id) => state.entries.get(id));
  const waiting = entries.filter((entry) => entry !== undefined && !isOver(entry));
  if (waiting.length > 0 && waiting.length === entries.length) {
    await waited(waitMs, call.signal, (done) => {
      for (const entry of waiting) inside.over(entry.job).then(done);
    });
  }
  const items = entries.map(async (entry, index) =>
    entry === undefined ? unknown(ids[index]).outcome : unreadOutput(entry, entry.cursor, state),
  );
  return { outcome: { cancelled, items: await Promise.all(items) } };
}

/** Runs commands concurrently. The outcomes are in the order of the commands. */
async function runAll({ runs, concurrency }, state, call) {
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
      const { outcome, result } = await runOne(runs[index], state, call);
      outcomes[index] = outcome;
      results[index] = result;
    }
  };
  const count = Math.min(runs.length, concurrency);
  await Promise.all(Array.from({ length: count }, worker));
  return { outcome: { items: outcomes }, result: results[0] };
}

export { perform };
