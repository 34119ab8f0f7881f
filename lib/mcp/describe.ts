// Tools and results in the forms of the protocol.

import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { ToolDefinition, ToolResult } from 'agent-bash/tools';
import type { McpSettings } from './options.ts';

type OutputSchema = { type: 'object'; [keyword: string]: unknown };

/** Properties of results that hold output, in any dialect. */
const STREAMS = ['output', 'stdout', 'stderr'];

/** Returns a tool for `tools/list`. */
function describeTool(tool: ToolDefinition, settings: McpSettings): Tool {
  const { name, title, description, inputSchema, annotations } = tool;
  const outputSchema = outputSchemaOf(tool, settings);
  return {
    name,
    title,
    description,
    inputSchema: inputSchema as Tool['inputSchema'],
    ...(outputSchema && { outputSchema: outputSchema as Tool['outputSchema'] }),
    annotations: { title, ...annotations },
    _meta: {
      // Claude Code moves results above its limit to a file, unless the tool raises the limit.
      'anthropic/maxResultSizeChars': settings.maxResultChars,
      ...(settings.alwaysLoad && { 'anthropic/alwaysLoad': true }),
    },
  };
}

/** Returns a result for `tools/call`, with lines behind its text. */
function describeResult(result: ToolResult, settings: McpSettings, notes: string[]): CallToolResult {
  const { isError, data } = result;
  const text = [result.text.replace(notes.length > 0 ? /\n$/ : '', ''), ...notes].join('\n');
  const structuredContent = structuredContentOf({ text, data }, settings);
  return { content: [{ type: 'text', text }], ...(structuredContent && { structuredContent }), isError };
}

/**
 * Returns the structured content of a result.
 *
 * Some clients show the model only the content, others only the structured content (such as Claude Code 2.1).
 * So both have the text. The streams would repeat it, and are left out unless the mode is `full`.
 */
function structuredContentOf(
  { text, data }: Pick<ToolResult, 'text' | 'data'>,
  { structuredContent }: McpSettings,
): Record<string, unknown> | undefined {
  if (structuredContent === 'none') return undefined;
  return structuredContent === 'full' ? { text, ...data } : { text, ...without(data, STREAMS) };
}

function outputSchemaOf(
  { outputSchema }: ToolDefinition,
  { structuredContent }: McpSettings,
): OutputSchema | undefined {
  if (structuredContent === 'none' || outputSchema === undefined) return undefined;
  const left = structuredContent === 'full' ? [] : STREAMS;
  const { properties, required, ...rest } = outputSchema as {
    properties?: Record<string, unknown>;
    required?: string[];
  };
  return {
    ...rest,
    type: 'object',
    properties: {
      text: { type: 'string', description: 'The answer in words, as in the content.' },
      ...without(properties ?? {}, left),
    },
    required: ['text', ...(required ?? []).filter((name) => name !== 'text' && !left.includes(name))],
  };
}

function without(object: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

export { describeResult, describeTool };
