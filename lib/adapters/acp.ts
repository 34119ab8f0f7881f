export { terminalHandlers } from './acp/terminal-handlers.ts';
