// The functions that few programs need for their first command, in a file of their own in the bundle: a third
// of what would be compiled otherwise. `support/on-demand.ts` loads the file at the first call of one.
// `index.ts` has the names of those for users.

// Imports the rest of the package: otherwise the bundler would put the code that both need into separate
// files.
import './features.ts';
import './index.ts';

export { splitWords } from './addon/native.ts';
export { commandSecrets, ownCredentials, takeRules } from './credentials/take.ts';
export * from './keys.ts';
export * from './login-state/login-environment.ts';
export * from './login-state/login-state.ts';
export * from './policy/check-policy.ts';
export * from './policy/imports.ts';
export * from './session/kept-process.ts';
export * from './session/kept-state.ts';
export * from './session/session-options.ts';
export * from './target/files.ts';
export * from './target/ports.ts';
export * from './target/presets.ts';
export * from './target/probe.ts';
export * from './view/changed-since.ts';
export * from './view/view.ts';
