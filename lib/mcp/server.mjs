// A toolset as a server of the Model Context Protocol. Read in this order: server, describe, call, approval, progress, stdio.
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { serveStdio as serveTransport } from '@modelcontextprotocol/server/stdio';
import { Approvals } from './approval.mjs';
import { callTool } from './call.mjs';
import { describeTool } from './describe.mjs';
import { mcpSettings } from './options.mjs';

/** How long a person may take to answer (ms): longer than any client waits by itself. */
const PERSON_TIMEOUT = 3_600_000;

/** How long clients may keep the list of tools (ms): it never changes. */
const LIST_TTL = 3_600_000;

/**
 * A server that any number of transports can be connected to. It serves both eras of the protocol: the first message of a
 * connection tells which one.
 */
function createMcpServer(toolset, options) {
  const settings = mcpSettings(toolset, options);
  const connections = new Set();
  return {
    async connect(transport) {
      const connection = serveTransport(() => serverFor(toolset, settings), {
        transport,
        onerror: settings.onerror,
      });
      connections.add(connection);
    },
    async close() {
      await Promise.all([...connections].map((connection) => connection.close()));
      connections.clear();
    },
  };
}

/** One connection's server of the SDK. */
function serverFor(toolset, settings) {
  const server = new Server(settings.serverInfo, {
    capabilities: { tools: {} },
    instructions: settings.instructions,
    cacheHints: { 'tools/list': { ttlMs: LIST_TTL, cacheScope: 'public' } },
    inputRequired: { roundTimeoutMs: PERSON_TIMEOUT },
  });
  const approvals = new Approvals(settings.approval, () => server.getClientCapabilities());
  server.onclose = () => approvals.close();
  server.setRequestHandler('tools/list', () => ({
    tools: toolset.tools.map((tool) => describeTool(tool, settings)),
  }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const tool = toolset.get(params.name);
    if (tool === undefined) throw unknownTool(toolset, params.name);
    return callTool({ tool, args: params.arguments ?? {}, request: mcpReq, approvals, settings });
  });
  return server;
}

/**
 * Registers the tools of a toolset with an `McpServer` of the caller's own (version 2 of the SDK), beside tools of other
 * making. There, `ask` is a denial: only a server of ours asks the person.
 */
function registerTools(server, toolset, options) {
  const settings = mcpSettings(toolset, { approval: 'deny', ...options });
  const approvals = new Approvals(settings.approval, () => undefined);
  for (const tool of toolset.tools) {
    const { name, outputSchema, inputSchema: _, ...description } = describeTool(tool, settings);
    const config = {
      ...description,
      inputSchema: passing(tool),
      ...(outputSchema && { outputSchema: fixed(outputSchema) }),
    };
    server.registerTool(name, config, (args, { mcpReq }) =>
      callTool({ tool, args, request: mcpReq, approvals, settings }),
    );
  }
}

/** The tool answers wrong arguments itself. */
function passing(tool) {
  return { '~standard': { ...tool['~standard'], validate: (value) => ({ value }) } };
}

/** A JSON Schema as a Standard Schema. The tools' data are valid by construction. */
function fixed(schema) {
  const jsonSchema = { input: () => schema, output: () => schema };
  return { '~standard': { version: 1, vendor: 'agent-bash', validate: (value) => ({ value }), jsonSchema } };
}

function unknownTool(toolset, name) {
  const names = toolset.tools.map((tool) => tool.name).join(', ');
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}; there are ${names}`);
}

export { createMcpServer, registerTools };
