// Tools and results in the forms of the protocol.

/** Properties of results that hold output, in any dialect. */
const STREAMS = ['output', 'stdout', 'stderr'];

/** Returns a tool for `tools/list`. */
function describeTool(tool, settings) {
  const { name, title, description, inputSchema, annotations } = tool;
  const outputSchema = outputSchemaOf(tool, settings);
  return {
    name,
    title,
    description,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    annotations: { title, ...annotations },
    _meta: {
      // Claude Code moves results above its limit to a file, unless the tool raises the limit.
      'anthropic/maxResultSizeChars': settings.maxResultChars,
      ...(settings.alwaysLoad && { 'anthropic/alwaysLoad': true }),
    },
  };
}

/** Returns a result for `tools/call`. */
function describeResult(result, settings) {
  const { text, isError } = result;
  const structuredContent = structuredContentOf(result, settings);
  return { content: [{ type: 'text', text }], ...(structuredContent && { structuredContent }), isError };
}

/**
 * Returns the structured content of a result.
 *
 * Some clients show the model only the content, others only the structured content (such as Claude Code 2.1).
 * So both have the text. The streams would repeat it, and are left out unless the mode is `full`.
 */
function structuredContentOf({ text, data }, { structuredContent }) {
  if (structuredContent === 'none') return undefined;
  return structuredContent === 'full' ? { text, ...data } : { text, ...without(data, STREAMS) };
}

function outputSchemaOf({ outputSchema }, { structuredContent }) {
  if (structuredContent === 'none' || outputSchema === undefined) return undefined;
  const left = structuredContent === 'full' ? [] : STREAMS;
  const { properties = {}, required = [], ...rest } = outputSchema;
  return {
    ...rest,
    type: 'object',
    properties: {
      text: { type: 'string', description: 'The answer in words, as in the content.' },
      ...without(properties, left),
    },
    required: ['text', ...required.filter((name) => name !== 'text' && !left.includes(name))],
  };
}

function without(object, names) {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

export { describeResult, describeTool };
