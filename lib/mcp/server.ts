// Serves a toolset by the Model Context Protocol. Read in this order: server, describe, call, asking/,
// progress, stdio.

import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { serveStdio as serveTransport } from '@modelcontextprotocol/server/stdio';
import type { JSONSchema, ToolDefinition, Toolset } from 'agent-bash/tools';
import type { McpOptions, McpServer } from './api.ts';
import { Approvals } from './asking/approval.ts';
import type { AskingRequest } from './asking/request.ts';
import { Calls } from './call.ts';
import { describeTool } from './describe.ts';
import type { McpSettings } from './options.ts';
import { mcpSettings } from './options.ts';

/** An `McpServer` of the caller, by its structure. */
interface UserServer {
  registerTool(
    name: string,
    config: unknown,
    handler: (args: unknown, context: { mcpReq: AskingRequest }) => unknown,
  ): unknown;
  server?: Server;
}

/** Timeout of an elicitation (ms): above the timeout of any client, which ends the request first. */
const PERSON_TIMEOUT = 3_600_000;

/** Cache lifetime of `tools/list` for clients (ms): the list never changes. */
const LIST_TTL = 3_600_000;

/**
 * Creates a server for any number of connections, in both eras of the protocol. The first message of a
 * connection selects the era.
 */
function createMcpServer(toolset: Toolset, options?: McpOptions): McpServer {
  const settings = mcpSettings(toolset, options);
  const connections = new Set<ReturnType<typeof serveTransport>>();
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

/** Creates the SDK's server for one connection. */
function serverFor(toolset: Toolset, settings: McpSettings): Server {
  const server = new Server(settings.serverInfo, {
    capabilities: { tools: {} },
    instructions: settings.instructions,
    cacheHints: { 'tools/list': { ttlMs: LIST_TTL, cacheScope: 'public' } },
    inputRequired: { roundTimeoutMs: PERSON_TIMEOUT },
  });
  const calls = callsOf(settings, server);
  server.onclose = () => calls.close();
  server.setRequestHandler('tools/list', () => ({
    tools: toolset.tools.map((tool) => describeTool(tool, settings)),
  }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const tool = toolset.get(params.name);
    if (tool === undefined) throw unknownTool(toolset, params.name);
    return calls.handle({ tool, args: params.arguments ?? {}, request: mcpReq as AskingRequest });
  });
  return server;
}

/**
 * Registers the tools of a toolset with an `McpServer` of the caller (version 2 of the SDK). `ask` is a
 * denial by default, since the caller's server may not support elicitation.
 */
function registerTools(server: UserServer, toolset: Toolset, options?: McpOptions): void {
  const settings = mcpSettings(toolset, { approval: 'deny', ...options });
  const calls = callsOf(settings, server.server);
  for (const tool of toolset.tools) {
    const { name, outputSchema, inputSchema: _, ...description } = describeTool(tool, settings);
    const config = {
      ...description,
      inputSchema: passing(tool),
      ...(outputSchema && { outputSchema: fixed(outputSchema) }),
    };
    server.registerTool(name, config, (args, { mcpReq }) => calls.handle({ tool, args, request: mcpReq }));
  }
}

/** Returns the handler of the calls of one connection. */
function callsOf(settings: McpSettings, server: Server | undefined): Calls {
  const capabilities = () => server?.getClientCapabilities();
  return new Calls(settings, capabilities, new Approvals(settings, capabilities));
}

/**
 * Returns the input schema as a Standard Schema that accepts every value: the tool answers invalid arguments.
 */
function passing(tool: ToolDefinition): object {
  return { '~standard': { ...tool['~standard'], validate: (value: unknown) => ({ value }) } };
}

/**
 * Returns an output schema as a Standard Schema that accepts every value: results of tools are valid by
 * construction.
 */
function fixed(schema: JSONSchema): object {
  const jsonSchema = { input: () => schema, output: () => schema };
  return {
    '~standard': { version: 1, vendor: 'agent-bash', validate: (value: unknown) => ({ value }), jsonSchema },
  };
}

function unknownTool(toolset: Toolset, name: string): ProtocolError {
  const names = toolset.tools.map((tool) => tool.name).join(', ');
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}; there are ${names}`);
}

export { createMcpServer, registerTools };
