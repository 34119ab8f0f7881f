// Checks that unsafe Rust is in src/process and src/helper alone, where one reviewer can read all of it.
// Rust's own `unsafe_code` lint can't guarantee that: any file may disable it with an `allow`.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = ['build.rs', 'src', 'tests', 'bench/micro', 'examples', 'fuzz/fuzz_targets'];
const ALLOWED = [join('src', 'process') + sep, join('src', 'helper') + sep];

// Text that may contain the word without being code. The first pattern that matches at an offset wins.
const TEXT = new RegExp(
  [
    /\/\/.*/, // line comment
    /\/\*[\s\S]*?\*\//, // block comment; a nested one ends early and may give a false alarm
    /\b(?:b|c)?r(#*)"[\s\S]*?"\1/, // raw string
    /"(?:\\[\s\S]|[^"\\])*"/, // string
    /'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\\n])'/, // character, but not a lifetime
  ]
    .map((part) => part.source)
    .join('|'),
  'g',
);

/** Returns the source with comments and strings blanked out, on the same lines. */
function codeOnly(source) {
  const blank = (text) => text.replace(/[^\n]/g, ' ');
  return source.replace(TEXT, blank);
}

function rustFiles(path) {
  if (!existsSync(join(ROOT, path))) return [];
  if (path.endsWith('.rs')) return [path];
  return readdirSync(join(ROOT, path), { recursive: true })
    .filter((name) => name.endsWith('.rs'))
    .map((name) => join(path, name))
    .sort();
}

const files = SOURCES.flatMap(rustFiles).filter((path) => !ALLOWED.some((folder) => path.startsWith(folder)));
const found = files.flatMap((path) =>
  codeOnly(readFileSync(join(ROOT, path), 'utf8'))
    .split('\n')
    .flatMap((line, index) => (/\bunsafe\b/.test(line) ? [`${path}:${index + 1}`] : [])),
);

if (found.length > 0) {
  console.error(`unsafe code outside of ${ALLOWED.join(' and ')}:\n  ${found.join('\n  ')}`);
  process.exitCode = 1;
} else {
  console.log(`no unsafe code in ${files.length} files outside of ${ALLOWED.join(' and ')}`);
}
