'use strict';

// `bash()` at once, and the rest when anything else is asked for, since each line takes its time to load.
// `npm run build:js` makes these files of those in lib/.
const { bash } = require('./bundle/bash.cjs');

const NAMES = [
  'run',
  'BashJob',
  'CommandError',
  'Job',
  'Jobs',
  'diagnostics',
  'jobs',
  'nonInteractiveEnv',
  'prewarm',
];

let isWhole = false;

/** Loads the rest into the object that is the package. */
function load(all) {
  if (isWhole) return;
  const rest = require('./bundle/rest.cjs');
  isWhole = true;
  for (const name of NAMES) all[name] = rest[name];
}

/** What is asked of an object is asked of the whole one: nobody sees that it was not. */
function whole(act) {
  return (all, ...args) => {
    load(all);
    return act(all, ...args);
  };
}

// Not by getters: those who replace, freeze or mock names want properties like any others.
module.exports = new Proxy(
  { bash },
  {
    get(all, name, receiver) {
      if (NAMES.includes(name)) load(all);
      return Reflect.get(all, name, receiver);
    },
    set: whole(Reflect.set),
    has: whole(Reflect.has),
    deleteProperty: whole(Reflect.deleteProperty),
    ownKeys: whole(Reflect.ownKeys),
    getOwnPropertyDescriptor: whole(Reflect.getOwnPropertyDescriptor),
    defineProperty: whole(Reflect.defineProperty),
    preventExtensions: whole(Reflect.preventExtensions),
  },
);

// Never runs. Node reads here which names `import { name }` may ask for.
0 &&
  // biome-ignore lint/suspicious/noAssignInExpressions: in a statement of its own it would be dead code too.
  (module.exports = {
    bash,
    run,
    BashJob,
    CommandError,
    Job,
    Jobs,
    diagnostics,
    jobs,
    nonInteractiveEnv,
    prewarm,
  });
