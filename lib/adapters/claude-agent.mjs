/**
 * An in-process MCP server for `mcpServers` of the Claude Agent SDK, which asks of an instance only that it can be connected.
 * The server's code is loaded when it is.
 */
function sdkMcpServer(toolset, { name = 'agent-bash', timeout, ...options } = {}) {
  const servers = [];
  const instance = {
    async connect(transport) {
      const { createMcpServer } = await import('agent-bash/mcp');
      const server = createMcpServer(toolset, { name, ...options });
      servers.push(server);
      await server.connect(transport);
    },
    async close() {
      await Promise.all(servers.splice(0).map((server) => server.close()));
    },
  };
  return { type: 'sdk', name, ...(timeout !== undefined && { timeout }), instance };
}

export { sdkMcpServer };
