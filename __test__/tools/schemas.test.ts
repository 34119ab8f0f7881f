import { createTools, geminiSchema, strictSchema } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';

describe('strictSchema()', () => {
  it('requires every property, and takes null where it was optional', () => {
    const { inputSchema } = createTools('bash').tools[0] ?? {};
    const strict = strictSchema(inputSchema ?? {});
    expect(strict.required).toEqual(Object.keys(strict.properties as object));
    expect(strict).toMatchObject({
      additionalProperties: false,
      properties: { command: { type: 'string' }, timeout_ms: { type: ['number', 'null'] } },
    });
    expect(JSON.stringify(strict)).not.toContain('minimum');
  });

  it('leaves the schema that it is given as it is', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', enum: ['x'], default: 'x' } } };
    const before = structuredClone(schema);
    expect(strictSchema(schema)).toMatchObject({
      properties: { a: { type: ['string', 'null'], enum: ['x', null] } },
    });
    expect(schema).toEqual(before);
  });
});

describe('geminiSchema()', () => {
  it('has no keywords that Gemini refuses, and one type for each value', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: ['string', 'null'], default: '' }, title: { type: 'string' } },
      additionalProperties: false,
    };
    expect(geminiSchema(schema)).toEqual({
      type: 'object',
      properties: { a: { type: 'string', nullable: true }, title: { type: 'string' } },
    });
  });
});
