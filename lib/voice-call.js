'use strict';

const { isAbsolute, resolve } = require('node:path');

/** The arguments of the voice tool, as the addon takes them. */
function voiceCall(args, workspaceRoot, safeMode, timeout) {
  return {
    command: textOrNothing(args?.command),
    cmd: textOrNothing(args?.cmd),
    workspaceRoot: typeof workspaceRoot === 'string' ? absolute(workspaceRoot) : undefined,
    safeMode: Boolean(safeMode),
    environment: environmentNow(),
    timeout,
  };
}

function textOrNothing(value) {
  return typeof value === 'string' ? value : undefined;
}

/** The path is opened on another thread, and the working directory may be another one by then. */
function absolute(path) {
  if (isAbsolute(path)) return path;
  try {
    return resolve(path);
  } catch {
    // The working directory itself is gone. The command will say so.
    return path;
  }
}

/**
 * All variables as one string, which crosses to the addon at once. The addon does not read the environment itself:
 * another thread may be changing it, and a worker's `process.env` is a copy.
 */
function environmentNow() {
  const { env } = process;
  let text = '';
  for (const name of Object.keys(env)) {
    const value = env[name];
    // A worker's copy can hold what no environment can. (To ask whether this is one would load all of Node's streams.)
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

/** The words of whatever was thrown, which may itself throw when it is looked at. */
function messageOf(error) {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'the arguments cannot be read';
  }
}

module.exports = { environmentNow, messageOf, voiceCall };
