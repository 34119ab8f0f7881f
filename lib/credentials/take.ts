// The rules and credentials among the options of a command, and the scope that they make.

import { isRecord, wrong } from '../options/checks.ts';
import type { Credentials } from './credentials.ts';
import { credentialsOf, sharedCredentials } from './credentials.ts';
import type { HostRule } from './rules.ts';
import { rulesIn } from './rules.ts';
import type { CommandScope } from './scope.ts';

const ALLOW = 'options.sandbox.network.allow';

/** Rules that were taken out of a sandbox, which is plain data from then on. */
class KeptRules {
  readonly rules: readonly HostRule[];

  constructor(rules: readonly HostRule[]) {
    this.rules = rules;
  }
}

/** A sandbox without its rules, and these. */
export interface Taken<Sandbox> {
  sandbox: Sandbox;
  rules: KeptRules | undefined;
}

/** Takes the rules out of a sandbox. Its list has the names of all hosts afterwards. */
function takeRules<Sandbox>(sandbox: Sandbox): Taken<Sandbox> {
  const network = isRecord(sandbox) ? sandbox.network : undefined;
  if (!isRecord(network) || !Array.isArray(network.allow)) return { sandbox, rules: undefined };
  const { rules: kept, ...rest } = network;
  if (kept instanceof KeptRules) return { sandbox: { ...sandbox, network: rest }, rules: kept };
  const { allow, rules } = rulesIn(ALLOW, network.allow);
  if (rules.length === 0) return { sandbox, rules: undefined };
  return { sandbox: { ...sandbox, network: { ...network, allow } }, rules: new KeptRules(rules) };
}

/** Returns the scope of a command, and its sandbox without rules. */
function commandSecrets<Sandbox>(
  given: Sandbox,
  credentials: unknown,
): { sandbox: Sandbox; scope: CommandScope | undefined } {
  const all = sharedCredentials('options.credentials', credentials ?? {});
  const { sandbox, rules: kept } = takeRules(given);
  const rules = kept?.rules ?? [];
  for (const { name } of all.all) {
    if (rules.length === 0) {
      const expected = `rules of sandbox.network.allow that name them, such as { host: 'api.example', credential: '${name}' }`;
      throw wrong(`Invalid option 'options.credentials': expected ${expected}`);
    }
    if (!rules.some(({ credential }) => credential === name)) {
      const expected = `a rule of sandbox.network.allow with credential: '${name}'`;
      throw wrong(`Invalid option 'options.credentials.${name}': expected ${expected}`);
    }
  }
  for (const { credential } of rules) {
    if (credential !== undefined && all.get(credential) === undefined) {
      throw wrong(`Invalid option '${ALLOW}': '${credential}' is none of options.credentials`);
    }
  }
  for (const rule of rules) refuseUnchecked(rule, all);
  return { sandbox, scope: rules.length === 0 ? undefined : all.scope(rules) };
}

/**
 * Refuses a rule whose responses may have a value that no redactor of a running command knows: that of a
 * function, which is asked after the command was started.
 */
function refuseUnchecked({ host, credential, headers, masks }: HostRule, all: Credentials): void {
  const own = credential === undefined ? undefined : all.get(credential);
  const values = [own?.value, ...headers.map(([, value]) => value)];
  if (masks || !values.some((value) => typeof value === 'function')) return;
  const expected = "responses: 'masked', or a string in place of the function that gives a value";
  throw wrong(`Invalid option '${ALLOW}': expected for '${host}' ${expected}`);
}

/** Returns the credentials that the commands of a toolset or a session share. */
function ownCredentials(given: unknown): Credentials {
  return credentialsOf('options.credentials', given ?? {});
}

export { commandSecrets, KeptRules, ownCredentials, takeRules };
