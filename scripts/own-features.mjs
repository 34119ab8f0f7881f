// Plugin of rolldown by which each copy of `core.cjs` has a copy of `features.cjs`.
//
// A program may load the package twice, as test runners do. The code of `features.cjs` works on what
// `core.cjs` has made, such as its jobs, and `require` would give it the other copy's. So the file has a
// function that gets the exports of `core.cjs` and returns its own. `lib/support/features.ts` calls it.

const FILE = 'features.cjs';
const CORE = 'core.cjs';

export function ownFeatures() {
  return {
    name: 'own-features',
    generateBundle(_options, bundle) {
      for (const [file, chunk] of Object.entries(bundle)) {
        if (file === FILE) chunk.code = asFunction(chunk.code);
        else if (file === CORE) chunk.code = withOwnExports(chunk.code);
        else chunk.code = withFeaturesOfCore(chunk.code);
      }
    },
  };
}

/** Returns the code of the file with its exports as the result of a function. */
function asFunction(code) {
  const head =
    /^"use strict";\n(?:.*require\("\.\/index\.cjs"\);\n)?const (\w+) = require\("\.\/core\.cjs"\);\n/;
  const [beginning, core] = head.exec(code) ?? [];
  if (core === undefined) throw new Error(`${FILE} requires more than core.cjs`);
  // V8 compiles a function in parentheses at once. Otherwise it would parse the code twice.
  return `"use strict";
module.exports = (function(${core}) {
const exports = {};
${code.slice(beginning.length)}return exports;
});
`;
}

/** Returns the code of `core.cjs`, which gives its exports to the function. */
function withOwnExports(code) {
  const call = `require("../bundle/${CORE}")`;
  if (!code.includes(call)) throw new Error(`${CORE} does not load ${FILE} as expected`);
  return code.replace(call, 'module.exports');
}

/** Returns the code of another file, which gets the features of its copy of `core.cjs`. */
function withFeaturesOfCore(code) {
  return code.replace(`= require("./${FILE}");`, `= require("./${CORE}").features();`);
}
