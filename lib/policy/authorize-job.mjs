import { authorize, harden } from './authorize.mjs';

/** Asks the policy about a job's plan. Where somebody is asked, the job starts when they have answered. */
function authorizeJob(plan) {
  const { authorization, subject, signal, spec } = plan;
  if (authorization === null || plan.refusal !== null || signal?.aborted) return;
  const conclude = ({ decision, refusal }) => {
    plan.decision = decision;
    if (refusal === null) harden(authorization.rules, subject, spec);
    return refusal;
  };
  const result = authorize(authorization, subject, signal);
  if (result instanceof Promise) plan.approval = result.then(conclude);
  else plan.refusal = conclude(result);
}

export { authorizeJob };
