// The JavaScript of the package as two files of CommonJS: what `bash()` takes, and the rest, which is loaded when it is
// asked for. Two dozen would take longer to load than the addon; and in the scope of one file, where nothing is wrapped
// in a function, they load in half of the time. What has comments in it takes longer to read.
export default {
  input: { bash: 'lib/bash.mjs', rest: 'lib/index.mjs' },
  platform: 'node',
  external: /native\.cjs$/,
  preserveEntrySignatures: 'allow-extension',
  output: {
    dir: 'bundle',
    entryFileNames: '[name].cjs',
    format: 'cjs',
    esModule: false,
    generatedCode: { symbols: false },
    strict: true,
  },
};
