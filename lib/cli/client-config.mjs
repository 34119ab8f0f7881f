// How the known clients are told of a server, by the file that each of them reads.

const SERVER = 'agent-bash';

/** Of each client: where the text goes, and the text. */
const CLIENTS = {
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

/** The text for a client's configuration, and where it goes. `flags` are those that the server is to have. */
function clientConfig(client, flags) {
  const [place, write] = CLIENTS[client];
  return { place, text: write({ command: 'npx', args: ['-y', 'agent-bash', 'mcp', ...flags] }) };
}

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** JSON's strings are TOML's too. */
function toml({ command, args }) {
  const words = args.map((word) => JSON.stringify(word)).join(', ');
  return `[mcp_servers.${SERVER}]\ncommand = ${JSON.stringify(command)}\nargs = [${words}]\n`;
}

const CLIENT_NAMES = Object.keys(CLIENTS);

export { CLIENT_NAMES, clientConfig };
