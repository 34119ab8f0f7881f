// Re-exports ../index.js for `import` in Node.js, which takes 2 ms longer to import a CommonJS file directly.
//
// Only runtimes and bundlers with the condition `node-addons` get this file: Node.js and, among bundlers,
// Bun's. A bundler sees the call of `require` and bundles what it loads. An ES module in Node.js has no
// `require` of its own, but in `node -e` and the REPL there is a global one, which searches from the working
// directory.
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
