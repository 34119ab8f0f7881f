import { authorize, harden } from './authorize.mjs';

/**
 * Authorizes a job's plan by its policy, and then calls `prepare`, unless the job must not start. If
 * `approve` is called, the job starts after its answer, and so does its timeout.
 */
function authorizeJob(plan, prepare = nothing) {
  const { authorization, subject, signal, spec } = plan;
  if (plan.refusal !== null || signal?.aborted) return;
  if (authorization === null) return prepare();
  const conclude = ({ decision, refusal }) => {
    plan.decision = decision;
    if (refusal !== null) return refusal;
    harden(authorization.rules, subject, spec);
    prepare();
    return null;
  };
  const result = authorize(authorization, subject, signal);
  if (result instanceof Promise) plan.approval = result.then(conclude);
  else plan.refusal = conclude(result);
}

function nothing() {}

export { authorizeJob };
