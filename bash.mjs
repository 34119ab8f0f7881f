// What `require()` gives, for `import`: see index.mjs.
import { createRequire as requireOf } from 'node:module';

const isBundled = typeof require === 'function' && require !== globalThis.require;
const all = isBundled ? require('./bash.js') : requireOf(import.meta.url)('./bash.js');

export const { bash, BashJob } = all;
export default all;
