// The JavaScript of the package as one file: two dozen would take longer to load than the addon.
export default {
  input: 'lib/index.js',
  platform: 'node',
  external: /native\.cjs$/,
  output: { file: 'bundle/index.cjs', format: 'cjs' },
};
