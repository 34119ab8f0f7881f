// `npm run build:js` writes this file: what `require()` gives, for `import`.
import { createRequire as requireOf } from 'node:module';

const isBundled = typeof require === 'function' && require !== globalThis.require;
const all = isBundled ? require('./runners.js') : requireOf(import.meta.url)('./runners.js');

export const { beforeTests, ShellTests } = all;
export default all;
