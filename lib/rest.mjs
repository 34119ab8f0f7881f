// What few programs need for their first command: a file of its own in the bundle, which `index.mjs` and
// `ShellSession` load when it is called for the first time. That is a third of what would be compiled.

// Imports `index.mjs`: otherwise the bundler would put the code that both need into separate files.
import './index.mjs';

export { splitWords } from './addon/native.mjs';
export { changedSince } from './changed-since.mjs';
export { keys } from './keys.mjs';
export { loginEnvironment } from './login-environment.mjs';
export { checkPolicy, readOnly } from './policy/check-policy.mjs';
export { policyFromClaudeSettings, policyFromCodexRules } from './policy/imports.mjs';
export { KeptProcess } from './session/kept-process.mjs';
export { KeptState } from './session/kept-state.mjs';
export { checkSession, checkSessionRun, checkSessionStart } from './session/session-options.mjs';
export { probeTarget } from './target/probe.mjs';
export { findLines, readLines, view } from './view.mjs';
