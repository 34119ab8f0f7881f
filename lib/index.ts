import { rest } from './support/rest.ts';

type Rest = ReturnType<typeof rest>;

export { bash } from './bash/bash.ts';
export { BashJob } from './bash/bash-job.ts';
export { diagnostics } from './diagnostics.ts';
export { Job } from './job/job.ts';
export { Jobs, jobs } from './jobs.ts';
export { nonInteractiveEnv } from './options/surroundings/environment/environment.ts';
export { Overlay } from './overlay/overlay.ts';
export { check, explainDecision, visibleText } from './policy/check.ts';
export { probe } from './probe.ts';
export { CommandError } from './result/command-error.ts';
export { run } from './run.ts';
export { ShellSession } from './session/shell-session.ts';
export { Target } from './target/target.ts';

export const changedSince: Rest['changedSince'] = (...given) => rest().changedSince(...given);
export const checkPolicy: Rest['checkPolicy'] = (...given) => rest().checkPolicy(...given);
export const findLines: Rest['findLines'] = (...given) => rest().findLines(...given);
export const keys: Rest['keys'] = (...given) => rest().keys(...given);
export const loginEnvironment: Rest['loginEnvironment'] = (...given) => rest().loginEnvironment(...given);
export const loginState: Rest['loginState'] = (...given) => rest().loginState(...given);
export const policyFromClaudeSettings: Rest['policyFromClaudeSettings'] = (...given) =>
  rest().policyFromClaudeSettings(...given);
export const policyFromCodexRules: Rest['policyFromCodexRules'] = (...given) =>
  rest().policyFromCodexRules(...given);
export const readLines: Rest['readLines'] = (...given) => rest().readLines(...given);
export const readOnly: Rest['readOnly'] = (...given) => rest().readOnly(...given);
export const view: Rest['view'] = (...given) => rest().view(...given);
