// What few programs need for their first command: a file of its own in the bundle, which `index.mjs` and
// `ShellSession` load when it is called for the first time. That is a third of what would be compiled.

// Imports `index.mjs`: otherwise the bundler would put the code that both need into separate files.
import './index.ts';

export { splitWords } from './addon/native.ts';
export { changedSince } from './changed-since.ts';
export { keys } from './keys.ts';
export { loginEnvironment } from './login-environment.ts';
export { loginState } from './login-state/login-state.ts';
export { checkPolicy, readOnly } from './policy/check-policy.ts';
export { policyFromClaudeSettings, policyFromCodexRules } from './policy/imports.ts';
export { KeptProcess } from './session/kept-process.ts';
export { KeptState } from './session/kept-state.ts';
export { checkSession, checkSessionRun, checkSessionStart } from './session/session-options.ts';
export { probeTarget } from './target/probe.ts';
export { findLines, readLines, view } from './view.ts';
