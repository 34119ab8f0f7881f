'use strict';

// `npm run build:js` makes the files in bundle/ of those in lib/. The bundle has more names than these: the other subpaths of the
// package share its code.
let all;
try {
  all = require('./bundle/index.cjs');
} catch (error) {
  throw require('./entry/unbuilt.js')(error);
}
const {
  BashJob,
  CommandError,
  Job,
  Jobs,
  Overlay,
  ShellSession,
  Target,
  bash,
  changedSince,
  check,
  checkPolicy,
  diagnostics,
  explainDecision,
  findLines,
  jobs,
  keys,
  loginEnvironment,
  nonInteractiveEnv,
  policyFromClaudeSettings,
  policyFromCodexRules,
  probe,
  readLines,
  readOnly,
  run,
  view,
  visibleText,
} = all;

module.exports = {
  BashJob,
  CommandError,
  Job,
  Jobs,
  Overlay,
  ShellSession,
  Target,
  bash,
  changedSince,
  check,
  checkPolicy,
  diagnostics,
  explainDecision,
  findLines,
  jobs,
  keys,
  loginEnvironment,
  nonInteractiveEnv,
  policyFromClaudeSettings,
  policyFromCodexRules,
  probe,
  readLines,
  readOnly,
  run,
  view,
  visibleText,
};
