// Bundles the JavaScript of the package into a few files of CommonJS: `index.js` and `bash.js` load one each, and what both
// use is a third. Three dozen files would take longer to load than the addon; and in the scope of one file, where nothing is
// wrapped in a function, they load in half of the time. Comments are dropped: Node reads them with each start.
export default {
  input: { bash: 'lib/bash/index.mjs', index: 'lib/index.mjs' },
  platform: 'node',
  external: /native\.cjs$/,
  preserveEntrySignatures: 'allow-extension',
  output: {
    dir: 'bundle',
    entryFileNames: '[name].cjs',
    format: 'cjs',
    esModule: false,
    generatedCode: { symbols: false },
    chunkFileNames: '[name].cjs',
    strict: true,
  },
};
