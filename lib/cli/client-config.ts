// Configuration of known MCP clients.

import { realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

interface ServerCommand {
  command: string;
  args: string[];
}

type Client = [file: string, write: (server: ServerCommand) => string];

const SERVER = 'agent-bash';

/** By client: the file to configure, and a function that writes its text. */
const CLIENTS: Record<string, Client> = {
  claude: [
    '.mcp.json of the project, or: claude mcp add-json',
    (server) => json({ mcpServers: { [SERVER]: { type: 'stdio', ...server } } }),
  ],
  cursor: [
    '.cursor/mcp.json of the project, or ~/.cursor/mcp.json',
    (server) => json({ mcpServers: { [SERVER]: server } }),
  ],
  vscode: [
    '.vscode/mcp.json of the workspace',
    (server) => json({ servers: { [SERVER]: { type: 'stdio', ...server } } }),
  ],
  codex: ['~/.codex/config.toml', toml],
  gemini: [
    '.gemini/settings.json of the project, or ~/.gemini/settings.json',
    (server) => json({ mcpServers: { [SERVER]: server } }),
  ],
};

/** Returns the configuration of a client for a server with `flags`, and the file that it belongs to. */
function clientConfig(client: string, flags: string[]): { file: string; text: string } {
  const [file, write] = CLIENTS[client];
  const { command, args } = ownCommand();
  return { file, text: write({ command, args: [...args, 'mcp', ...flags] }) };
}

/**
 * Returns the command that starts this package: by its name where it was installed by a package manager. A
 * clone has the path, because the name might give another package.
 */
function ownCommand(): ServerCommand {
  const root = realpathSync(fileURLToPath(new URL('..', import.meta.url)));
  if (root.split(sep).includes('node_modules')) return { command: 'npx', args: ['-y', 'agent-bash'] };
  return { command: 'node', args: [join(root, 'entry/cli.js')] };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Writes TOML, whose basic strings are a superset of JSON's. */
function toml({ command, args }: ServerCommand): string {
  const words = args.map((word) => JSON.stringify(word)).join(', ');
  return `[mcp_servers.${SERVER}]\ncommand = ${JSON.stringify(command)}\nargs = [${words}]\n`;
}

const CLIENT_NAMES: string[] = Object.keys(CLIENTS);

export { CLIENT_NAMES, clientConfig };
