// `npm run build:js` writes this file: what `require()` gives, for `import`.
import { createRequire as requireOf } from 'node:module';

const isBundled = typeof require === 'function' && require !== globalThis.require;
const all = isBundled ? require('./bash.js') : requireOf(import.meta.url)('./bash.js');

export const { BashJob, bash } = all;
export default all;
