// What `require()` gives, for `import`; see index.mjs of the package.
import { createRequire as requireOf } from 'node:module';

const isBundled = typeof require === 'function' && require !== globalThis.require;
const all = isBundled ? require('./index.js') : requireOf(import.meta.url)('./index.js');

export const { createTool, createTools, dialects, geminiSchema, strictSchema } = all;
export default all;
