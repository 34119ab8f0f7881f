// `npm run build:js` writes this file: what `require()` gives, for `import`.
import { createRequire as requireOf } from 'node:module';

const isBundled = typeof require === 'function' && require !== globalThis.require;
const all = isBundled ? require('./tools.js') : requireOf(import.meta.url)('./tools.js');

export const { createTool, createTools, dialects, geminiSchema, strictSchema } = all;
export default all;
