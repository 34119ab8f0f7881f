// Re-exports bash.js for `import`; index.mjs says why.
import { createRequire as requireOf } from 'node:module';

const isBundled = typeof require === 'function' && require !== globalThis.require;
const all = isBundled ? require('./bash.js') : requireOf(import.meta.url)('./bash.js');

export const { bash, BashJob } = all;
export default all;
