// What `require()` gives, for `import` in Node.js, which takes 2 ms longer to import CommonJS by itself. Only Node.js gets
// this file (by the condition `node-addons`): bundlers could not see what is required here.
import { createRequire } from 'node:module';

const all = createRequire(import.meta.url)('./index.js');

export const { bash, run, BashJob, CommandError, Job, Jobs, diagnostics, jobs, nonInteractiveEnv, prewarm } =
  all;
export default all;
