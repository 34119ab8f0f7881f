import { types } from 'node:util';
import { theHost } from './host.mjs';

/** The last `process.env` that was looked at, and whether it is the environment of the process. */
let known;
let isOwn = false;

/**
 * What the addon is to take for Node's environment: nothing where it can read that itself, which is ten times as fast; and
 * where `process.env` is something else, what it holds.
 */
function environmentToSend() {
  const { env } = process;
  if (env !== known) {
    isOwn = isProcessEnvironment(env);
    known = env;
  }
  return isOwn ? undefined : environmentNow();
}

/** A worker's is a copy, and a program or a test runner may have put an object of its own there. */
function isProcessEnvironment(env) {
  return theHost().isMainThread() && !types.isProxy(env) && Object.isExtensible(env) && refusesSymbols(env);
}

/** No ordinary object does, unless it refuses everything. */
function refusesSymbols(env) {
  const probe = Symbol('probe');
  try {
    env[probe] = '';
  } catch {
    return true;
  }
  delete env[probe];
  return false;
}

/** All variables as one string, which crosses to the addon at once. */
function environmentNow() {
  const { env } = process;
  let text = '';
  for (const name of Object.keys(env)) {
    const value = env[name];
    // A worker's copy can hold what no environment can.
    if (value.includes('\0') || name.includes('\0')) throw nullByteIn(name);
    text += `${name}=${value}\0`;
  }
  return text;
}

function nullByteIn(name) {
  const error = new TypeError(`Invalid environment variable '${name}': must not contain null bytes`);
  error.code = 'ERR_INVALID_ARG_VALUE';
  return error;
}

export { environmentNow, environmentToSend };
