// Configures the bundles of the adapters, the MCP server and the command line, for rolldown.config.mjs.
import { fileURLToPath } from 'node:url';
import { bundledLicenses } from './bundled-licenses.mjs';

/** Imports that stay imports: this package, by its name, and the caller's SDKs. */
const external = [/^agent-bash/, /^@langchain\//, /^@anthropic-ai\//, /^@openai\//];

const ADAPTERS = ['acp', 'ai-sdk', 'openai', 'anthropic', 'langchain'];

/**
 * Bundles the adapters and the console as ES modules or CommonJS. Each kind imports the SDK's classes of the
 * same kind, as its caller does.
 */
function adapters(format, extension) {
  return {
    input: {
      console: 'lib/console/index.ts',
      ...Object.fromEntries(ADAPTERS.map((name) => [name, `lib/adapters/${name}.ts`])),
    },
    platform: 'node',
    external,
    output: {
      dir: 'bundle/adapters',
      format,
      // A dynamic import would load the SDK's ES modules, where the caller has its CommonJS.
      dynamicImportInCjs: false,
      entryFileNames: `[name].${extension}`,
      chunkFileNames: `[name].${extension}`,
    },
  };
}

/** Bundles the MCP server with its SDK, so that users install nothing else. */
const MCP = {
  input: { mcp: 'lib/mcp/index.ts' },
  platform: 'node',
  external,
  resolve: {
    alias: {
      '@modelcontextprotocol/server/_shims': fileURLToPath(
        new URL('../lib/mcp/sdk-shims.ts', import.meta.url),
      ),
    },
  },
  plugins: [bundledLicenses('bundle/mcp-licenses.txt')],
  output: {
    dir: 'bundle',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    codeSplitting: false,
    // Minified code loads in half of the time.
    minify: true,
  },
};

/** Bundles the page of a live view, for browsers. */
const PAGE = {
  input: { component: 'lib/live/page/index.ts' },
  platform: 'browser',
  moduleTypes: { '.css': 'text' },
  plugins: [bundledLicenses('bundle/live/licenses.txt')],
  output: {
    dir: 'bundle/live',
    format: 'es',
    entryFileNames: '[name].mjs',
    codeSplitting: false,
    minify: true,
  },
};

/** Bundles what the page of the server runs beside it. */
const START = {
  input: { page: 'lib/live/page/start.ts' },
  platform: 'browser',
  external: /component\.mjs$/,
  output: { dir: 'bundle/live', format: 'es', entryFileNames: '[name].mjs', minify: true },
};

const CLI = {
  input: { cli: 'lib/cli/main.ts' },
  platform: 'node',
  // `on-demand.cjs` has the addon's splitting of words.
  external: [...external, /(on-demand|live-server)\.cjs$/],
  output: { dir: 'bundle', format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: 'cli-[name].cjs' },
};

/** Resolves `#runners` to the file of the package that has it, by its place beside the bundles. */
function runnersEntry(extension) {
  return {
    name: 'runners-entry',
    resolveId: (source) =>
      source === '#runners' ? { id: `../../entry/runners.${extension}`, external: true } : null,
  };
}

/** Bundles what connects `agent-bash/testing` to a test runner, which the caller has. */
function runners(names, format, extension) {
  return {
    input: Object.fromEntries(names.map((name) => [name, `lib/testing/runners/${name}.ts`])),
    platform: 'node',
    external: [/^agent-bash/, 'vitest', /^@jest\//],
    plugins: [runnersEntry(format === 'es' ? 'mjs' : 'js')],
    output: { dir: 'bundle/testing', format, entryFileNames: `[name].${extension}`, comments: false },
  };
}

export const adapterBundles = [
  adapters('cjs', 'cjs'),
  adapters('es', 'mjs'),
  MCP,
  PAGE,
  START,
  CLI,
  runners(['vitest', 'jest', 'node'], 'es', 'mjs'),
  runners(['jest', 'node'], 'cjs', 'cjs'),
];
