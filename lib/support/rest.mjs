/** Returns what `lib/rest.mjs` exports. `require` is that of the bundle, which is CommonJS. */
const rest = () => require('../../bundle/rest.cjs');

export { rest };
