export { createMcpServer, registerTools } from './server.mjs';
export { serveStdio } from './stdio.mjs';
