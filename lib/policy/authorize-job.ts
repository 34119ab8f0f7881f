import type { NativeResult } from '../addon/addon-types.ts';
import { observersOf } from '../job/command-events.ts';
import type { CommandPlan } from '../job/command-plan.ts';
import { refusedBecause } from '../result/result.ts';
import { features } from '../support/features.ts';
import { wallNow } from '../support/now.ts';
import type { Decision } from './api.ts';
import type { Authorized, HardenedSpec } from './authorize.ts';

/** The part of a job's plan that a policy reads, with the part that it adds. */
export type JobPlan = Pick<
  CommandPlan,
  'authorization' | 'subject' | 'signal' | 'refusal' | 'decision' | 'approval' | 'observers'
> & { text: string; spec: HardenedSpec };

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
  const { authorize, emitQuestion, emitTo, harden } = features();
  // A tool call has reported its decision already.
  const watching = authorization.decided === undefined ? observersOf(plan.observers ?? []) : undefined;
  let question: number | null = null;
  const onAsk = (decision: Decision, asked: object) => {
    question = emitQuestion(watching?.observers ?? new Set(), asked, {
      call: watching?.call ?? null,
      command: plan.text,
      cwd: subject.surroundings.cwd ?? null,
      decision,
      escalation: null,
    });
  };
  const conclude = (answer: Authorized): NativeResult | null => {
    plan.decision = answer.decision;
    if (watching !== undefined) {
      emitTo(watching.observers, {
        type: 'decision',
        time: wallNow(),
        question,
        call: watching.call,
        command: plan.text,
        verdict: answer.refusal === null ? 'allow' : 'deny',
        reason: answer.refusal?.error?.message ?? null,
        by: answer.by ?? 'policy',
      });
    }
    const refusal = answer.refusal ?? harden(authorization.rules, answer, subject, spec);
    if (refusal === null) prepare();
    return refusal;
  };
  const result = authorize(authorization, subject, signal, onAsk);
  if (result instanceof Promise) plan.approval = result.then(conclude).catch(refusedBecause);
  else plan.refusal = conclude(result);
}

function nothing() {}

export { authorizeJob };
