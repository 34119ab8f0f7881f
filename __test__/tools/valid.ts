import type { JSONSchema } from 'agent-bash/tools';

type Properties = Record<string, JSONSchema>;

/**
 * Returns the faults of a value by a schema, each with its path. Supports the keywords of the schemas of this
 * package.
 */
export function faults(value: unknown, schema: JSONSchema, place = '$'): string[] {
  const { type, properties, required, items, additionalProperties } = schema;
  const choices = schema.enum as unknown[] | undefined;
  if (choices !== undefined) return choices.includes(value) ? [] : [`${place}: not of the list`];
  const types = [type ?? []].flat() as string[];
  if (types.length > 0 && !types.some((name) => isOf(value, name)))
    return [`${place}: not ${types.join(' or ')}`];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => faults(item, (items ?? {}) as JSONSchema, `${place}[${index}]`));
  }
  if (value === null || typeof value !== 'object') return [];
  const known = (properties ?? {}) as Properties;
  const missing = ((required ?? []) as string[]).filter((name) => !(name in value));
  return [
    ...missing.map((name) => `${place}.${name}: missing`),
    ...Object.entries(value).flatMap(([name, part]) => {
      const own = known[name];
      if (own !== undefined) return faults(part, own, `${place}.${name}`);
      return additionalProperties === false ? [`${place}.${name}: not in the schema`] : [];
    }),
  ];
}

function isOf(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return value !== null && typeof value === 'object' && !Array.isArray(value);
  return typeof value === type;
}
