// The bundles of the adapters, of the server of MCP and of the command line, for rolldown.config.mjs.
import { fileURLToPath } from 'node:url';
import { bundledLicenses } from './bundled-licenses.mjs';

/** What an adapter imports is there already: our own package under its name, and the caller's SDK. */
const external = [/^agent-bash/, /^@langchain\//, /^@anthropic-ai\//];

const ADAPTERS = ['ai-sdk', 'openai', 'anthropic', 'langchain'];

/** The adapters as modules of both kinds: the classes of an SDK must be those of the caller's copy of it, which are of one kind. */
function adapters(format, extension) {
  return {
    input: Object.fromEntries(ADAPTERS.map((name) => [name, `lib/adapters/${name}.mjs`])),
    platform: 'node',
    external,
    output: {
      dir: 'bundle/adapters',
      format,
      entryFileNames: `[name].${extension}`,
      chunkFileNames: `[name].${extension}`,
    },
  };
}

/** The server of MCP with the SDK in it, so that users install nothing more; and the command line. */
const MCP = {
  input: { mcp: 'lib/mcp/index.mjs' },
  platform: 'node',
  external,
  resolve: {
    alias: {
      '@modelcontextprotocol/server/_shims': fileURLToPath(
        new URL('../lib/mcp/sdk-shims.mjs', import.meta.url),
      ),
    },
  },
  plugins: [bundledLicenses('bundle/mcp-licenses.txt')],
  output: {
    dir: 'bundle',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    codeSplitting: false,
    // It takes half of the time to load.
    minify: true,
  },
};

const CLI = {
  input: { cli: 'lib/cli/main.mjs' },
  platform: 'node',
  external,
  output: { dir: 'bundle', format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: 'cli-[name].cjs' },
};

export const adapterBundles = [adapters('cjs', 'cjs'), adapters('es', 'mjs'), MCP, CLI];
