// The addon for this platform. The generated loader finds it anywhere, but to compile that costs more than twice the
// loading of the addon itself: so the usual places are tried first, and it has the word where that fails.
//
// `require`, here and in other files, is that of the bundle, which is CommonJS.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addonMissing, addonNotLoaded, unsupportedPlatform } from './native-errors.mjs';

const ARCHITECTURES = { linux: ['x64', 'arm64'], darwin: ['x64', 'arm64'] };
const MUSL_LOADERS = { x64: '/lib/ld-musl-x86_64.so.1', arm64: '/lib/ld-musl-aarch64.so.1' };

function load() {
  const { arch, env, platform } = process;
  // napi-rs's own variable names an addon that somebody has built for themselves.
  if (!env.NAPI_RS_NATIVE_LIBRARY_PATH) {
    if (!ARCHITECTURES[platform]?.includes(arch)) throw unsupportedPlatform(platform, arch);
    const addon = requireUsual(platform, arch);
    if (addon !== undefined) return addon;
  }
  return requireGenerated();
}

/** Unknown in a bundle of ES modules. There, `agent-bash-<platform>` is still found by its name. */
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

/** Both may be there, and Node uses one of them. */
function cLibrary(arch) {
  if (!existsSync(MUSL_LOADERS[arch])) return 'gnu';
  try {
    return readFileSync('/proc/self/maps', 'latin1').includes('/ld-musl-') ? 'musl' : 'gnu';
  } catch {
    // Without /proc, the generated loader guesses.
    return 'unknown';
  }
}

/** Electron keeps addons beside the archive that has the rest. Its own `require` knows, that of a plain Node does not. */
function requireUnpacked(name) {
  // The folders in which `require` looks. It may be that nothing but the addon itself was unpacked.
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

/** The generated loader tells all that it has tried, each the cause of the next. One of them is what matters. */
function explained(error) {
  const tried = [];
  for (let { cause } = error; cause; cause = cause.cause) tried.push(cause);
  // The one that is shown must not bring the others with it.
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
  return missing === undefined ? error : addonMissing(missing);
}

export const { Host } = load();
