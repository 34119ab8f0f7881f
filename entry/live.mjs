// `npm run build:js` writes this file: what `require()` gives, for `import`.
import { createRequire as requireOf } from 'node:module';

const isBundled = typeof require === 'function' && require !== globalThis.require;
const all = isBundled ? require('./live.js') : requireOf(import.meta.url)('./live.js');

export const { Live } = all;
export default all;
