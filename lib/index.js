'use strict';

const { bash } = require('./bash.js');

// Of what is below, plain `bash()` needs nothing: each file is loaded when its name is first used, with all that its
// calls will need. A call loads nothing, since it may come when there is no descriptor to be had.
const later = {
  run: () => require('./run.js').run,
  BashJob: () => require('./bash-job.js').BashJob,
  CommandError: () => require('./command-error.js').CommandError,
  Job: () => require('./job.js').Job,
  Jobs: () => require('./jobs.js').Jobs,
  jobs: () => require('./jobs.js').jobs,
  prewarm: () => require('./prewarm.js').prewarm,
  nonInteractiveEnv: () => require('./environment.js').nonInteractiveEnv,
};

module.exports = { bash };

for (const [name, get] of Object.entries(later)) {
  Object.defineProperty(module.exports, name, { configurable: true, enumerable: true, get });
}
