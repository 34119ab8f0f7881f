import { isRecord, object, oneOf, wrong } from '../options/checks.mjs';
import { check } from './check.mjs';
import { compile } from './policy.mjs';

const VERDICTS = ['allow', 'ask', 'deny'];

/**
 * Reads a policy's rules and runs its tests. Throws for an invalid policy, and reports the tests that fail.
 */
function checkPolicy(policy) {
  compile(policy, 'policy');
  const { tests = [] } = policy;
  if (!Array.isArray(tests)) throw wrong("Invalid option 'policy.tests': expected an array of cases");
  const failures = [];
  for (const [index, test] of tests.entries()) {
    const name = `policy.tests[${index}]`;
    object(name, test, ['command', 'expect', 'cwd', 'root', 'env', 'shell']);
    const { command, expect, ...options } = test;
    if (expect === undefined)
      throw wrong(`Invalid option '${name}.expect': expected 'allow', 'ask' or 'deny'`);
    oneOf(`${name}.expect`, expect, VERDICTS);
    const decision = check(command, { ...options, policy });
    if (decision.verdict !== expect) failures.push({ index, command, expected: expect, decision });
  }
  return { ok: failures.length === 0, count: tests.length, failures };
}

/** Returns whether every command of a command line is a known query with known arguments. */
function readOnly(command, options = {}) {
  if (!isRecord(options)) throw wrong('Invalid options: expected an object');
  const { dangerous: _, ...rest } = options;
  return check(command, { ...rest, policy: READ_ONLY }).verdict === 'allow';
}

const READ_ONLY = Object.freeze({ mode: 'readOnly' });

export { checkPolicy, readOnly };
