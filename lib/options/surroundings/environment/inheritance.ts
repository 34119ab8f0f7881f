import { inheritedEnvironment } from '../../../addon/native.ts';
import { invalid, object } from '../../checks.ts';
import { environmentNow } from './process-environment.ts';

/** The checked choice of variables that a command inherits of `process.env`. */
export interface Inheritance {
  inherit?: string | readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
  include?: readonly string[] | undefined;
}

const USUAL = ['all', 'safe', 'none'];

/** Checks `options.environment`. */
function inheritance(name: string, environment: unknown): Inheritance {
  const { inherit, exclude, include } = object(name, environment, ['inherit', 'exclude', 'include']);
  const isUsual = inherit === undefined || (typeof inherit === 'string' && USUAL.includes(inherit));
  if (!isUsual && !Array.isArray(inherit)) {
    throw invalid(`${name}.inherit`, "'all', 'safe', 'none' or a list of names", inherit);
  }
  return {
    inherit: isUsual ? (inherit as string | undefined) : list(`${name}.inherit`, inherit),
    exclude: list(`${name}.exclude`, exclude),
    include: list(`${name}.include`, include),
  };
}

/**
 * Returns the variables of `process.env` that a command inherits, as one string. By default all, and in a
 * sandbox all but those that look like secrets.
 */
function inherited(environment: Inheritance | undefined, isSandboxed: boolean): string {
  const { inherit = 'all', exclude, include } = isSandboxed ? inSandbox(environment) : (environment ?? {});
  const [usual, names] = typeof inherit === 'string' ? [inherit, undefined] : ['', inherit];
  return filtered(environmentNow(), usual, names, exclude, include);
}

/** Returns the option `environment` as it counts in a sandbox. */
function inSandbox(environment: Inheritance | undefined): Inheritance {
  return { ...environment, inherit: environment?.inherit ?? 'safe' };
}

function list(name: string, value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || !value.every((text) => typeof text === 'string')) {
    throw invalid(name, 'a list of names, in which * stands for any part', value);
  }
  return value;
}

/**
 * The last environment that was filtered, how, and the result: a cache, since most agents have one for all
 * commands.
 */
let last = { base: '', key: '', text: '' };

function filtered(base: string, inherit: string, ...lists: (readonly string[] | undefined)[]): string {
  const key = JSON.stringify([inherit, ...lists]);
  if (base !== last.base || key !== last.key) {
    last = {
      base,
      key,
      text: inheritedEnvironment(base, inherit, ...lists.map((names) => names && [...names])),
    };
  }
  return last.text;
}

export { inheritance, inherited, inSandbox };
