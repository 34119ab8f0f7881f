// What `require()` gives, for `import` in Node.js, which takes 2 ms longer to import CommonJS by itself.
//
// Only what follows the condition `node-addons` gets this file: Node.js, and bundlers such as Bun's. Those see the
// call of `require`, and put what it loads into the bundle. In Node.js an ES module has no `require` of its own; there is
// a global one in `node -e` and in the REPL, which looks in the working directory.
import { createRequire as requireOf } from 'node:module';

const isBundled = typeof require === 'function' && require !== globalThis.require;
const all = isBundled ? require('./index.js') : requireOf(import.meta.url)('./index.js');

export const { bash, run, BashJob, CommandError, Job, Jobs, diagnostics, jobs, nonInteractiveEnv, prewarm } =
  all;
export default all;
