import { createTool, createTools, geminiSchema, strictSchema } from 'agent-bash/tools';
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

  it.each([strictSchema, geminiSchema])(
    'has pairs for variables of any name, which the tool takes',
    async (schemaFor) => {
      const tool = createTool('oh-my-pi', { session: 'none' });
      const { env } = schemaFor(tool.inputSchema).properties as { env: object };
      expect(env).toMatchObject({
        items: {
          properties: { name: { type: 'string' }, value: { type: 'string' } },
          required: ['name', 'value'],
        },
      });
      const args = {
        command: 'echo $A-$B',
        env: [
          { name: 'A', value: 'a b' },
          { name: 'B', value: 1 },
        ],
      };
      expect((await tool.execute(args)).text).toMatch(/^a b-1\n/);
      expect(tool.parse(args)).toEqual({ value: { command: 'echo $A-$B', env: { A: 'a b', B: 1 } } });
      expect(tool.parse({ command: 'ls', env: ['A=1'] })).toMatchObject({ issues: [{ path: ['env'] }] });
    },
  );

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
