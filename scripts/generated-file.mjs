// Functions that the scripts share which write files of the package.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Returns the path of a file of the package, as another one imports it. */
export function pathFrom(file, path) {
  const way = relative(dirname(file), path);
  return way.startsWith('.') ? way : `./${way}`;
}

/** Writes a file, unless it has this text already. */
export function update(file, text) {
  const path = join(ROOT, file);
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
