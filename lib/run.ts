import { theBinding } from './addon/binding.ts';
import { CommandJob } from './job/command-job.ts';
import type { CommandSpec } from './job/command-plan.ts';
import type { Job } from './job/job.ts';
import { inside } from './job/job.ts';
import type { Jobs } from './jobs.ts';
import { addSettings, isTable, jobs, take } from './jobs.ts';
import type { RunPlan } from './options/run-options.ts';
import { checkRun } from './options/run-options.ts';
import { authorizeJob } from './policy/authorize-job.ts';
import type { RunResult } from './result/api.ts';
import { CommandError } from './result/command-error.ts';
import type { PipeStatus } from './result/pipe-status.ts';
import type { Result } from './result/result.ts';
import type { CodedError } from './support/coded-error.ts';
import { features } from './support/features.ts';

async function run(command: unknown, options?: unknown): Promise<RunResult> {
  const plan = checkRun(command, options, isTable);
  const result = await runPlan(plan);
  if (plan.isStrict && !isFine(result)) throw new CommandError(result, timesOf(plan.spec));
  return result;
}

/**
 * Runs a command whose options are checked. Resolves at its end, or with the result so far when it goes on in
 * the background. `onJob` gets the job before the command has written anything: the tools show output while a
 * command runs.
 */
async function runPlan(plan: RunPlan, onJob?: (job: Job) => void): Promise<RunResult> {
  const table = plan.mayMove ? (plan.table ?? jobs) : null;
  if (table !== null) addSettings(table, plan);
  let pipe: PipeStatus | null = null;
  authorizeJob(plan, () => {
    if (plan.asksPipeStatus) pipe = new (features().PipeStatus)(plan.spec);
  });
  const job = new CommandJob(plan, onJob !== undefined);
  onJob?.(job);
  const result = await answered(job, table);
  if (!job.isBackground) await inside.written(job);
  if (plan.asksPipeStatus) reportPipeStatus(pipe, job, result);
  return result as RunResult;
}

/**
 * Resolves with the result of a job at its end, or with the result so far when it goes on as a job of
 * `table`.
 */
function answered(job: CommandJob, table: Jobs | null): Promise<Result> {
  return new Promise((resolve) => {
    let refusal: CodedError | null = null;
    if (table !== null) {
      inside.table(job).onMove = (partial) => {
        refusal = take(table, job);
        if (refusal === null) {
          partial.jobId = job.id;
          resolve(partial);
          return true;
        }
        // The table refused the command: end it as its timeout would, or kill the processes that it left.
        if (partial.status === 'background') theBinding().expire(inside.number(job));
        else job.kill();
        return false;
      };
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
function reportPipeStatus(pipe: PipeStatus | null, job: CommandJob, result: Result): void {
  result.pipeStatus = null;
  if (pipe === null) return;
  // A command that goes on in the background needs its files until it ends.
  if (result.status === 'background') inside.over(job).then((end) => pipe.report(end));
  else pipe.report(result);
}

function timesOf({ timeout, more }: CommandSpec): {
  timeout: number | undefined;
  idleTimeout: number | undefined;
} {
  return { timeout, idleTimeout: more?.idleTimeout };
}

function isFine({ status, exitCode }: RunResult): boolean {
  return status === 'background' || (status === 'exited' && exitCode === 0);
}

export { run, runPlan };
