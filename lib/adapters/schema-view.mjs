/** By this global symbol every version of the AI SDK knows a schema of its own. */
const AI_SDK_SCHEMA = Symbol.for('vercel.ai.schema');

/**
 * A schema that the AI SDK takes as one of its own, and everybody else as a Standard Schema.
 *
 * It lets every value pass: the tool itself checks its arguments and answers wrong ones in the words of its dialect. What the
 * SDKs make of a schema's refusal is a message of theirs, or an exception.
 */
function schemaView(tool, jsonSchema = tool.inputSchema) {
  return {
    [AI_SDK_SCHEMA]: true,
    _type: undefined,
    jsonSchema,
    validate: (value) => ({ success: true, value }),
    '~standard': { ...tool['~standard'], validate: (value) => ({ value }) },
  };
}

export { schemaView };
