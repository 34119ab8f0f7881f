import { refusedBecause } from '../result/result.mjs';
import { authorize, harden } from './authorize.mjs';

/**
 * Authorizes a job's plan by its policy, and then calls `prepare`, unless the job must not start. If
 * `approve` is called, the job starts after its answer, and so does its timeout.
 *
 * `plan.approval` never rejects: nobody but the job waits for it, so an error becomes the job's result.
 */
function authorizeJob(plan, prepare = nothing) {
  const { authorization, subject, signal, spec } = plan;
  if (plan.refusal !== null || signal?.aborted) return;
  if (authorization === null) return prepare();
  const conclude = (answer) => {
    plan.decision = answer.decision;
    const refusal = answer.refusal ?? harden(authorization.rules, answer, subject, spec);
    if (refusal === null) prepare();
    return refusal;
  };
  const result = authorize(authorization, subject, signal);
  if (result instanceof Promise) plan.approval = result.then(conclude).catch(refusedBecause);
  else plan.refusal = conclude(result);
}

function nothing() {}

export { authorizeJob };
