import { isRecord } from '../../options/checks.mjs';

/** Arguments as a schema has them: `null` is absent, numeric text is a number, and properties that it has not are left out. */
function coerce(args, { properties = {}, required = [] }) {
  if (!isRecord(args)) return { issues: [{ message: 'expected an object' }] };
  const value = {};
  const issues = [];
  for (const [name, schema] of Object.entries(properties)) {
    const given = args[name];
    if (given === undefined || given === null) continue;
    const converted = convert(given, [schema.type].flat());
    if (converted === undefined) {
      issues.push({ message: `expected ${[schema.type].flat().join(' or ')}`, path: [name] });
    } else {
      value[name] = converted;
    }
  }
  for (const name of required) {
    const isMissing = value[name] === undefined && !issues.some(({ path }) => path[0] === name);
    if (isMissing) issues.push({ message: 'required', path: [name] });
  }
  return issues.length > 0 ? { issues } : { value };
}

/** The value as one of these types; `undefined` where it is none. */
function convert(value, types) {
  if (types.includes(undefined) || types.includes(typeOf(value))) return value;
  if (types.includes('integer') && Number.isInteger(value)) return value;
  const isNumeric = typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
  if (isNumeric && (types.includes('number') || types.includes('integer'))) return Number(value);
  if (types.includes('boolean') && (value === 'true' || value === 'false')) return value === 'true';
  return undefined;
}

function typeOf(value) {
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

export { coerce };
