// What `require()` gives, for `import`; see index.mjs.
import { createRequire as requireOf } from 'node:module';

const isBundled = typeof require === 'function' && require !== globalThis.require;
const all = isBundled ? require('./live.js') : requireOf(import.meta.url)('./live.js');

export const { Live } = all;
export default all;
