import { rest } from './support/rest.mjs';

export { bash } from './bash/bash.mjs';
export { BashJob } from './bash/bash-job.mjs';
export { diagnostics } from './diagnostics.mjs';
export { Job } from './job/job.mjs';
export { Jobs, jobs } from './jobs.mjs';
export { nonInteractiveEnv } from './options/surroundings/environment.mjs';
export { Overlay } from './overlay/overlay.mjs';
export { check, explainDecision, visibleText } from './policy/check.mjs';
export { prewarm } from './prewarm.mjs';
export { probe } from './probe.mjs';
export { CommandError } from './result/command-error.mjs';
export { run } from './run.mjs';
export { ShellSession } from './session/shell-session.mjs';
export { Target } from './target/target.mjs';

export const changedSince = (...given) => rest().changedSince(...given);
export const checkPolicy = (...given) => rest().checkPolicy(...given);
export const findLines = (...given) => rest().findLines(...given);
export const keys = (...given) => rest().keys(...given);
export const loginEnvironment = (...given) => rest().loginEnvironment(...given);
export const policyFromClaudeSettings = (...given) => rest().policyFromClaudeSettings(...given);
export const policyFromCodexRules = (...given) => rest().policyFromCodexRules(...given);
export const readLines = (...given) => rest().readLines(...given);
export const readOnly = (...given) => rest().readOnly(...given);
export const view = (...given) => rest().view(...given);
