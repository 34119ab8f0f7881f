import { listen, ref, register, theHost, unref, unregister } from './addon/host.mjs';
import { onAbort } from './job/abort.mjs';
import { commandStarted } from './job/command-events.mjs';
import { CommandJob, startCommand } from './job/command-job.mjs';
import { inside } from './job/job.mjs';
import { Jobs, jobs, settings, take } from './jobs.mjs';
import { checkRun } from './options/run-options.mjs';
import { authorize, harden } from './policy/authorize.mjs';
import { CommandError } from './result/command-error.mjs';
import { PipeStatus } from './result/pipe-status.mjs';
import { makeDisposable, runResult, stoppedBeforeItStarted } from './result/result.mjs';

async function run(command, options) {
  const plan = checkRun(command, options, isTable);
  if (plan.authorization !== null) await authorized(plan);
  const result = await withPipeStatus(plan, () => (plan.mayMove ? movable(plan) : completed(plan)));
  if (plan.isStrict && !isFine(result)) throw new CommandError(result, timesOf(plan.spec));
  return result;
}

/** Calls `start`, which runs the command, and adds the statuses of its last pipeline to the result if they are asked for. */
async function withPipeStatus(plan, start) {
  if (!plan.asksPipeStatus) return start();
  const pipe = plan.refusal === null ? new PipeStatus(plan.spec) : null;
  const result = await start();
  result.pipeStatus = null;
  if (pipe === null) return result;
  // A command that goes on in the background needs its files until it ends. A table may have forgotten one that has ended.
  const job = result.status === 'background' ? (plan.table ?? jobs).get(result.jobId) : undefined;
  if (job === undefined) pipe.report(result);
  else inside.over(job).then((end) => pipe.report(end));
  return result;
}

/**
 * Decides by the policy, and by the host's `approve` if the verdict is `ask`. The command's timeout starts after the decision.
 */
async function authorized(plan) {
  const { authorization, subject, signal, spec } = plan;
  plan.refusal ??= signal?.aborted ? stoppedBeforeItStarted(false) : null;
  if (plan.refusal !== null) return;
  const asked = authorize(authorization, subject, signal);
  ref();
  const { decision, refusal } = await asked;
  unref();
  plan.decision = decision;
  plan.refusal = refusal;
  if (refusal === null) harden(authorization.rules, subject, spec);
}

function timesOf({ timeout, more }) {
  return { timeout, idleTimeout: more?.idleTimeout };
}

/**
 * Runs a command as `run()` does, and passes its job to `onJob` before the command has written anything. For the
 * tools, which show output while a command runs.
 */
async function runWithJob(command, options, onJob) {
  const plan = checkRun(command, options, isTable);
  const table = tableOf(plan);
  return withPipeStatus(plan, () => {
    const job = new CommandJob(plan, true);
    onJob(job);
    return answered(job, table);
  });
}

/**
 * Runs a command that may go on as a job of a table. Resolves at the end, or with the result so far when it moves. A command
 * becomes a `Job` when it moves: most never do, and the creation of one takes time.
 */
async function movable(plan) {
  const table = tableOf(plan);
  // The screen of a terminal has to exist from the start on.
  if (plan.spec.more.pty !== undefined) return answered(new CommandJob(plan, false), table);
  const moved = { number: undefined, publishEnd: undefined, events: [] };
  const result = await completed(plan, moved);
  if (moved.number === undefined) return result;
  // Here, behind the `await`, the asynchronous context is that of the caller, which the job keeps for its listeners.
  const job = new CommandJob(plan, false, moved);
  const answer = answered(job, table);
  for (const event of moved.events) inside.handleEvent(job, event);
  return answer;
}

/** Returns the table of a command that may go on as a job, and gives the command the table's settings. */
function tableOf({ table = jobs, spec }) {
  spec.more = Object.assign(spec.more ?? {}, settings(table));
  return table;
}

/**
 * Runs a command to its end, without a `Job`. If it goes on in the background, `moved` gets its number and its events, and
 * the promise resolves with `null`.
 */
function completed({ spec, text, refusal, signal, decision }, moved) {
  const resultOf = (native) => {
    const result = runResult(native, { command: text, cwd: native.cwd ?? spec.cwd, decision }, null);
    return spec.more?.output?.spill === undefined ? result : makeDisposable(result);
  };
  const early = refusal ?? (signal?.aborted ? stoppedBeforeItStarted(false) : null);
  if (early !== null) return resultOf(early);
  return new Promise((resolve) => {
    let forgetSignal;
    let publishEnd;
    const id = register((event) => {
      const { kind, result } = event;
      if (kind === 'background') {
        moved.number = id;
        moved.publishEnd = publishEnd;
        moved.events.push(event);
        listen(id, (later) => moved.events.push(later));
        resolve(null);
      } else if (kind === 'end') {
        unregister(id);
        if (moved !== undefined) forgetText(id, result);
        const whole = resultOf(result);
        publishEnd?.(whole);
        resolve(whole);
      } else return;
      forgetSignal?.();
      unref();
    });
    startCommand(id, spec, false);
    publishEnd = commandStarted({ id: `job-${id}` }, text);
    ref();
    if (signal) forgetSignal = onAbort(signal, () => theHost().abort(id));
  });
}

/** Makes the addon drop the latest text of a command that did not move: no table has it, so there is nothing to read. */
function forgetText(id, result) {
  theHost().forget(id);
  result.cursor = null;
}

/** Resolves with the result of a job at its end, or with the result so far when it goes on in the background. */
function answered(job, table) {
  return new Promise((resolve) => {
    let refusal = null;
    inside.onMove(job, (partial) => {
      refusal = take(table, job);
      if (refusal === null) {
        partial.jobId = job.id;
        resolve(partial);
        return true;
      }
      // The table refused the command: end it as its timeout would, or kill the processes that it left.
      if (partial.status === 'background') theHost().expire(inside.number(job));
      else job.kill();
      return false;
    });
    inside.over(job).then((result) => {
      if (refusal !== null) {
        const { code, message } = refusal;
        result.error = { code, message };
      }
      if (result.jobId === null) {
        // No table has this job: forget it here, and offer nothing to read.
        result.cursor = null;
        inside.forget(job);
      }
      resolve(result);
    });
  });
}

function isTable(value) {
  return value instanceof Jobs;
}

function isFine({ status, exitCode }) {
  return status === 'background' || (status === 'exited' && exitCode === 0);
}

export { run, runWithJob };
