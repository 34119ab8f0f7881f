// The code for options that most commands do not have, and for calls that most jobs do not get: a file of its
// own in the bundle, which `features()` loads with the first of them.

// Imports `index.ts`: otherwise the bundler would put the code that both need into separate files.
import './index.ts';

export { extend } from './durable/calls.ts';
export { checkDurable, lifetime } from './durable/durable-options.ts';
export { DurableTable } from './durable/durable-table.ts';
export { durableInfo } from './durable/info.ts';
export { connectsOf } from './job/events/connects.ts';
export { promptsOf } from './job/events/prompts.ts';
export { JobScreen } from './job/inspection/job-screen.ts';
export { ready } from './job/inspection/ready.ts';
export { factsOf } from './job/observed-facts.ts';
export { JobInput } from './job/streams/job-input.ts';
export * from './observe/observed-command.ts';
export { ptySpec } from './options/command/pty-options.ts';
export { checkCodePage } from './options/output/code-pages.ts';
export { outputSpec } from './options/output/output-options.ts';
export { viewSpec } from './options/output/view-options.ts';
export { inheritance, inherited } from './options/surroundings/environment/inheritance.ts';
export { limitsSpec } from './options/surroundings/limits-option.ts';
export { connectDecider } from './options/surroundings/sandbox/connect-option.ts';
export { secretsOf } from './options/surroundings/sandbox/host-rules.ts';
export { sandboxSpec } from './options/surroundings/sandbox/sandbox-option.ts';
export { startStateOf, withStartState } from './options/surroundings/start-state.ts';
export { onTarget } from './options/surroundings/target-surroundings.ts';
export { authorize, checkAuthorization, harden } from './policy/authorize.ts';
export { check, explainDecision, visibleText } from './policy/check.ts';
export { probe } from './probe.ts';
export { redactedData } from './redact/redacted-data.ts';
export { redactChoice, redactorOf } from './redact/redaction.ts';
export { withoutFileNames } from './result/error-names.ts';
export { PipeStatus } from './result/pipe-status.ts';
export { sessionResult } from './result/session-result.ts';
export { otherHelpers } from './target/other-helpers.ts';
