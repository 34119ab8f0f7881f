export { clientTerminals } from './acp/client-terminals.ts';
export { terminalHandlers } from './acp/terminal-handlers.ts';
