// Checks a built addon, or (recognized by its name) a helper program or interceptor: that it loads on all
// systems that the package promises, and imports nothing else; with --without, also that a text is not in it.
// Prints a line for each fact, and exits with 1 if one of them is wrong.
//
//   node scripts/check-binary.mjs [--glibc 2.17] [--napi 8] [--max-bytes N] [--max-helper-bytes N]
//     [--max-interceptor-bytes N] [--without TEXT]... FILE...
//
// The sizes of published files (scripts/binary-limits.mjs) are the default.
// Reads ELF files with `readelf` of binutils, and on any system Mach-O files by scripts/mach-o.mjs and files
// of Windows by scripts/pe.mjs.

import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { symbols } from 'node-api-headers';
import { MAX_ADDON_BYTES, MAX_HELPER_BYTES, MAX_INTERCEPTOR_BYTES } from './binary-limits.mjs';
import { isMachO, parseMachO } from './mach-o.mjs';
import { isPe, parsePe } from './pe.mjs';

// Electron keeps all memory of JavaScript in V8's cage. These two functions pass memory from elsewhere, and
// always fail there. Other functions with "external" or "buffer" in their names are harmless:
// node_api_create_external_string_* and node_api_create_buffer_from_arraybuffer are newer than Node 20, which
// another check refuses, and napi_create_external makes an opaque value.
const REFUSED_BY_ELECTRON = ['napi_create_external_buffer', 'napi_create_external_arraybuffer'];

// An addon that exports this function asks for a Node-API version by its return value, which this check can't
// read. Without the function, Node uses version 8.
const ASKS_FOR_VERSION = 'node_api_module_get_api_version_v1';

// The libraries of every system that runs Node. libgcc_s is one of them, since Node's own builds need it.
const LIBRARIES = {
  glibc: /^(lib(c|m|dl|pthread|rt|gcc_s)\.so\.\d+|ld-linux[\w-]*\.so\.\d+)$/,
  // musl is one library, and its loader resolves `libc.so` to itself.
  musl: /^(libc\.so|libc\.musl-\w+\.so\.1|ld-musl-\w+\.so\.1|libgcc_s\.so\.1)$/,
  macos: /^\/usr\/lib\/lib(System\.B|iconv\.2|charset\.1)\.dylib$/,
  // Not vcruntime140.dll, which is in no Windows by itself.
  windows: new RegExp(
    `^((${[
      ...['advapi32', 'bcrypt', 'bcryptprimitives', 'combase', 'kernel32', 'msvcrt', 'ntdll', 'ole32'],
      ...['shell32', 'user32', 'userenv', 'ws2_32'],
    ].join('|')})|api-ms-win-core-[\\w-]+)\\.dll$`,
  ),
};

// The oldest macOS that loads the files: the first one for arm64.
const MACOS = '11.0';
const INSTALL_NAME = '@rpath/agent-bash.node';

// Weak imports may be missing on a system, so the code must check before each call. The code of these does.
const WEAK_IMPORTS = new Set([
  // The C compiler's start files.
  ...['__cxa_finalize', '__gmon_start__', '_ITM_deregisterTMCloneTable', '_ITM_registerTMCloneTable'],
  // Rust's standard library, which has a fallback for each.
  ...['__cxa_thread_atexit_impl', 'copy_file_range', 'getrandom', 'gettid', 'statx'],
]);

/** Each function of Node-API and the version that introduced it. */
const NODE_API = new Map();
for (const [name, { js_native_api_symbols, node_api_symbols }] of Object.entries(symbols)) {
  const version = Number(name.slice(1));
  for (const symbol of [...js_native_api_symbols, ...node_api_symbols]) {
    NODE_API.set(symbol, Math.min(version, NODE_API.get(symbol) ?? version));
  }
}

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    // The oldest glibc that the addon must load with. Without this option, the needed glibc is only printed.
    glibc: { type: 'string' },
    // Node 20.0 has version 8; 9 came with 20.3.
    napi: { type: 'string', default: '8' },
    // An addon built without `lto` (scripts/cargo-addon.sh) is larger.
    'max-bytes': { type: 'string', default: `${MAX_ADDON_BYTES}` },
    'max-helper-bytes': { type: 'string', default: `${MAX_HELPER_BYTES}` },
    'max-interceptor-bytes': { type: 'string', default: `${MAX_INTERCEPTOR_BYTES}` },
    // Directories of the machine that built the file, which would make each build another one.
    without: { type: 'string', multiple: true, default: [] },
  },
});
const limits = {
  glibc: values.glibc,
  napi: Number(values.napi),
  bytes: Number(values['max-bytes']),
  helperBytes: Number(values['max-helper-bytes']),
  interceptorBytes: Number(values['max-interceptor-bytes']),
};

const { glibc, ...numbers } = limits;
const sensible = /^\d+\.\d+$/.test(glibc ?? '0.0') && Object.values(numbers).every((number) => number > 0);
if (files.length === 0 || !sensible) {
  console.error(
    'usage: check-binary.mjs [--glibc 2.17] [--napi 8] [--max-bytes N] [--max-helper-bytes N] ' +
      '[--max-interceptor-bytes N] [--without TEXT]... FILE...',
  );
  process.exit(2);
}

const version = (text) => text.split('.').map(Number);
const newer = (a, b) => version(a)[0] - version(b)[0] || version(a)[1] - version(b)[1];
const list = (names) => [...names].sort().join(', ');

function readelf(...args) {
  return execFileSync('readelf', ['--wide', ...args], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
    maxBuffer: 1 << 28,
  });
}

/** Reads the tables of an ELF file. */
function parseElf(file) {
  const all = (table, pattern) => [...readelf(table, file).matchAll(pattern)].map((match) => match[1]);
  const libraries = all('--dynamic', /\(NEEDED\).*\[(.+)\]/g);
  const sections = all('--section-headers', /^ *\[ *\d+\] (\S+)/gm);
  // Lines of needed versions have flags after the name, lines of defined versions have none.
  const versions = all('--version-info', /Name: (\S+) +Flags:/g);
  const imports = [];
  for (const line of readelf('--dyn-syms', file).split('\n')) {
    const [, , , , bind, , index, name] = line.trim().split(/\s+/);
    if (index === 'UND' && name) imports.push({ name, weak: bind === 'WEAK', versioned: name.includes('@') });
  }
  return { libraries, sections, versions, imports };
}

function checkSize(bytes, limit, { fact, wrong }) {
  if (bytes.length <= limit) fact(`has ${bytes.length} bytes, at most ${limit} are allowed`);
  else wrong(`has ${bytes.length} bytes, and only ${limit} are allowed`);
}

function checkAbsent(bytes, texts, { fact, wrong }) {
  for (const text of texts) {
    if (bytes.includes(text)) wrong(`has '${text}' in it`);
    else fact(`does not have '${text}' in it`);
  }
}

/** Checks the names in a file of any format. `looksUp` says whether all functions are looked up by name. */
function checkBytes(bytes, looksUp, { fact, skip, wrong }) {
  // A function is imported, or looked up by its name at load time. Both ways, its name is in the file.
  const named = (name) => bytes.includes(name);
  const external = REFUSED_BY_ELECTRON.filter(named);
  if (looksUp) skip('names each function of Node-API: the addon for Linux tells which of them are called');
  else if (external.length === 0) fact('names no function that makes external buffers');
  else {
    wrong(
      `names ${list(external)}, which always fails in Electron; if no code calls it, look for the feature ` +
        'dyn-symbols of the crate napi, which names every function',
    );
  }

  const tooNew = [...NODE_API].filter(([, since]) => since > limits.napi).map(([name]) => name);
  const tooNewNamed = tooNew.filter(named);
  if (tooNewNamed.length === 0) fact(`names no function that is newer than Node-API ${limits.napi}`);
  else wrong(`names ${list(tooNewNamed)}, newer than Node-API ${limits.napi}`);

  if (named(ASKS_FOR_VERSION)) {
    wrong(`asks for a Node-API version of its own (${ASKS_FOR_VERSION}), which can't be read here`);
  } else fact('takes the Node-API version 8 that every addon gets');
}

function checkLibraries(libc, { libraries }, { fact, wrong }) {
  const strange = libraries.filter((name) => !LIBRARIES[libc].test(name));
  if (strange.length > 0) wrong(`needs ${list(strange)}, which a system with Node may not have`);
  else fact(`needs no other libraries than those of ${libc}: ${list(libraries) || 'none at all'}`);
}

function checkGlibc({ versions }, { fact, skip, wrong }) {
  const glibc = versions
    .filter((name) => name.startsWith('GLIBC_'))
    .map((name) => name.slice('GLIBC_'.length));
  // GLIBC_PRIVATE is for glibc's own parts, and GLIBC_ABI_DT_RELR is a feature of 2.36.
  const unnumbered = glibc.filter((name) => !/^\d+\.\d+/.test(name));
  const numbers = glibc.filter((name) => !unnumbered.includes(name)).sort(newer);
  const newest = numbers.at(-1) ?? 'of any version';

  if (limits.glibc === undefined) {
    skip(`needs glibc ${newest}; how old a glibc must do was not said (--glibc)`);
  } else {
    const tooNew = numbers.filter((number) => newer(number, limits.glibc) > 0);
    if (tooNew.length === 0) fact(`needs glibc ${newest}, at most ${limits.glibc} is allowed`);
    else wrong(`needs glibc ${newest}, and only ${limits.glibc} is allowed (${tooNew.join(', ')} are newer)`);
    if (unnumbered.length > 0) wrong(`needs ${list(unnumbered)} of glibc, which only glibc of one age has`);
  }
}

function checkImports(libc, { imports }, { fact, skip, wrong }) {
  const nodeApi = imports.filter(({ name }) => /^(napi|node_api)_/.test(name)).map(({ name }) => name);
  const unknown = nodeApi.filter((name) => !NODE_API.has(name));
  if (unknown.length > 0) wrong(`imports ${list(unknown)}, in no version of Node-API`);
  else {
    const newest = Math.max(0, ...nodeApi.map((name) => NODE_API.get(name)));
    fact(`imports ${nodeApi.length} functions of Node-API, the newest of version ${newest}`);
  }

  const others = imports.filter(({ name }) => !nodeApi.includes(name));
  if (libc === 'musl') {
    skip(
      `imports ${others.length} functions that musl must have: without symbol versions, only loading tells`,
    );
    return;
  }
  // A versioned symbol names its library, which is checked. A symbol without a version could come from any
  // library.
  const bare = others.filter(({ versioned }) => !versioned);
  const strong = bare.filter(({ weak }) => !weak).map(({ name }) => name);
  const weak = bare.filter((symbol) => symbol.weak).map(({ name }) => name);
  const strangers = weak.filter((name) => !WEAK_IMPORTS.has(name));
  if (strong.length > 0) wrong(`imports ${list(strong)}, neither in Node-API nor in glibc`);
  if (strangers.length > 0) wrong(`imports ${list(strangers)} weakly: does its caller do without it?`);
  if (strong.length + strangers.length === 0) {
    const missable = weak.length > 0 ? `; it can do without ${list(weak)}` : '';
    fact(`imports ${others.length - bare.length} functions of glibc and libgcc_s, and no others${missable}`);
  }
}

/** Checks a helper program or interceptor. Addons for any C library start it before the first command. */
function checkProgram(file, { libraries, sections }, { fact, wrong }) {
  if (libraries.length === 0 && !sections.includes('.interp'))
    fact('is linked statically: no library, no loader');
  else wrong(`needs a loader for ${list(libraries) || 'itself'}: it must be linked statically`);

  if (/Type:\s+EXEC/.test(readelf('--file-header', file))) fact('has a fixed address: nothing to relocate');
  else wrong('has no fixed address, and relocates itself at each start (relocation-model=static)');
}

function checkMacOS({ minimum, installName, kind }, isHelper, { fact, wrong }) {
  if (minimum !== null && newer(minimum, MACOS) <= 0) fact(`runs on macOS ${minimum} and newer`);
  else wrong(`needs macOS ${minimum ?? 'of any version'}, not ${MACOS} (MACOSX_DEPLOYMENT_TARGET)`);

  const expected = isHelper ? 'program' : 'library';
  if (kind === expected) fact(`is a ${kind}`);
  else wrong(`is a ${kind}, not a ${expected}`);
  if (isHelper) return;
  if (installName === INSTALL_NAME) fact(`has the install name ${INSTALL_NAME}`);
  else wrong(`has the install name '${installName ?? ''}', not ${INSTALL_NAME}`);
}

/**
 * Checks the imports that no library has, which dyld searches for in Node: those are Node's functions alone.
 */
function checkFlatImports({ imports, libraries }, { fact, wrong }) {
  // Apple's linker numbers them 254, zig's 0.
  const isFlat = ({ library }) => library === 0 || library > libraries.length;
  const flat = imports.filter(isFlat).map(({ name }) => name);
  const strangers = flat.filter((name) => !NODE_API.has(name));
  if (strangers.length > 0) wrong(`imports ${list(strangers)}, neither in Node-API nor in a library`);
  else
    fact(
      `imports ${flat.length} functions of Node-API, and ${imports.length - flat.length} of its libraries`,
    );
}

/** Checks the signature, without which macOS on arm64 kills a process that loads the file. */
function checkSignature({ signature }, { fact, wrong }) {
  if (signature === null) {
    wrong('has no signature');
    return;
  }
  const { identifier, isAdHoc, coversFile, pages, wrongPages } = signature;
  // Cargo's hash differs from build to build; the permissions of a user name the identifier.
  if (/^[\w.-]+$/.test(identifier) && !/-[0-9a-f]{16}$/.test(identifier)) fact(`is signed as ${identifier}`);
  else wrong(`is signed as '${identifier}', another one in each build (codesign --identifier)`);
  if (isAdHoc) fact('has an ad hoc signature');
  else wrong('has a signature that is not ad hoc');
  if (!coversFile) wrong('has a signature for another length of the file');
  else if (wrongPages.length > 0) wrong(`has other content than was signed in pages ${list(wrongPages)}`);
  else fact(`has the content that was signed, in ${pages} pages`);
}

function checkMachO(bytes, isHelper, say) {
  let file;
  try {
    file = parseMachO(bytes);
  } catch (error) {
    say.wrong(`is damaged: ${error.message}`);
    return;
  }
  checkMacOS(file, isHelper, say);
  checkLibraries('macos', file, say);
  checkFlatImports(file, say);
  checkSignature(file, say);
}

/** Checks an addon or a helper program of Windows: what loads it, and what it needs there. */
function checkPe(bytes, file, isHelper, { fact, wrong }) {
  let parsed;
  try {
    parsed = parsePe(bytes);
  } catch (error) {
    wrong(`is damaged: ${error.message}`);
    return;
  }
  const { processor, isLibrary, libraries, lateLibraries, exports, hasSymbols } = parsed;
  const [kind, expected] = [isLibrary, !isHelper].map((is) => (is ? 'library' : 'program'));
  if (kind === expected) fact(`is a ${kind}`);
  else wrong(`is a ${kind}, not a ${expected}`);
  if (basename(file).includes(`-${processor}-`)) fact(`is for ${processor}`);
  else wrong(`is for ${processor}, and its name says something else`);
  // A program other than node.exe may run Node.js, such as Electron's.
  const strange = [...libraries, ...lateLibraries].filter((name) => !LIBRARIES.windows.test(name));
  if (strange.length > 0) wrong(`needs ${list(strange)}, which Windows itself does not have`);
  else fact(`needs no other libraries than those of Windows: ${list(libraries)}`);
  if (!isHelper && exports.includes('napi_register_module_v1'))
    fact('exports the function that Node.js calls');
  else if (!isHelper) wrong('does not export napi_register_module_v1, which Node.js calls');
  if (hasSymbols) wrong('keeps a table of symbols, which only debuggers read');
  else fact('has no symbol table');
}

function checkExecutable(file, { fact, wrong }) {
  if ((statSync(file).mode & 0o111) === 0o111) fact('may be executed');
  else wrong('may not be executed (chmod +x)');
}

function checkStripped({ sections }, { fact, wrong }) {
  const kept = sections.filter((name) => /^\.(symtab$|z?debug|stab|gnu_debug)/.test(name));
  if (kept.length === 0) fact('has no symbol table and nothing for debuggers');
  else wrong(`keeps ${list(kept)}, which only debuggers read`);
}

function check(file) {
  console.log(basename(file));
  let good = true;
  const say = {
    fact: (text) => console.log(`  ok       ${text}`),
    skip: (text) => console.log(`  skipped  ${text}`),
    wrong: (text) => {
      good = false;
      console.log(`  WRONG    ${text}`);
    },
  };

  const bytes = readFileSync(file);
  const magic = bytes.toString('latin1', 0, 4);
  const isInterceptor = basename(file).startsWith('agent-bash-interceptor');
  const isHelper = isInterceptor || basename(file).startsWith('agent-bash-helper');
  const most = isInterceptor ? limits.interceptorBytes : limits.helperBytes;
  checkSize(bytes, isHelper ? most : limits.bytes, say);
  // Test builds of the helper can be told to pretend an older kernel.
  checkAbsent(bytes, isHelper ? [...values.without, 'AGENT_BASH_TEST_'] : values.without, say);
  if (isHelper && !isPe(bytes)) checkExecutable(file, say);
  if (magic === '\x7fELF' && isHelper) {
    const elf = parseElf(file);
    checkProgram(file, elf, say);
    checkStripped(elf, say);
  } else if (magic === '\x7fELF') {
    const elf = parseElf(file);
    const libc = elf.libraries.some((name) => /^(libc\.so$|libc\.musl-|ld-musl-)/.test(name))
      ? 'musl'
      : 'glibc';
    checkBytes(bytes, false, say);
    checkLibraries(libc, elf, say);
    if (libc === 'glibc') checkGlibc(elf, say);
    checkImports(libc, elf, say);
    checkStripped(elf, say);
  } else if (isMachO(bytes)) {
    if (!isHelper) checkBytes(bytes, false, say);
    checkMachO(bytes, isHelper, say);
  } else if (isPe(bytes)) {
    if (!isHelper) checkBytes(bytes, true, say);
    checkPe(bytes, file, isHelper, say);
  } else say.wrong('is no ELF file, no Mach-O file of 64 bits and no file of Windows');
  return good;
}

// Not `every`: each file is checked and printed, also after a wrong one.
if (files.map(check).includes(false)) process.exitCode = 1;
