export { elicitConnect, elicitPrompt } from './asking/questions.ts';
export { createMcpServer, registerTools } from './server.ts';
export { serveStdio } from './stdio.ts';
