import { isRecord } from '../../options/checks.ts';
import { isMap } from '../schemas.ts';

/** A fault of the arguments, and its path. */
export interface CoerceIssue {
  message: string;
  path?: string[];
}

/** The part of a JSON Schema that counts for the conversion. */
export interface CoerceSchema {
  properties?: Readonly<Record<string, { type?: string | string[]; [keyword: string]: unknown }>>;
  required?: readonly string[];
}

export type Coerced =
  | { issues: CoerceIssue[]; value?: undefined }
  | { value: Record<string, unknown>; issues?: undefined };

/**
 * Converts arguments to the types of a schema: `null` becomes absent, numeric text a number, and unknown
 * properties are dropped.
 */
function coerce(args: unknown, { properties = {}, required = [] }: CoerceSchema): Coerced {
  if (!isRecord(args)) return { issues: [{ message: 'expected an object' }] };
  const value: Record<string, unknown> = {};
  const issues: CoerceIssue[] = [];
  for (const [name, schema] of Object.entries(properties)) {
    const given = args[name];
    if (given === undefined || given === null) continue;
    const converted = convert(isMap(schema) ? fromPairs(given) : given, [schema.type].flat());
    if (converted === undefined) {
      issues.push({ message: `expected ${[schema.type].flat().join(' or ')}`, path: [name] });
    } else {
      value[name] = converted;
    }
  }
  for (const name of required) {
    const isMissing = value[name] === undefined && !issues.some(({ path }) => path?.[0] === name);
    if (isMissing) issues.push({ message: 'required', path: [name] });
  }
  return issues.length > 0 ? { issues } : { value };
}

/** Returns the object that a list of names and values stands for, which strict schemas have in its place. */
function fromPairs(given: unknown): unknown {
  const isPair = (pair: unknown) => isRecord(pair) && typeof pair.name === 'string';
  if (!Array.isArray(given) || !given.every(isPair)) return given;
  return Object.fromEntries(given.map(({ name, value }) => [name, value]));
}

/** Converts a value to the first of these types that it fits; `undefined` if it fits none. */
function convert(value: unknown, types: (string | undefined)[]): unknown {
  if (types.includes(undefined) || types.includes(typeOf(value))) return value;
  if (types.includes('integer') && Number.isInteger(value)) return value;
  const isNumeric = typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
  if (isNumeric && (types.includes('number') || types.includes('integer'))) return Number(value);
  if (types.includes('boolean') && (value === 'true' || value === 'false')) return value === 'true';
  return undefined;
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

export { coerce };
