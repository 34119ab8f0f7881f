// Copies schemas for vendors that accept only a part of JSON Schema.

import type { JSONSchema } from './api/definition.ts';

type Schema = Record<string, unknown>;

/** The keywords that OpenAI's strict mode refuses. */
const NOT_STRICT = new Set([
  'default',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'examples',
  '$schema',
]);

/** The keywords that Gemini's function declarations refuse. */
const NOT_GEMINI = new Set(['$schema', 'additionalProperties', 'default', 'examples', 'const', 'title']);

function strictSchema(schema: JSONSchema): Schema {
  const copy = without(asPairs(schema), NOT_STRICT, strictSchema);
  if (copy.type !== 'object' && copy.properties === undefined) return copy;
  const required = new Set((copy.required as string[] | undefined) ?? []);
  const properties: Schema = {};
  for (const [name, property] of Object.entries((copy.properties ?? {}) as Record<string, Schema>)) {
    properties[name] = required.has(name) ? property : orNull(property);
  }
  return { ...copy, properties, required: Object.keys(properties), additionalProperties: false };
}

function orNull(given: Schema): Schema {
  let schema = given;
  if (Array.isArray(schema.enum) && !schema.enum.includes(null)) {
    schema = { ...schema, enum: [...schema.enum, null] };
  }
  if (schema.type === undefined) {
    return schema.enum !== undefined ? schema : { anyOf: [schema, { type: 'null' }] };
  }
  const types = [schema.type].flat();
  return types.includes('null') ? schema : { ...schema, type: [...types, 'null'] };
}

function geminiSchema(schema: JSONSchema): Schema {
  const copy = without(asPairs(schema), NOT_GEMINI, geminiSchema);
  if (!Array.isArray(copy.type)) return copy;
  // Gemini has one type and the flag `nullable`.
  const types = (copy.type as string[]).filter((type) => type !== 'null');
  const nullable = types.length < copy.type.length ? { nullable: true } : {};
  if (types.length === 1) return { ...copy, type: types[0], ...nullable };
  const { type: _, ...rest } = copy;
  return { ...rest, anyOf: types.map((type) => ({ type })), ...nullable };
}

/** Copies a nested schema. */
type Copy = (schema: JSONSchema) => Schema;

/**
 * Returns the schema of an object with any names as that of a list of names and values, which the tools take
 * too: neither vendor has a schema for names that it does not know.
 */
function asPairs(schema: Schema): Schema {
  if (!isMap(schema)) return schema;
  const { additionalProperties, properties: _, type, ...rest } = schema;
  const list = Array.isArray(type) ? type.map((one) => (one === 'object' ? 'array' : one)) : 'array';
  const properties = { name: { type: 'string' }, value: additionalProperties };
  const items = { type: 'object', properties, required: ['name', 'value'], additionalProperties: false };
  return { type: list, ...rest, items };
}

/** Returns whether a schema is that of an object with any names, whose values have one schema. */
function isMap({ additionalProperties, properties }: Schema): boolean {
  const hasNames = Object.keys(properties ?? {}).length > 0;
  return typeof additionalProperties === 'object' && additionalProperties !== null && !hasNames;
}

/** Returns a copy without some keywords, in which `make` copies each nested schema. */
function without(schema: JSONSchema, keywords: ReadonlySet<string>, make: Copy): Schema {
  const copy: Schema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keywords.has(keyword)) continue;
    copy[keyword] = part(keyword, value, make);
  }
  return copy;
}

function part(keyword: string, value: unknown, make: Copy): unknown {
  switch (keyword) {
    case 'properties':
      return Object.fromEntries(
        Object.entries(value as Record<string, JSONSchema>).map(([name, property]) => [name, make(property)]),
      );
    case 'items':
    case 'additionalProperties':
      return typeof value === 'object' && value !== null ? make(value as JSONSchema) : value;
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return (value as JSONSchema[]).map((choice) => make(choice));
    default:
      return structuredClone(value);
  }
}

export { geminiSchema, isMap, strictSchema };
