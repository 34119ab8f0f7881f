import { adapterBundles } from './adapter-bundles.mjs';
import { entryFiles } from './entry-files.mjs';
import { importSize } from './import-size.mjs';
import { ownFeatures } from './own-features.mjs';
import { plainExports } from './plain-exports.mjs';

// Bundles lib/ into CommonJS files: one for each entry point, what all of them use (`core.cjs`), what is
// loaded with the first option or call that needs it (`features.cjs`), and what only calls of its own need
// (`on-demand.cjs`). Loading forty files would take longer than loading the addon. In the scope of one file,
// where nothing is wrapped in a function, they load in half of the time. Comments are dropped, because
// Node.js would read them at each start.
const core = {
  input: {
    bash: 'lib/bash/index.ts',
    features: 'lib/features.ts',
    index: 'lib/index.ts',
    live: 'lib/live/index.ts',
    'live-server': 'lib/live/server/index.ts',
    'on-demand': 'lib/on-demand.ts',
    tools: 'lib/tools/index.ts',
    testing: 'lib/testing/index.ts',
  },
  platform: 'node',
  // The scripts for shells, which `lib/support/shell/script.ts` fills in.
  moduleTypes: { '.sh': 'text' },
  external: /(native|core|features|on-demand|live|live-server)\.cjs$/,
  preserveEntrySignatures: 'allow-extension',
  plugins: [entryFiles(), plainExports(), ownFeatures(), importSize()],
  output: {
    dir: 'bundle',
    entryFileNames: '[name].cjs',
    format: 'cjs',
    esModule: false,
    generatedCode: { symbols: false },
    chunkFileNames: 'core.cjs',
    comments: false,
    strict: true,
  },
};

export default [core, ...adapterBundles];
