import { authorize, harden } from './authorize.mjs';

/** Authorizes a job's plan by the policy. If `approve` is called, the job starts after its answer. */
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
