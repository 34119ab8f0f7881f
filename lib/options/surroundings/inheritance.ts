import { inheritedEnvironment } from '../../addon/native.ts';
import type { Given } from '../checks.ts';
import { invalid, object } from '../checks.ts';
import { environmentNow } from './process-environment.ts';

type Inheritance = Given<'inherit' | 'exclude' | 'include'>;

const USUAL = ['all', 'safe', 'none'];

/**
 * Checks `options.environment`, and returns the variables of `process.env` that a command inherits, as one
 * string. By default all, and in a sandbox all but those that look like secrets.
 */
function inherited(environment: unknown, isSandboxed: boolean): string {
  if (environment === undefined && !isSandboxed) return environmentNow();
  const options = object('options.environment', environment ?? {}, ['inherit', 'exclude', 'include']);
  const { inherit = 'all', exclude, include } = isSandboxed ? inSandbox(options) : options;
  const isUsual = typeof inherit === 'string' && USUAL.includes(inherit);
  if (!isUsual && !Array.isArray(inherit)) {
    throw invalid('options.environment.inherit', "'all', 'safe', 'none' or a list of names", inherit);
  }
  return filtered(
    environmentNow(),
    isUsual ? inherit : '',
    isUsual ? undefined : list('inherit', inherit),
    list('exclude', exclude),
    list('include', include),
  );
}

/** Returns the option `environment` as it counts in a sandbox. */
function inSandbox(environment: Inheritance | undefined): Inheritance {
  return { ...environment, inherit: environment?.inherit ?? 'safe' };
}

function list(name: string, value: unknown): string[] | undefined {
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
let last = { base: '', key: '', text: '' };

function filtered(base: string, inherit: string, ...lists: (string[] | undefined)[]): string {
  const key = JSON.stringify([inherit, ...lists]);
  if (base !== last.base || key !== last.key) {
    const [names, exclude, include] = lists;
    last = { base, key, text: inheritedEnvironment(base, inherit, names, exclude, include) };
  }
  return last.text;
}

export { inherited, inSandbox };
