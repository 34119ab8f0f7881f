// Loads the addon for this platform: from the two usual paths, or otherwise by the loader that napi-rs
// generates.
//
// The generated loader finds the addon anywhere, but compiling that loader takes twice as long as loading the
// addon.
//
// `require`, here and in other files, is that of the bundle, which is CommonJS.

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { addonMissing, addonNotLoaded, anew, notBuilt, unsupportedPlatform } from './native-errors.mjs';

const ARCHITECTURES = { linux: ['x64', 'arm64'], darwin: ['x64', 'arm64'] };
const MUSL_LOADERS = { x64: '/lib/ld-musl-x86_64.so.1', arm64: '/lib/ld-musl-aarch64.so.1' };

function load() {
  const { arch, env, platform } = process;
  // This variable of napi-rs names an addon that the user built.
  if (!env.NAPI_RS_NATIVE_LIBRARY_PATH) {
    if (!ARCHITECTURES[platform]?.includes(arch)) throw unsupportedPlatform(platform, arch);
    const addon = requireUsual(platform, arch);
    if (addon !== undefined) return addon;
  }
  return requireGenerated();
}

/**
 * The folder of this file; `undefined` in a bundle of ES modules, where `agent-bash-<platform>` is still
 * found by name.
 */
const HERE = typeof __dirname === 'string' ? __dirname : undefined;

function requireUsual(platform, arch) {
  const name = platform === 'linux' ? `linux-${arch}-${cLibrary(arch)}` : `darwin-${arch}`;
  const ownBuild = HERE && join(HERE, `../agent-bash.${name}.node`);
  try {
    return require(ownBuild && existsSync(ownBuild) ? ownBuild : `agent-bash-${name}`);
  } catch {
    return requireUnpacked(name);
  }
}

/** Returns the C library of this Node.js. A system may have both. */
function cLibrary(arch) {
  const loader = MUSL_LOADERS[arch];
  if (!existsSync(loader)) return 'gnu';
  try {
    // The loader is often a link to `libc.so`, and the kernel tells the file.
    return readFileSync('/proc/self/maps', 'latin1').includes(realpathSync(loader)) ? 'musl' : 'gnu';
  } catch {
    // Without /proc, leave the guess to the generated loader.
    return 'unknown';
  }
}

/**
 * Loads the addon from Electron's `app.asar.unpacked`, which only Electron's own `require` finds by itself.
 */
function requireUnpacked(name) {
  // All folders of `require` are searched, because the archive may have only the addon unpacked.
  for (const folder of require.resolve.paths?.(`agent-bash-${name}`) ?? []) {
    if (!ARCHIVE.test(folder)) continue;
    const unpacked = folder.replace(ARCHIVE, '$&.unpacked');
    const addon = join(unpacked, `agent-bash-${name}`, `agent-bash.${name}.node`);
    if (existsSync(addon)) return require(addon);
  }
  return undefined;
}

const ARCHIVE = /app\.asar(?=[\\/])/;

function requireGenerated() {
  try {
    return require('../../native.cjs');
  } catch (error) {
    throw explained(error);
  }
}

/** Returns whether this is a clone of the repository: packages have no sources of the addon. */
function isClone() {
  return HERE !== undefined && existsSync(join(HERE, '../Cargo.toml'));
}

/** Returns the error that explains the failure, out of the causes that the generated loader chains. */
function explained(error) {
  const tried = [];
  for (let { cause } = error; cause; cause = cause.cause) tried.push(cause);
  // The chosen error must not show the other errors as its causes.
  for (const cause of tried) delete cause.cause;
  const isMissing = ({ message }) =>
    message.startsWith('Cannot find module') || message.includes('wasm32-wasi');
  const failed = process.env.NAPI_RS_NATIVE_LIBRARY_PATH
    ? tried.at(-1)
    : tried.find((cause) => !isMissing(cause));
  if (failed !== undefined) return addonNotLoaded(failed);
  const missing = tried.find(({ message }) =>
    /^Cannot find module '.*agent-bash-(linux|darwin)-/.test(message),
  );
  if (missing === undefined) return addonNotLoaded(tried.at(-1) ?? error);
  return isClone() ? notBuilt(join(HERE, '..'), missing) : addonMissing(missing);
}

let addon;
/**
 * The error of a missing addon, or `null`. The import does not throw it, but each function that needs the addon:
 * an application for several systems imports the package on all of them.
 */
export let failure = null;
try {
  addon = load();
} catch (error) {
  failure = error;
}

/** Returns an object whose properties are functions, and classes, that throw the error of a missing addon. */
function absentAddon() {
  return new Proxy(
    {},
    {
      get: () =>
        function absent() {
          throw anew(failure, absent, HERE);
        },
    },
  );
}

export const {
  coversEscalation,
  escalated,
  Host,
  inheritedEnvironment,
  joinWords,
  linesOf,
  linesWith,
  NativeOverlay,
  NativePolicy,
  PlainLines,
  policyModes,
  probeSandboxes,
  quoteWord,
  readPolicy,
  sandboxMistake,
  sandboxParagraph,
  sessionShell,
  splitWords,
  startLog,
  ToolDialect,
  toolDialects,
  viewOf,
  visible,
  visibleLines,
} = addon ?? absentAddon();

/** Throws the error of a missing addon. */
export function requireAddon() {
  if (failure !== null) throw anew(failure, requireAddon, HERE);
}
