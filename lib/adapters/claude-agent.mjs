/**
 * Creates an in-process server for `mcpServers` of the Claude Agent SDK.
 *
 * The SDK only calls `connect()` of an instance. So the code of the MCP server is loaded on the first
 * connection.
 */
function sdkMcpServer(toolset, { name = 'agent-bash', timeout, alwaysLoad = true, ...options } = {}) {
  const servers = [];
  const instance = {
    async connect(transport) {
      const { createMcpServer } = await import('agent-bash/mcp');
      const server = createMcpServer(toolset, { name, alwaysLoad, ...options });
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
