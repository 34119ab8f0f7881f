import { theHost } from './addon/host.mjs';
import { CommandJob } from './job/command-job.mjs';
import { inside } from './job/job.mjs';
import { addSettings, Jobs, jobs, take } from './jobs.mjs';
import { checkRun } from './options/run-options.mjs';
import { authorizeJob } from './policy/authorize-job.mjs';
import { CommandError } from './result/command-error.mjs';
import { PipeStatus } from './result/pipe-status.mjs';

async function run(command, options) {
  const plan = checkRun(command, options, isTable);
  const result = await settled(plan);
  if (plan.isStrict && !isFine(result)) throw new CommandError(result, timesOf(plan.spec));
  return result;
}

/**
 * Runs a command as `run()` does, and passes its job to `onJob` before the command has written anything. For
 * the tools, which show output while a command runs.
 */
async function runWithJob(command, options, onJob) {
  return settled(checkRun(command, options, isTable), onJob);
}

/** Runs a command. Resolves at its end, or with the result so far when it goes on in the background. */
async function settled(plan, onJob) {
  const table = plan.mayMove ? (plan.table ?? jobs) : null;
  if (table !== null) addSettings(table, plan.spec);
  let pipe = null;
  authorizeJob(plan, () => {
    if (plan.asksPipeStatus) pipe = new PipeStatus(plan.spec);
  });
  const job = new CommandJob(plan, onJob !== undefined);
  onJob?.(job);
  const result = await answered(job, table);
  if (plan.asksPipeStatus) reportPipeStatus(pipe, job, result);
  return result;
}

/**
 * Resolves with the result of a job at its end, or with the result so far when it goes on as a job of
 * `table`.
 */
function answered(job, table) {
  return new Promise((resolve) => {
    let refusal = null;
    if (table !== null) {
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
    }
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

/** Adds the statuses of the last pipeline to a result: `null` if they are not known. */
function reportPipeStatus(pipe, job, result) {
  result.pipeStatus = null;
  if (pipe === null) return;
  // A command that goes on in the background needs its files until it ends.
  if (result.status === 'background') inside.over(job).then((end) => pipe.report(end));
  else pipe.report(result);
}

function timesOf({ timeout, more }) {
  return { timeout, idleTimeout: more?.idleTimeout };
}

function isTable(value) {
  return value instanceof Jobs;
}

function isFine({ status, exitCode }) {
  return status === 'background' || (status === 'exited' && exitCode === 0);
}

export { run, runWithJob };
