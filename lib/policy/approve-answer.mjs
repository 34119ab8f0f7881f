// The answer of a host's `approve`.

import { describe, isRecord, wrong } from '../options/checks.mjs';
import { compile } from './policy.mjs';

/** Returns the answer as an object with a verdict of `verdicts`. Throws for any other answer. */
function readAnswer(answer, verdicts) {
  const read = isRecord(answer) ? answer : { verdict: answer };
  if (verdicts.includes(read.verdict)) return read;
  const names = verdicts.map((verdict) => `'${verdict}'`);
  const expected = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  throw wrong(`Invalid answer of 'options.approve': expected ${expected}, got ${describe(read.verdict)}`);
}

/** Adds the rules of an answer to the policy's allow list, which applies to all later commands. */
function remember(policy, { addRule }) {
  if (addRule === undefined || policy === undefined) return;
  const rules = Array.isArray(addRule) ? addRule : [addRule];
  compile({ allow: rules }, 'addRule');
  const missing = rules.filter((rule) => !policy.allow?.includes(rule));
  if (missing.length > 0) policy.allow = [...(policy.allow ?? []), ...missing];
}

export { readAnswer, remember };
