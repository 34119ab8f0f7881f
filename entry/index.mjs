// `npm run build:js` writes this file: what `require()` gives, for `import`.
import { createRequire as requireOf } from 'node:module';

const isBundled = typeof require === 'function' && require !== globalThis.require;
const all = isBundled ? require('../index.js') : requireOf(import.meta.url)('../index.js');

export const {
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
export default all;
