// What a client learns about a tool, and what it gets of a result.

/** The streams of a result, in whichever dialect. What the model reads of them is in the text. */
const STREAMS = ['output', 'stdout', 'stderr'];

/** A tool in `tools/list`. */
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
      // Claude Code refuses longer results, or puts them into a file, unless a tool announces them.
      'anthropic/maxResultSizeChars': settings.maxResultChars,
      ...(settings.alwaysLoad && { 'anthropic/alwaysLoad': true }),
    },
  };
}

/** The answer to `tools/call`. */
function describeResult(result, settings) {
  const { text, isError } = result;
  const structuredContent = structuredContentOf(result, settings);
  return { content: [{ type: 'text', text }], ...(structuredContent && { structuredContent }), isError };
}

/**
 * The structured form of a result.
 *
 * Some clients give the model the content alone, others the structured content alone (Claude Code 2.1 does): so both have the
 * text. The streams, which would double it, are left out but for `full`.
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
