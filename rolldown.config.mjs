// The JavaScript of the package as one file of CommonJS. Two dozen would take longer to load than the addon; and in the
// scope of one file, where nothing is wrapped in a function, all of it loads in the time that `bash()` alone took before.
export default {
  input: 'lib/index.mjs',
  platform: 'node',
  external: /native\.cjs$/,
  output: {
    file: 'bundle/index.cjs',
    format: 'cjs',
    esModule: false,
    generatedCode: { symbols: false },
    strict: true,
  },
};
