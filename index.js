'use strict';

// The files of lib/ as one, since each file takes its time to load. `npm run build:js` writes it. In two steps: Node would
// read all of it for names to import otherwise.
const all = require('./bundle/index.cjs');
module.exports = all;

// Never runs. Node reads here which names `import { … }` may ask for.
// biome-ignore lint/suspicious/noAssignInExpressions: in a statement of its own it would be dead code too.
0 && (module.exports = { bash, run, BashJob, CommandError, Job, Jobs, jobs, nonInteractiveEnv, prewarm });
