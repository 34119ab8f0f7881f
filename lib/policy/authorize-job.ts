import type { NativeResult } from '../addon/addon-types.ts';
import type { CommandPlan } from '../job/command-plan.ts';
import { refusedBecause } from '../result/result.ts';
import type { Authorized, HardenedSpec } from './authorize.ts';
import { authorize, harden } from './authorize.ts';

/** What a policy reads of a job's plan, and what it adds to it. */
export type JobPlan = Pick<
  CommandPlan,
  'authorization' | 'subject' | 'signal' | 'refusal' | 'decision' | 'approval'
> & { spec: HardenedSpec };

/**
 * Authorizes a job's plan by its policy, and then calls `prepare`, unless the job must not start. If
 * `approve` is called, the job starts after its answer, and so does its timeout.
 *
 * `plan.approval` never rejects: nobody but the job waits for it, so an error becomes the job's result.
 */
function authorizeJob(plan: JobPlan, prepare: () => void = nothing): void {
  const { authorization, subject, signal, spec } = plan;
  if (plan.refusal !== null || signal?.aborted) return;
  if (authorization === null || subject === null) {
    prepare();
    return;
  }
  const conclude = (answer: Authorized): NativeResult | null => {
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
