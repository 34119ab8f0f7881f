'use strict';

const { CommandJob } = require('./command-job.js');
const { theHost } = require('./host.js');
const { inside } = require('./job.js');
const { checkRun } = require('./run-options.js');

async function run(command, options) {
  const plan = checkRun(command, options);
  const result = plan.mayMove ? await movable(plan) : await inside.over(new CommandJob(plan, false));
  if (plan.isStrict && !isFine(result)) {
    const { CommandError } = require('./command-error.js');
    throw new CommandError(result, plan.spec);
  }
  return result;
}

/** Runs a command that may go on in a table, and gives what there is when `run()` has its answer. */
function movable(plan) {
  const jobsFile = require('./jobs.js');
  const table = plan.table ?? jobsFile.jobs;
  Object.assign(plan.spec, jobsFile.settings(table));
  const job = new CommandJob(plan, false);
  return new Promise((resolve) => {
    let refusal = null;
    inside.onMove(job, (partial) => {
      refusal = jobsFile.take(table, job);
      if (refusal === null) {
        partial.jobId = job.id;
        resolve(partial);
        return true;
      }
      // It ends as by its timeout, and that is the answer.
      theHost().expire(inside.number(job));
      return false;
    });
    inside.over(job).then((result) => {
      if (refusal !== null) {
        const { code, message } = refusal;
        result.error = { code, message };
      }
      resolve(result);
      // A job that no table has is forgotten here.
      if (result.jobId === null) inside.forget(job);
    });
  });
}

function isFine({ status, exitCode }) {
  return status === 'background' || (status === 'exited' && exitCode === 0);
}

module.exports = { run };
