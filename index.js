'use strict';

const { bash } = require('./lib/bash.js');

// Of what is below, plain `bash()` needs nothing: each file is loaded when its name is first used, with all that its
// calls will need. A call loads nothing, since it may come when there is no descriptor to be had.
const later = {
  run: () => require('./lib/run.js').run,
  BashJob: () => require('./lib/bash-job.js').BashJob,
  CommandError: () => require('./lib/command-error.js').CommandError,
  Job: () => require('./lib/job.js').Job,
  Jobs: () => require('./lib/jobs.js').Jobs,
  jobs: () => require('./lib/jobs.js').jobs,
  nonInteractiveEnv: () => require('./lib/environment.js').nonInteractiveEnv,
};

module.exports = { bash };

for (const [name, get] of Object.entries(later)) {
  Object.defineProperty(module.exports, name, { configurable: true, enumerable: true, get });
}

// Never runs. Node reads here which names `import { … }` may ask for: it does not see those of the loop above.
// biome-ignore lint/suspicious/noAssignInExpressions: in a statement of its own it would be dead code too.
0 && (module.exports = { bash, run, BashJob, CommandError, Job, Jobs, jobs, nonInteractiveEnv });
