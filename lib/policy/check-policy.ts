import { isRecord, object, oneOf, wrong } from '../options/checks.ts';
import type { CheckOptions, Policy, PolicyReport, Verdict } from './api.ts';
import { check } from './check.ts';
import { compile } from './policy.ts';

const VERDICTS: readonly Verdict[] = ['allow', 'ask', 'deny'];

/**
 * Reads the rules of a policy and runs its `tests`.
 *
 * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a rule that can't be read: it names the list, the
 *   index and the fault
 *
 * @example
 * const { ok } =
 * checkPolicy({ allow: ['Bash(npm test)'], tests: [{ command: 'npm test', expect: 'allow' }] });
 */
export function checkPolicy(policy: Policy): PolicyReport {
  compile(policy, 'policy');
  const { tests = [] }: { tests?: unknown } = policy;
  if (!Array.isArray(tests)) throw wrong("Invalid option 'policy.tests': expected an array of cases");
  const failures: PolicyReport['failures'] = [];
  for (const [index, test] of tests.entries()) {
    const name = `policy.tests[${index}]`;
    const known = ['command', 'expect', 'cwd', 'root', 'env', 'shell'] as const;
    const { command, expect, ...options } = object(name, test, known);
    const expected = oneOf(`${name}.expect`, expect, VERDICTS);
    if (expected === undefined)
      throw wrong(`Invalid option '${name}.expect': expected 'allow', 'ask' or 'deny'`);
    const decision = check(command, { ...options, policy });
    if (decision.verdict === expected) continue;
    failures.push({ index, command: command as string | readonly string[], expected, decision });
  }
  return { ok: failures.length === 0, count: tests.length, failures };
}

/**
 * Returns whether every command of a command line is a known query with known arguments: no write, no
 * network, no other program, no path outside of `root`. The kernel does not enforce it. `run()` with
 * `policy: { mode: 'readOnly' }` also keeps git's settings from running programs.
 *
 * @example
 * readOnly('git log --oneline | head', { root: process.cwd() }); // true
 */
export function readOnly(
  command: string | readonly string[],
  options: Omit<CheckOptions, 'policy'> = {},
): boolean {
  if (!isRecord(options)) throw wrong('Invalid options: expected an object');
  const { dangerous: _, ...rest }: { dangerous?: unknown } & typeof options = options;
  return check(command, { ...rest, policy: READ_ONLY }).verdict === 'allow';
}

const READ_ONLY: Readonly<Policy> = Object.freeze({ mode: 'readOnly' });
