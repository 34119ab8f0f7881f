import { inheritedEnvironment } from '../../addon/native.mjs';
import { invalid, object } from '../checks.mjs';
import { environmentNow } from './process-environment.mjs';

const USUAL = ['all', 'safe', 'none'];

/**
 * Checks `options.environment`, and returns the variables of `process.env` that a command inherits, as one
 * string. By default all, and in a sandbox all but those that look like secrets.
 */
function inherited(environment, isSandboxed) {
  if (environment === undefined && !isSandboxed) return environmentNow();
  const options = object('options.environment', environment ?? {}, ['inherit', 'exclude', 'include']);
  const { inherit = 'all', exclude, include } = isSandboxed ? inSandbox(options) : options;
  if (!USUAL.includes(inherit) && !Array.isArray(inherit)) {
    throw invalid('options.environment.inherit', "'all', 'safe', 'none' or a list of names", inherit);
  }
  const names = Array.isArray(inherit) ? list('inherit', inherit) : undefined;
  return filtered(
    environmentNow(),
    names === undefined ? inherit : '',
    names,
    list('exclude', exclude),
    list('include', include),
  );
}

/** Returns the option `environment` as it counts in a sandbox. */
function inSandbox(environment) {
  return { ...environment, inherit: environment?.inherit ?? 'safe' };
}

function list(name, value) {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || !value.every((text) => typeof text === 'string')) {
    throw invalid(`options.environment.${name}`, 'a list of names, in which * stands for any part', value);
  }
  return value;
}

/**
 * The last environment that was filtered, how, and the result: a cache, since most agents have one for all
 * commands.
 */
let last = { base: undefined, key: undefined, text: undefined };

function filtered(base, ...how) {
  const key = JSON.stringify(how);
  if (base !== last.base || key !== last.key) {
    last = { base, key, text: inheritedEnvironment(base, ...how) };
  }
  return last.text;
}

export { inherited, inSandbox };
