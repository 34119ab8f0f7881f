// Loads the addon for this platform: from the two usual paths, or otherwise by the loader that napi-rs
// generates.
//
// The generated loader finds the addon anywhere, but compiling that loader takes twice as long as loading the
// addon.
//
// `require`, here and in other files, is that of the bundle, which is CommonJS.

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type * as Native from '../../native.js';
import type { CodedError } from '../support/coded-error.ts';
import { unpacked } from '../support/paths/unpacked.ts';
import type { Binding as BindingHandle, PolicySpec, ViewSpec } from './addon-types.ts';
import {
  addonMissing,
  addonNotLoaded,
  anew,
  notBuilt,
  unavailableOnWindows,
  unsupportedPlatform,
} from './missing-addon.ts';
import { theDouble } from './seam.ts';

/** The addon: what `native.d.ts` declares, with the texts of its enumerations as JavaScript passes them. */
interface Addon extends Omit<typeof Native, 'Binding' | 'readPolicy' | 'viewOf' | 'NativeOverlay'> {
  Binding: new () => BindingHandle;
  /** On macOS, it has no `create`. */
  NativeOverlay: { create?: (typeof Native.NativeOverlay)['create'] };
  readPolicy: (spec: PolicySpec) => ReturnType<typeof Native.readPolicy>;
  viewOf: (source: Native.ViewSource, spec: ViewSpec) => Promise<unknown>;
}

const ARCHITECTURES: Partial<Record<string, string[]>> = {
  linux: ['x64', 'arm64'],
  darwin: ['x64', 'arm64'],
  win32: ['x64', 'arm64'],
};
const MUSL_LOADERS: Partial<Record<string, string>> = {
  x64: '/lib/ld-musl-x86_64.so.1',
  arm64: '/lib/ld-musl-aarch64.so.1',
};

function load(): Addon {
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

function requireUsual(platform: string, arch: string): Addon | undefined {
  const name = `${platform}-${arch}${suffixOf(platform, arch)}`;
  const ownBuild = HERE && join(HERE, `../agent-bash.${name}.node`);
  try {
    return require(ownBuild && existsSync(ownBuild) ? ownBuild : `agent-bash-${name}`);
  } catch {
    return requireUnpacked(name);
  }
}

/** Returns what follows the system and the processor in the name of an addon: what it is linked with. */
function suffixOf(platform: string, arch: string): string {
  if (platform === 'win32') return '-msvc';
  return platform === 'linux' ? `-${cLibrary(arch)}` : '';
}

/** Returns the C library of this Node.js. A system may have both. */
function cLibrary(arch: string): string {
  const loader = MUSL_LOADERS[arch];
  if (loader === undefined || !existsSync(loader)) return 'gnu';
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
function requireUnpacked(name: string): Addon | undefined {
  // All folders of `require` are searched, because the archive may have only the addon unpacked.
  for (const folder of require.resolve.paths?.(`agent-bash-${name}`) ?? []) {
    const outside = unpacked(folder);
    if (outside === folder) continue;
    const addon = join(outside, `agent-bash-${name}`, `agent-bash.${name}.node`);
    if (existsSync(addon)) return require(addon);
  }
  return undefined;
}

function requireGenerated(): Addon {
  try {
    return require('../../native.cjs');
  } catch (error) {
    throw explained(error);
  }
}

/** Returns whether this is a clone of the repository: packages have no sources of the addon. */
function isClone(here: string): boolean {
  return existsSync(join(here, '../Cargo.toml'));
}

/** Returns the error that explains the failure, out of the causes that the generated loader chains. */
function explained(error: unknown): CodedError {
  const tried: Error[] = [];
  for (let { cause } = error as Error; cause instanceof Error; { cause } = cause) tried.push(cause);
  // The chosen error must not show the other errors as its causes.
  for (const cause of tried) delete cause.cause;
  const isMissing = ({ message }: Error) =>
    message.startsWith('Cannot find module') || message.includes('wasm32-wasi');
  const failed = process.env.NAPI_RS_NATIVE_LIBRARY_PATH
    ? tried.at(-1)
    : tried.find((cause) => !isMissing(cause));
  if (failed !== undefined) return addonNotLoaded(failed);
  const missing = tried.find(({ message }) =>
    /^Cannot find module '.*agent-bash-(linux|darwin|win32)-/.test(message),
  );
  if (missing === undefined) return addonNotLoaded(tried.at(-1) ?? (error as Error));
  return HERE !== undefined && isClone(HERE) ? notBuilt(join(HERE, '..'), missing) : addonMissing(missing);
}

/** Returns the addon, or the error of a missing one. */
function attempt(): { addon: Addon; failure: null } | { addon: undefined; failure: CodedError } {
  try {
    return { addon: load(), failure: null };
  } catch (error) {
    return { addon: undefined, failure: error as CodedError };
  }
}

const attempted = attempt();
const { addon } = attempted;
/**
 * The error of a missing addon, or `null`. The import does not throw it, but each function that needs the
 * addon: an application for several systems imports the package on all of them.
 */
export const failure: CodedError | null = attempted.failure;

/**
 * Returns an object whose properties are functions, and classes, that throw the error of a missing addon. A
 * test's double may answer instead.
 */
function absentAddon(): Addon {
  return new Proxy({} as Addon, {
    get: (_, name) =>
      function absent(...given: unknown[]) {
        const error = anew(failure as CodedError, absent, HERE);
        const double = theDouble();
        if (double !== undefined) return double.absent(String(name), given, error);
        throw error;
      },
  });
}

/**
 * Returns the addon of Windows, where what it lacks so far is a function, or class, that throws
 * `ERR_FEATURE_UNAVAILABLE`.
 */
function partOf(addon: Addon): Addon {
  return new Proxy(addon, {
    get(own, name: keyof Addon) {
      return (
        own[name] ??
        function unavailable() {
          throw unavailableOnWindows(`'${name}'`);
        }
      );
    },
  });
}

const all: Addon = addon === undefined ? absentAddon() : process.platform === 'win32' ? partOf(addon) : addon;

/**
 * Returns a function that asks the addon what runs nothing. A test's double may store the answer, or give a
 * stored one.
 */
export function question<Ask extends (...given: never[]) => unknown>(name: string, own: Ask): Ask {
  function asked(...given: unknown[]): unknown {
    const ask = own as unknown as (...given: unknown[]) => unknown;
    const double = theDouble();
    if (double === undefined) return ask(...given);
    return double.ask(name, given, failure === null ? ask : anew(failure, asked, HERE));
  }
  return asked as unknown as Ask;
}

export const canonicalCommand: Addon['canonicalCommand'] = all.canonicalCommand;
export const commandMatches: Addon['commandMatches'] = question('commandMatches', all.commandMatches);
export const coversEscalation: Addon['coversEscalation'] = question('coversEscalation', all.coversEscalation);
export const durableId: Addon['durableId'] = all.durableId;
export const escalated: Addon['escalated'] = question('escalated', all.escalated);
export const exitCodeMeaning: Addon['exitCodeMeaning'] = question('exitCodeMeaning', all.exitCodeMeaning);
export const extendDurable: Addon['extendDurable'] = all.extendDurable;
export const findDurable: Addon['findDurable'] = all.findDurable;
export const Binding: Addon['Binding'] = all.Binding;
export const inheritedEnvironment: Addon['inheritedEnvironment'] = all.inheritedEnvironment;
export const joinWords: Addon['joinWords'] = all.joinWords;
export const linesOf: Addon['linesOf'] = question('linesOf', all.linesOf);
export const linesWith: Addon['linesWith'] = question('linesWith', all.linesWith);
export const minimizeRules: Addon['minimizeRules'] = question('minimizeRules', all.minimizeRules);
export const NativeCodePage: Addon['NativeCodePage'] = all.NativeCodePage;
export const NativeOverlay: Addon['NativeOverlay'] = all.NativeOverlay;
export const NativeRedactor: Addon['NativeRedactor'] = all.NativeRedactor;
export const OutputReplay: Addon['OutputReplay'] = all.OutputReplay;
export const PlainLines: Addon['PlainLines'] = all.PlainLines;
export const policyModes: Addon['policyModes'] = question('policyModes', all.policyModes);
export const probeSandboxes: Addon['probeSandboxes'] = all.probeSandboxes;
export const probeTreeLimits: Addon['probeTreeLimits'] = all.probeTreeLimits;
export const quoteWord: Addon['quoteWord'] = all.quoteWord;
export const readPolicy: Addon['readPolicy'] = question('readPolicy', all.readPolicy);
export const sandboxMistake: Addon['sandboxMistake'] = all.sandboxMistake;
export const sandboxParagraph: Addon['sandboxParagraph'] = question('sandboxParagraph', all.sandboxParagraph);
export const secretValues: Addon['secretValues'] = all.secretValues;
export const sessionShell: Addon['sessionShell'] = all.sessionShell;
export const splitWords: Addon['splitWords'] = question('splitWords', all.splitWords);
export const startLog: Addon['startLog'] = all.startLog;
export const stopDurable: Addon['stopDurable'] = all.stopDurable;
export const sweepDurable: Addon['sweepDurable'] = all.sweepDurable;
export const toolDialect: Addon['toolDialect'] = question('toolDialect', all.toolDialect);
export const toolDialects: Addon['toolDialects'] = all.toolDialects;
export const viewOf: Addon['viewOf'] = question('viewOf', all.viewOf);
export const visible: Addon['visible'] = all.visible;
export const visibleLines: Addon['visibleLines'] = all.visibleLines;

/** Throws the error of a missing addon. */
export function requireAddon(): void {
  if (failure !== null) throw anew(failure, requireAddon, HERE);
}

/** Does the same, unless a test's double may answer. */
export function requireAnswers(): void {
  if (failure !== null && theDouble() === undefined) throw anew(failure, requireAnswers, HERE);
}
