export { elicitConnect } from './call.ts';
export { createMcpServer, registerTools } from './server.ts';
export { serveStdio } from './stdio.ts';
