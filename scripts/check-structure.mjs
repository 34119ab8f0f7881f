// Checks that the layers of src/ import downwards only. Their order is the picture in src/lib.rs.

import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('../src', import.meta.url));

/** The layers of the picture, from the top down. */
const map =
  /^\/\/! ```text\n([\s\S]*?)^\/\/! ```/m.exec(readFileSync(join(SOURCE, 'lib.rs'), 'utf8'))?.[1] ?? '';
const layers = [...map.matchAll(/^\/\/! (\w+)\/ /gm)].map(([, name]) => name);
const folders = readdirSync(SOURCE, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const unnamed = folders.map(({ name }) => name).filter((name) => !layers.includes(name));

/** Returns a source without comments and without what follows the first line of unit tests. */
function productionCode(path) {
  const [code] = readFileSync(join(SOURCE, path), 'utf8').split(/^#\[cfg\(test\)\]$/m);
  return code.replace(/\/\/.*/g, '');
}

/** Returns the layers whose names follow `crate::`, alone or in braces. */
function imports(code) {
  return [...code.matchAll(/\bcrate::(?:(\w+)|\{([^;]*?)\};)/g)].flatMap(([, one, several = '']) =>
    one ? [one] : (several.replace(/\{[^{}]*\}/g, '').match(/(?<=^|,)\s*\w+/g) ?? []),
  );
}

const files = readdirSync(SOURCE, { recursive: true }).filter(
  (path) => path.endsWith('.rs') && path.includes(sep) && !/\btests?(\.rs|[\\/])/.test(path),
);
const upward = files.flatMap((path) => {
  const layer = layers.indexOf(path.split(sep)[0]);
  return imports(productionCode(path))
    .map((name) => name.trim())
    .filter((name) => layers.includes(name) && layers.indexOf(name) < layer)
    .map((name) => `src/${path} imports crate::${name}, a layer above its own`);
});

const found = [
  ...unnamed.map((name) => `src/${name}/ is missing in the picture of src/lib.rs`),
  ...new Set(upward),
];
if (found.length > 0) {
  console.error(found.join('\n'));
  process.exitCode = 1;
} else {
  console.log(`${files.length} files of ${layers.length} layers import downwards only`);
}
