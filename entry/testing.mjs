// `npm run build:js` writes this file: what `require()` gives, for `import`.
import { createRequire as requireOf } from 'node:module';

const isBundled = typeof require === 'function' && require !== globalThis.require;
const all = isBundled ? require('./testing.js') : requireOf(import.meta.url)('./testing.js');

export const { faults, matchers, resultSerializer, withShell } = all;
export default all;
