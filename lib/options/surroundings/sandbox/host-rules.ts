// The rules of allowed hosts, and the credentials that these name: most commands have none, so what checks
// them is loaded with the first ones.

import { refuseOnWindows } from '../../../addon/missing-addon.ts';
import type { CommandScope } from '../../../credentials/scope.ts';
import type { KeptRules } from '../../../credentials/take.ts';
import { onDemand } from '../../../support/on-demand.ts';
import { isRecord, wrong } from '../../checks.ts';

/** Returns whether a sandbox has hosts with rules. */
function hasRules(sandbox: unknown): boolean {
  const network = isRecord(sandbox) ? sandbox.network : undefined;
  if (!isRecord(network) || !Array.isArray(network.allow)) return false;
  return network.rules !== undefined || network.allow.some((entry) => typeof entry !== 'string');
}

/** Returns a sandbox without rules, as plain data, and its rules. */
function withoutRules<Sandbox>(sandbox: Sandbox): { sandbox: Sandbox; rules: KeptRules | undefined } {
  return hasRules(sandbox) ? onDemand().takeRules(sandbox) : { sandbox, rules: undefined };
}

/** Returns a sandbox with rules, unless its network has no list of hosts. */
function withRules<Sandbox>(sandbox: Sandbox, rules: KeptRules | undefined): Sandbox {
  const network = isRecord(sandbox) ? sandbox.network : undefined;
  if (rules === undefined || !isRecord(network)) return sandbox;
  return { ...sandbox, network: { ...network, rules } };
}

/** Returns the scope of a command with rules or credentials, and its sandbox without rules. */
function secretsOf<Sandbox>(
  sandbox: Sandbox,
  credentials: unknown,
): { sandbox: Sandbox; scope: CommandScope | undefined } {
  if (credentials === undefined && !hasRules(sandbox)) return { sandbox, scope: undefined };
  if (process.platform !== 'linux') {
    const name = credentials === undefined ? 'options.sandbox.network.allow' : 'options.credentials';
    refuseOnWindows(`'${name}'`);
    throw wrong(`Invalid option '${name}': rules and credentials need Linux`, 'ERR_FEATURE_UNAVAILABLE');
  }
  return onDemand().commandSecrets(sandbox, credentials);
}

/**
 * Returns the credentials that the commands of a toolset or a session share, and no others; `undefined` for
 * none.
 */
function ownCredentials(sandbox: unknown, credentials: unknown): unknown {
  if (credentials === undefined && !hasRules(sandbox)) return undefined;
  return onDemand().ownCredentials(credentials);
}

export { hasRules, ownCredentials, secretsOf, withoutRules, withRules };
