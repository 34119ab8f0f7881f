// The answer of a host's `approve`.

import { describe, isRecord, wrong } from '../options/checks.ts';
import type { Policy } from './api.ts';
import { compile } from './policy.ts';

/** The answer of a host's `approve`. Other properties are not checked yet. */
export interface ApproveAnswer<Verdict extends string> {
  verdict: Verdict;
  reason?: unknown;
  addRule?: unknown;
  readonly [other: string]: unknown;
}

/** Returns the answer as an object with a verdict of `verdicts`. Throws for any other answer. */
function readAnswer<Verdict extends string>(
  answer: unknown,
  verdicts: readonly Verdict[],
): ApproveAnswer<Verdict> {
  const read = isRecord(answer) ? answer : { verdict: answer };
  if (verdicts.includes(read.verdict as Verdict)) return read as ApproveAnswer<Verdict>;
  const names = verdicts.map((verdict) => `'${verdict}'`);
  const expected = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  throw wrong(`Invalid answer of 'options.approve': expected ${expected}, got ${describe(read.verdict)}`);
}

/** Adds the rules of an answer to the policy's allow list, which applies to all later commands. */
function remember(policy: Policy | undefined, { addRule }: { addRule?: unknown }): void {
  if (addRule === undefined || policy === undefined) return;
  const rules: string[] = Array.isArray(addRule) ? addRule : [addRule];
  compile({ allow: rules }, 'addRule');
  const missing = rules.filter((rule) => !policy.allow?.includes(rule));
  if (missing.length > 0) policy.allow = [...(policy.allow ?? []), ...missing];
}

export { readAnswer, remember };
