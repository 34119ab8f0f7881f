// The options of single dialects.

import { policyModes } from '../../addon/native.ts';
import type { Given } from '../../options/checks.ts';
import { boolean, callback, integer, invalid, isRecord, milliseconds, oneOf } from '../../options/checks.ts';
import type { AgentRailPermissions } from '../api/dialects.ts';
import type { OwnOption } from '../dialects.ts';
import type { OwnOptions } from '../toolset-state.ts';

/** Returns the checked value of an option that only some dialects have. */
type Check = (name: string, value: unknown, option: OwnOption) => unknown;

/** The checks of the kinds of options that `src/tools/profile.rs` has. */
const CHECKS: Record<OwnOption['kind'], Check> = {
  flag: boolean,
  choice: (name, value, { choices = [] }) => oneOf(name, value, choices),
  milliseconds: (name, value) => milliseconds(name, value),
  integer: (name, value, { least = 0, most = 0 }) => integer(name, value, least, most),
  names,
  function: callback,
  threshold,
  permissions,
};

/** Checks the options of a dialect alone. */
function ownOptions(known: readonly OwnOption[], options: Given<string>): OwnOptions {
  return Object.fromEntries(
    known.map((option) => {
      const { name, kind } = option;
      return [name, CHECKS[kind](`options.${name}`, options[name], option)];
    }),
  );
}

/** Checks the form of `permissions`. The policy of the toolset parses the rules, and refuses them by name. */
function permissions(name: string, value: unknown): AgentRailPermissions | undefined {
  if (value === undefined) return undefined;
  if (!isRecord(value)) throw invalid(name, 'an object', value);
  for (const key of Object.keys(value)) {
    if (!['mode', 'allow', 'ask', 'deny'].includes(key))
      throw invalid(`${name}.${key}`, 'no such option', value[key]);
  }
  // The original has no mode for commands that only read.
  const modes = policyModes().filter((mode) => mode !== 'readOnly');
  oneOf(`${name}.mode`, value.mode, modes);
  return value as AgentRailPermissions;
}

function threshold(name: string, value: unknown): unknown {
  if (value === undefined || typeof value === 'boolean') return value;
  const isFine = isRecord(value) && (value.thresholdMs === undefined || (value.thresholdMs as number) >= 0);
  if (!isFine) throw invalid(name, 'true, false or an object with thresholdMs', value);
  return value;
}

function names(name: string, value: unknown): string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((text) => typeof text === 'string')) return value;
  throw invalid(name, 'a list of strings', value);
}

export { names, ownOptions };
