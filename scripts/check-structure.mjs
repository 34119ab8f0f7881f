// Checks what CONTRIBUTING.md and ARCHITECTURE.md say of all files: the layers of src/ import downwards only
// (their order is the picture in src/lib.rs), those that it calls pure use nothing of the system, files and
// folders are small, each folder of src/ says what it is, the binding waits for nothing and catches
// panics, a platform's file is imported by its own folder alone, and what depends on the system is in such
// files: elsewhere, a module only chooses among its files.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = join(ROOT, 'src');
/** The folders whose files and folders are small. */
const SMALL = ['src', 'tests', 'lib'];
/** The most lines of a file, without its unit tests, and the most files of a folder. */
const MOST = { lines: 400, files: 12 };
/**
 * Calls that would keep the JavaScript thread waiting in src/node/: futures, channels, threads, processes,
 * sleep.
 */
const WAITS = /\b(block_on|blocking_\w+|sleep|recv_timeout)\(|\.(recv|join|wait)\(\)/;
/** Modules that a pure layer does without: files, processes, threads, the network, the environment. */
const SYSTEM = new RegExp(
  [
    /\bstd::(?:\{[^}]*\b)?(?:fs|net|process|env(?!::consts\b)|thread)\b/,
    /\b(?:rustix|libc|tokio)::/,
    /\.(?:exists|is_dir|is_file|metadata|canonicalize|read_link|read_dir)\(\)/, // of `Path`
  ]
    .map((part) => part.source)
    .join('|'),
);

/** The layers of the picture, from the top down. */
const map =
  /^\/\/! ```text\n([\s\S]*?)^\/\/! ```/m.exec(readFileSync(join(SOURCE, 'lib.rs'), 'utf8'))?.[1] ?? '';
const entries = [...map.matchAll(/^\/\/! (\w+)\/ (.*(?:\n\/\/! {3}.*)*)/gm)];
const layers = entries.map(([, name]) => name);
const pure = entries.filter(([, , text]) => /\bpure$/.test(text)).map(([, name]) => name);
const folders = readdirSync(SOURCE, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const unnamed = folders.map(({ name }) => name).filter((name) => !layers.includes(name));

/** Returns the text of a file without the module of its unit tests, which stands last. */
function withoutTests(path) {
  return readFileSync(path, 'utf8').split(/^#\[cfg\(test\)\]\n(?:#\[.*\n)*mod \w+ \{/m)[0];
}

/** Returns a source of src/ without comments and without its unit tests. */
const productionCode = (path) => withoutTests(join(SOURCE, path)).replace(/\/\/.*/g, '');

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

const isCode = (path) => /\.(rs|ts|mjs)$/.test(path);
const below = (top) =>
  readdirSync(join(ROOT, top), { recursive: true })
    .filter(isCode)
    .map((path) => join(top, path));
const code = SMALL.flatMap(below);

const long = code.flatMap((path) => {
  const lines = withoutTests(join(ROOT, path)).split('\n').length - 1;
  const most = MOST.lines;
  return lines > most ? [`${path} has ${lines} lines without its tests, more than ${most}`] : [];
});

const sizes = new Map();
for (const path of code) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1);
const full = [...sizes]
  .map(([folder, size]) => [folder, size, MOST.files])
  .filter(([, size, most]) => size > most)
  .map(([folder, size, most]) => `${folder}/ has ${size} files, more than ${most}`);

/** The file that says what a folder is: its mod.rs, or the file of its name beside it. */
const describing = [...sizes.keys()]
  .filter((folder) => folder.startsWith(`src${sep}`) && folder !== join('src', 'bin'))
  .map((folder) => (code.includes(join(folder, 'mod.rs')) ? join(folder, 'mod.rs') : `${folder}.rs`));
const silent = describing
  .filter((path) => !readFileSync(join(ROOT, path), 'utf8').startsWith('//! '))
  .map((path) => `${path} does not begin with what its folder is (//!)`);

/** A file of one platform, by a path from the crate's root. */
const PLATFORM = /\bcrate((?:::\w+)*)::(?:linux|macos|darwin|emulated)\b/g;
const foreign = files.flatMap((path) =>
  [...productionCode(path).matchAll(PLATFORM)]
    .filter(([, folder]) => !`${path}/`.startsWith(`${folder.slice(2).replaceAll('::', sep)}${sep}`))
    .map(([file]) => `src/${path} imports ${file}, a platform's file of another folder`),
);

/** A file or a folder of one platform, which may depend on its system anywhere. */
const OF_PLATFORM = /(?:^|\/)(?:unix|windows|linux|macos|darwin|emulated|no_\w+)(?:\.rs$|\/)/;
/** An attribute or a macro that depends on the system, with all attributes before its item. */
const CONDITION =
  /^[ \t]*#!?\[cfg(?:_attr)?\([^\]]*\b(?:unix|windows|darwin|target_os|emulate-darwin)\b[^\]]*\]\n(?:\s*#\[.*\n)*|\bcfg!\([^;{]*\b(?:unix|windows|darwin|target_os)\b/gm;
/** A module or an import, in front of which such an attribute stands where a module chooses its files. */
const CHOICE = /^(?:pub(?:\([a-z: ]+\))? )?(?:mod \w+;|use )/;
/** The files that depend on the system elsewhere, each with its reason. */
const MIXED = {
  'process/helper_program/mod.rs': 'has the table of all packages, by system, processor and C library',
};
const isRoot = (path) => /(?:^|\/)mod\.rs$/.test(path) || sizes.has(join('src', path.slice(0, -3)));
const mixed = files
  .map((path) => path.replaceAll(sep, '/'))
  .filter((path) => !OF_PLATFORM.test(path) && !(path in MIXED))
  .flatMap((path) => {
    const text = productionCode(path);
    return [...text.matchAll(CONDITION)]
      .filter(({ 0: found, index }) => !isRoot(path) || !CHOICE.test(text.slice(index + found.length)))
      .map(
        ([found]) =>
          `src/${path} depends on the system outside of a platform's file: ${found.trim().split('\n')[0]}`,
      );
  });

const waiting = files
  .filter((path) => path.startsWith(`node${sep}`))
  .flatMap((path) => {
    const wait = WAITS.exec(productionCode(path));
    return wait ? [`src/${path} waits on the JavaScript thread: ${wait[0]}`] : [];
  });

const FUNCTION = /#\[napi(\(.*\))?\](?:\s*#\[.*\])*\s*(?:pub(?:\([a-z ]+\))? )?(?:const |async )*fn (\w+)/g;
const uncaught = files
  .filter((path) => path.startsWith(`node${sep}`))
  .flatMap((path) =>
    [...productionCode(path).matchAll(FUNCTION)]
      .filter(([, options = '']) => !options.includes('catch_unwind'))
      .map(([, , name]) => `src/${path}: a panic in ${name}() would end Node.js (catch_unwind)`),
  );

const impure = files
  .filter((path) => pure.includes(path.split(sep)[0]))
  .flatMap((path) => {
    const use = SYSTEM.exec(productionCode(path));
    return use ? [`src/${path} uses ${use[0]}, and its layer is pure`] : [];
  });

/** The files that may signal by pid, each with its reason. */
const SIGNALLERS = ['process/unreaped.rs', 'process/identity/unix.rs'];
const careless = files
  .filter((path) => !SIGNALLERS.includes(path.replaceAll(sep, '/')))
  .filter((path) =>
    /(?<!test_)\b(kill_process|kill_process_group|kill_current_process_group)\b|libc::kill(pg)?\b/.test(
      productionCode(path),
    ),
  )
  .map((path) => `src/${path} signals by pid: see src/process/unreaped.rs`);

const found = [
  ...unnamed.map((name) => `src/${name}/ is missing in the picture of src/lib.rs`),
  ...new Set(upward),
  ...long,
  ...full,
  ...silent,
  ...waiting,
  ...uncaught,
  ...impure,
  ...careless,
  ...foreign,
  ...mixed,
];
if (found.length > 0) {
  console.error(found.join('\n'));
  process.exitCode = 1;
} else {
  console.log(
    `${files.length} files of ${layers.length} layers import downwards only; all ${code.length} are small`,
  );
}
