// The addon's errors, of which all have one shape, as errors of this package. What the addon throws is a
// defect.

import type { CodedError } from '../support/coded-error.ts';
import type { NativeError } from './addon-types.ts';

/**
 * Returns the addon's answer, or throws its error. `name` is how the caller of the package names the object
 * of options.
 */
function answered<Answer>(answer: Answer | NativeError, name = 'options'): Answer {
  if (isNativeError(answer)) throw errorOf(answer, name);
  return answer;
}

function isNativeError(answer: unknown): answer is NativeError {
  return typeof answer === 'object' && answer !== null && 'code' in answer && 'message' in answer;
}

function errorOf({ code, message, option }: NativeError, name: string): CodedError {
  const Kind = code === 'ERR_INVALID_ARG_VALUE' ? TypeError : Error;
  const text = option === undefined ? message : `${subjectOf(option, name)}: ${message}`;
  return Object.assign(new Kind(text), { code });
}

function subjectOf(option: string, name: string): string {
  if (option === 'command') return 'Invalid command';
  return `Invalid option '${option === '' ? name : `${name}.${option}`}'`;
}

export { answered, errorOf, isNativeError };
