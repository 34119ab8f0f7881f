// The options by which a command is authorized: most commands have none, so what checks them is loaded with
// the first ones.

import type { Given } from '../options/checks.ts';
import { features } from '../support/features.ts';
import type { Authorization, Decided } from './authorize.ts';

/**
 * The key of the option by which a caller that has decided about a command passes
 * `{ rules, decision, subject }` on to its start.
 */
const DECIDED: unique symbol = Symbol('decided');

/** The options `policy`, `approve` and `decision` as a caller gave them, with the package's own. */
export type GivenAuthorization = Given<'policy' | 'approve' | 'decision'> & {
  readonly [DECIDED]?: Decided | undefined;
};

/** Checks the options about an authorization. Returns `null` without a policy and a decision. */
function authorizationOf(options: GivenAuthorization): Authorization | null {
  const { policy, approve, decision, [DECIDED]: decided } = options;
  const isAbsent = [policy, approve, decision, decided].every((value) => value === undefined);
  return isAbsent ? null : features().checkAuthorization(options);
}

export { authorizationOf, DECIDED };
