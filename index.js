'use strict';

// `npm run build:js` makes the files in bundle/ of those in lib/. The bundle has more names than these: the other subpaths of the
// package share its code.
const {
  bash,
  run,
  view,
  readLines,
  findLines,
  changedSince,
  BashJob,
  CommandError,
  Job,
  Jobs,
  ShellSession,
  diagnostics,
  jobs,
  nonInteractiveEnv,
  prewarm,
} = require('./bundle/index.cjs');

module.exports = {
  bash,
  run,
  view,
  readLines,
  findLines,
  changedSince,
  BashJob,
  CommandError,
  Job,
  Jobs,
  ShellSession,
  diagnostics,
  jobs,
  nonInteractiveEnv,
  prewarm,
};
