import { failure } from '../../addon/native.ts';
import { boolean, callback, invalid, isRecord, object, oneOf } from '../../options/checks.ts';
import type { Mode, ShellOptions } from '../api.ts';
import type { ScopeMode } from '../scope.ts';

const MODES = ['auto', 'record', 'replay', 'fakes', 'live'] as const;

/**
 * The value of the variable, for a run of whole files, that records and removes the sections without a test.
 */
const RENEW = 'renew';

const KNOWN = [
  'mode',
  'file',
  'project',
  'files',
  'order',
  'unused',
  'holes',
  'redact',
  'time',
  'sandbox',
] as const;

export function checkShell(given: unknown = {}): ShellOptions {
  const options = object('options', given, KNOWN);
  oneOf('options.mode', options.mode, MODES);
  oneOf('options.order', options.order, ['each', 'strict']);
  oneOf('options.unused', options.unused, ['fail', 'allow']);
  oneOf('options.time', options.time, ['virtual', 'timers']);
  callback('options.redact', options.redact);
  if (boolean('options.files', options.files) && options.project === undefined) {
    throw invalid('options.project', 'a directory next to files, which is copied for each test', undefined);
  }
  for (const name of ['file', 'project'] as const) {
    const value = options[name];
    if (value !== undefined && typeof value !== 'string') throw invalid(`options.${name}`, 'a path', value);
  }
  const { holes } = options;
  const isHoles =
    holes === undefined || (isRecord(holes) && Object.values(holes).every((hole) => hole instanceof RegExp));
  if (!isHoles) throw invalid('options.holes', 'an object of regular expressions', holes);
  return options as ShellOptions;
}

/** Returns the mode of a test: that of the environment, of its options, or of the machine. */
export function modeOf(mode: Mode | undefined): ScopeMode | 'auto' {
  if (mode === 'fakes') return mode;
  const forced = process.env.AGENT_BASH_CASSETTES;
  if (forced) {
    if (forced === RENEW) return 'record';
    const known = MODES.find((name) => name === forced);
    if (known === undefined) throw invalid('AGENT_BASH_CASSETTES', `${MODES.join(', ')} or ${RENEW}`, forced);
    return known;
  }
  const usual = process.env.CI || failure !== null ? 'replay' : 'auto';
  return mode ?? usual;
}

/** Returns whether sections of tests that are gone are removed. */
export function isRenewed(): boolean {
  return process.env.AGENT_BASH_CASSETTES === RENEW;
}
