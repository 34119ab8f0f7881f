import { types } from 'node:util';

/** The last `process.env` that was read, and whether it is one of Node's own. */
let known;
let isNodesOwn = false;

/** The variables of the last call, and their text. */
let lastNames = [];
let lastValues = [];
let lastText = '';

/**
 * All variables of `process.env` as one string, which crosses to the addon at once.
 *
 * Only JavaScript reads the environment. The addon itself must not: another thread may change it meanwhile (a worker with
 * `env: SHARE_ENV`, another addon), and only Node's own readers and writers share a lock. Each call reads each variable, as
 * any of them may have changed. The text of the last call is used again if none has: to build it takes a third of the time.
 */
function environmentNow() {
  const { env } = process;
  if (env !== known) {
    isNodesOwn = isMadeByNode(env);
    known = env;
  }
  // Of an object of Node's, `Object.keys` asks about each name, which takes as long as reading its value.
  const names = isNodesOwn ? Object.getOwnPropertyNames(env) : Object.keys(env);
  const values = new Array(names.length);
  let isSame = isNodesOwn && names.length === lastNames.length;
  for (let place = 0; place < names.length; place++) {
    const name = names[place];
    const value = env[name];
    values[place] = value;
    isSame = isSame && value === lastValues[place] && name === lastNames[place];
  }
  if (!isSame) {
    lastText = textOf(names, values);
    lastNames = names;
    lastValues = values;
  }
  return lastText;
}

function textOf(names, values) {
  let text = '';
  for (const [place, name] of names.entries()) {
    const value = values[place];
    // Node lists a variable whose name is no text, and then has no value for it.
    if (value === undefined) continue;
    const variable = `${name}=${value}`;
    // A worker's copy can hold what no environment can.
    if (variable.includes('\0')) throw nullByteIn(name);
    text += `${variable}\0`;
  }
  return text;
}

/** Whether this is an environment of Node's: a program or a test runner may have put an object of its own there. */
function isMadeByNode(env) {
  return !types.isProxy(env) && Object.isExtensible(env) && refusesSymbols(env);
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

function nullByteIn(name) {
  const error = new TypeError(`Invalid environment variable '${name}': must not contain null bytes`);
  error.code = 'ERR_INVALID_ARG_VALUE';
  return error;
}

export { environmentNow };
