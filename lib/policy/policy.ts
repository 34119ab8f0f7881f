import type { NativePolicy as NativeRules, PolicySpec } from '../addon/addon-types.ts';
import { policyModes, readPolicy } from '../addon/native.ts';
import { answered } from '../addon/native-error.ts';
import { invalid, object, oneOf, path } from '../options/checks.ts';
import { absolutePath } from '../support/paths/absolute-path.ts';
import { codeOf } from './token.ts';

/** The rules of a policy that was read. */
export interface Rules {
  spec: PolicySpec;
  native: NativeRules;
  mode: string | undefined;
  digest: string;
}

type Lists = 'deny' | 'ask' | 'allow' | 'writable';
const LISTS: readonly Lists[] = ['deny', 'ask', 'allow', 'writable'];

const KEYS = ['mode', 'allow', 'ask', 'deny', 'queries', 'writable', 'dangerous', 'tests'] as const;

/** policy -> `{ spec, native, mode, digest }`. The rules are read again only when the policy has changed. */
const compiled = new WeakMap<object, Rules>();

/** The policy read last: a toolset passes its own in a new object for each call. */
let latest: Rules | undefined;

/** Reads the rules of a policy. Throws an error that names what is wrong with it. */
function compile(policy: unknown, name = 'options.policy'): Rules {
  const given = object(name, policy, KEYS);
  const spec: PolicySpec = {
    mode: oneOf(`${name}.mode`, given.mode, policyModes()),
    dangerous: onDanger(`${name}.dangerous`, given.dangerous),
    deny: rules(`${name}.deny`, given.deny),
    ask: rules(`${name}.ask`, given.ask),
    allow: rules(`${name}.allow`, given.allow),
    allowsQueries: oneOf(`${name}.queries`, given.queries, ['allow', 'ask']) === 'allow',
    writable: directories(`${name}.writable`, given.writable),
  };
  const known = compiled.get(given) ?? latest;
  if (known !== undefined && isEqual(known.spec, spec)) return known;
  const native = answered(readPolicy(spec), name);
  const digest = kindOf(spec) + codeOf(spec);
  // `spec` is a copy, because the caller may change its lists.
  const result: Rules = { spec: structuredClone(spec), native, mode: spec.mode, digest };
  compiled.set(given, result);
  latest = result;
  return result;
}

/**
 * Policies that harden as all policies of their kind do. The digest of a policy begins with its kind, so that
 * a decision tells how to harden its command where the policy is not at hand.
 */
const HARDENING: Record<string, object> = { 'r-': { mode: 'readOnly' }, 'q-': { queries: 'allow' } };

function kindOf({ mode, allowsQueries }: PolicySpec): string {
  if (mode === 'readOnly') return 'r-';
  return allowsQueries ? 'q-' : '';
}

/** Returns rules that harden as those of the policy with this digest; `null` if it allows no queries. */
function hardeningRules(digest: string): Rules | null {
  const policy = HARDENING[digest.slice(0, 2)];
  return policy === undefined ? null : compile(policy);
}

function isEqual(one: PolicySpec, other: PolicySpec): boolean {
  return (
    one.mode === other.mode &&
    one.dangerous === other.dangerous &&
    one.allowsQueries === other.allowsQueries &&
    LISTS.every((list) => hasSameTexts(one[list], other[list]))
  );
}

function hasSameTexts(one: string[], other: string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

function onDanger(name: string, value: unknown): PolicySpec['dangerous'] {
  if (value === false) return 'ignore';
  if (value === undefined || value === 'deny' || value === 'ask') return value;
  throw invalid(name, "'deny', 'ask' or false", value);
}

function directories(name: string, value: unknown): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw invalid(name, 'an array of directories', value);
  return value.map((directory, index) => absolutePath(path(`${name}[${index}]`, directory ?? null) ?? ''));
}

function rules(name: string, value: unknown): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw invalid(name, 'an array of rules', value);
  for (const [index, rule] of value.entries()) {
    if (typeof rule !== 'string') throw invalid(`${name}[${index}]`, "a rule such as 'Bash(npm test)'", rule);
    if (COMMAND.test(rule)) throw invalid(`${name}[${index}]`, `'Bash(${rule}:*)' for a command`, rule);
  }
  return value;
}

/**
 * Matches the name of a command rather than of a tool, which has a capital (`Read`) or an underscore
 * (`read_file`).
 *
 * As the name of another tool, a rule would have no effect, and `deny: ['rm']` would deny nothing.
 */
const COMMAND = /^[a-z][a-z\d-]*$/;

export { compile, hardeningRules };
