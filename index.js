'use strict';

// `npm run build:js` writes this file: the names are the exports of lib/index.ts.
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
  loginState,
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
  loginState,
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
