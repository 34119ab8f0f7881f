// What `require()` gives, for `import`; see index.mjs.
import { createRequire as requireOf } from 'node:module';

const isBundled = typeof require === 'function' && require !== globalThis.require;
const all = isBundled ? require('./conformance.js') : requireOf(import.meta.url)('./conformance.js');

export const { cases, normalize, play } = all;
export default all;
