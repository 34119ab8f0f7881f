// Writes the files by which users load the package, for rolldown.config.mjs: the names in them are the
// exports of the modules in lib/. git has these files, because a clone that is not built needs their error.
//
// Each subpath has two files. The one for `require()` takes its names out of the bundle, which has more of
// them, because the subpaths share its code. The one for `import` is for Node.js, which takes 2 ms longer to
// import a CommonJS file directly. Only runtimes and bundlers with the condition `node-addons` get that file:
// Node.js and, among bundlers, Bun's. A bundler sees the call of `require` and bundles what it loads. An ES
// module in Node.js has no `require` of its own, but in `node -e` and the REPL there is a global one, which
// searches from the working directory.

import { relative } from 'node:path';
import { pathFrom, ROOT, update } from './generated-file.mjs';

/** The widest line of the code, as in biome.json. */
const MAX_WIDTH = 110;

/** entry of the bundle -> its files for `require()` and for `import`. */
const FILES = {
  index: ['index.js', 'entry/index.mjs'],
  bash: ['entry/bash.js', 'entry/bash.mjs'],
  live: ['entry/live.js', 'entry/live.mjs'],
  tools: ['entry/tools.js', 'entry/tools.mjs'],
  testing: ['entry/testing.js', 'entry/testing.mjs'],
};

/**
 * Exports of an entry of the bundle that only the package itself loads: what records, by the option `record`,
 * and what makes a process or a worker a child of a test.
 */
const PRIVATE = ['recordAll', 'recordCommand', 'joinTest', 'beforeTests', 'ShellTests'];

/** The files by which the entries of test runners load what no user does: no subpath has them. */
const INTERNAL = {
  testing: { files: ['entry/runners.js', 'entry/runners.mjs'], names: ['beforeTests', 'ShellTests'] },
};

/** Returns a declaration of the names, formatted as biome does. */
function declared(start, names) {
  const pattern = `${start} { ${names.join(', ')} } =`;
  if (`${pattern} all;`.length <= MAX_WIDTH) return `${pattern} all;`;
  if (pattern.length <= MAX_WIDTH) return `${pattern}\n  all;`;
  return `${start} {\n${listed(names)}} = all;`;
}

function exported(names) {
  const line = `module.exports = { ${names.join(', ')} };`;
  return line.length <= MAX_WIDTH ? line : `module.exports = {\n${listed(names)}};`;
}

function listed(names) {
  return names.map((name) => `  ${name},\n`).join('');
}

function required(entry, file, source, names) {
  return `'use strict';

// \`npm run build:js\` writes this file: the names are the exports of ${source}.
let all;
try {
  all = require('${pathFrom(file, `bundle/${entry}.cjs`)}');
} catch (error) {
  throw require('${pathFrom(file, 'entry/unbuilt.js')}')(error);
}
${declared('const', names)}

${exported(names)}
`;
}

function imported(file, other, names) {
  const path = pathFrom(file, other);
  return `// \`npm run build:js\` writes this file: what \`require()\` gives, for \`import\`.
import { createRequire as requireOf } from 'node:module';

const isBundled = typeof require === 'function' && require !== globalThis.require;
const all = isBundled ? require('${path}') : requireOf(import.meta.url)('${path}');

${declared('export const', names)}
export default all;
`;
}

/** Writes the files of each entry. */
export function entryFiles() {
  return {
    name: 'entry-files',
    generateBundle(_options, bundle) {
      for (const { isEntry, name, facadeModuleId } of Object.values(bundle)) {
        if (!isEntry || FILES[name] === undefined) continue;
        const all = this.getModuleInfo(facadeModuleId).exports;
        const names = all.filter((exported) => !PRIVATE.includes(exported)).sort();
        const [cjs, esm] = FILES[name];
        update(cjs, required(name, cjs, relative(ROOT, facadeModuleId), names));
        update(esm, imported(esm, cjs, names));
        const internal = INTERNAL[name];
        if (internal === undefined) continue;
        const [ownCjs, ownEsm] = internal.files;
        update(ownCjs, required(name, ownCjs, relative(ROOT, facadeModuleId), internal.names));
        update(ownEsm, imported(ownEsm, ownCjs, internal.names));
      }
    },
  };
}
