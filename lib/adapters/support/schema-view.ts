import type { JSONSchema, ToolDefinition } from 'agent-bash/tools';
import type { AiSchema } from '../api/ai-sdk.ts';

/** The symbol by which every version of the AI SDK recognizes its own schemas. */
const AI_SDK_SCHEMA = Symbol.for('vercel.ai.schema');

/**
 * Returns the schema of a tool as a schema of the AI SDK and as a Standard Schema.
 *
 * The schema accepts every value, so that the tool answers invalid arguments in the words of its dialect. An
 * SDK would throw, or answer in its own words.
 */
function schemaView(tool: ToolDefinition, jsonSchema: JSONSchema = tool.inputSchema): AiSchema {
  const schema = {
    [AI_SDK_SCHEMA]: true,
    _type: undefined,
    jsonSchema,
    validate: (value: unknown) => ({ success: true, value }),
    '~standard': { ...tool['~standard'], validate: (value: unknown) => ({ value }) },
  };
  return schema;
}

export { schemaView };
