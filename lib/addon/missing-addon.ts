// The errors of a missing addon: each has one sentence with the cause, and one with the remedy.

import type { CodedError } from '../support/coded-error.ts';
import { codedError } from '../support/coded-error.ts';
import { theDouble } from './seam.ts';

function unsupportedPlatform(platform: string, arch: string): CodedError {
  return codedError(
    'UNSUPPORTED_PLATFORM',
    `agent-bash has no build for ${platform} ${arch}: it runs on Linux, macOS and Windows, x64 and arm64.`,
  );
}

/** Returns the error for an addon whose package is not installed. */
function addonMissing(cause: Error): CodedError {
  const name = /agent-bash-(linux|darwin|win32)-[\w-]+/.exec(cause.message)?.[0];
  return codedError(
    'ADDON_MISSING',
    `agent-bash can't find its addon: the package ${name} is not installed. ` +
      'npm installs it as an optional dependency, so install without --omit=optional, ' +
      'and on the platform where it will run. ' +
      'If that was so, npm has lost it (https://github.com/npm/cli/issues/4828): ' +
      'remove node_modules and package-lock.json, and run npm install again.',
    cause,
  );
}

/** Returns the error for an addon that is installed, but that the system can't load. */
function addonNotLoaded(cause: Error): CodedError {
  const [reason] = cause.message.split('\n');
  const needs = reason.includes('GLIBC_') ? ' (it needs glibc 2.17 or newer)' : '';
  return codedError('ADDON_NOT_LOADED', `agent-bash can't load its addon: ${reason}${needs}`, cause);
}

/**
 * Returns the error for what is not there on Windows. `feature` is the subject of a sentence, and `instead`
 * what to use there beside WSL.
 */
function unavailableOnWindows(feature: string, instead?: string): CodedError {
  const use = `${instead === undefined ? '' : `${instead}, or `}WSL`;
  const message = `${feature} is not available on Windows; use ${use}: https://learn.microsoft.com/windows/wsl`;
  return codedError('ERR_FEATURE_UNAVAILABLE', message);
}

/**
 * Throws the error of what is not there on Windows. A test's double may replay what another system recorded.
 */
function refuseOnWindows(feature: string, instead?: string): void {
  if (process.platform === 'win32' && theDouble() === undefined) {
    throw unavailableOnWindows(feature, instead);
  }
}

/** Returns the error for a clone of the repository, in `directory`, whose addon was not built. */
function notBuilt(directory: string, cause: Error): CodedError {
  return codedError(
    'ADDON_MISSING',
    `agent-bash can't find its addon: ${directory} is a clone that was not built. ` +
      'Run `npm ci && npm run build` there.',
    cause,
  );
}

/**
 * Returns an error once more, for another call: its stack begins with the caller of `thrower`, and leaves out
 * the files in the folder `own`. The cause has its message alone: the loader's stack has 30 lines.
 */
function anew(
  { message, code, cause }: CodedError,
  thrower: (...given: never[]) => unknown,
  own: string | undefined,
): CodedError {
  const error = codedError(code, message, cause instanceof Error ? withoutStack(cause) : undefined);
  Error.captureStackTrace(error, thrower);
  const isForeign = (line: string) => own === undefined || !line.includes(own);
  error.stack = String(error.stack).split('\n').filter(isForeign).join('\n');
  return error;
}

function withoutStack({ message, code }: Error & { code?: unknown }): Error {
  const [line] = message.split('\n');
  const error = new Error(line);
  error.stack = `Error: ${line}`;
  return code === undefined ? error : Object.assign(error, { code });
}

export {
  addonMissing,
  addonNotLoaded,
  anew,
  notBuilt,
  refuseOnWindows,
  unavailableOnWindows,
  unsupportedPlatform,
};
