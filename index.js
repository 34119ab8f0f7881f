'use strict';

// `bash()` at once, and the rest when it is asked for, since each line takes its time to load. `npm run build:js` makes
// these files of those in lib/.
const { bash } = require('./bundle/bash.cjs');

module.exports = { bash };
let rest;
for (const name of [
  'run',
  'BashJob',
  'CommandError',
  'Job',
  'Jobs',
  'jobs',
  'nonInteractiveEnv',
  'prewarm',
]) {
  const become = (value) =>
    Object.defineProperty(module.exports, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  Object.defineProperty(module.exports, name, {
    get: () => {
      rest ??= require('./bundle/rest.cjs');
      return become(rest[name])[name];
    },
    // Like any other property, it can be replaced.
    set: become,
    enumerable: true,
    configurable: true,
  });
}

// Never runs. Node reads here which names `import { name }` may ask for.
// biome-ignore lint/suspicious/noAssignInExpressions: in a statement of its own it would be dead code too.
0 && (module.exports = { bash, run, BashJob, CommandError, Job, Jobs, jobs, nonInteractiveEnv, prewarm });
