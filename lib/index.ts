import { features } from './support/features.ts';
import { onDemand } from './support/on-demand.ts';

type Features = ReturnType<typeof features>;
type OnDemand = ReturnType<typeof onDemand>;

export { bash } from './bash/bash.ts';
export { BashJob } from './bash/bash-job.ts';
export { diagnostics } from './diagnostics.ts';
export { Job } from './job/job.ts';
export { Jobs, jobs } from './jobs.ts';
export { nonInteractiveEnv } from './options/surroundings/environment/environment.ts';
export { Overlay } from './overlay/overlay.ts';
export { CommandError } from './result/command-error.ts';
export { run } from './run.ts';
export { ShellSession } from './session/shell-session.ts';
export { Target } from './target/target.ts';

export const check: Features['check'] = (...given) => features().check(...given);
export const explainDecision: Features['explainDecision'] = (...given) =>
  features().explainDecision(...given);
export const probe: Features['probe'] = (...given) => features().probe(...given);
export const visibleText: Features['visibleText'] = (...given) => features().visibleText(...given);

export const changedSince: OnDemand['changedSince'] = (...given) => onDemand().changedSince(...given);
export const checkPolicy: OnDemand['checkPolicy'] = (...given) => onDemand().checkPolicy(...given);
export const findLines: OnDemand['findLines'] = (...given) => onDemand().findLines(...given);
export const keys: OnDemand['keys'] = (...given) => onDemand().keys(...given);
export const loginEnvironment: OnDemand['loginEnvironment'] = (...given) =>
  onDemand().loginEnvironment(...given);
export const loginState: OnDemand['loginState'] = (...given) => onDemand().loginState(...given);
export const policyFromClaudeSettings: OnDemand['policyFromClaudeSettings'] = (...given) =>
  onDemand().policyFromClaudeSettings(...given);
export const policyFromCodexRules: OnDemand['policyFromCodexRules'] = (...given) =>
  onDemand().policyFromCodexRules(...given);
export const readLines: OnDemand['readLines'] = (...given) => onDemand().readLines(...given);
export const readOnly: OnDemand['readOnly'] = (...given) => onDemand().readOnly(...given);
export const view: OnDemand['view'] = (...given) => onDemand().view(...given);
