import { wrong } from '../options/checks.ts';
import type { CodedError } from '../support/coded-error.ts';
import { codedError } from '../support/coded-error.ts';

function withoutTerminal(id: string): CodedError {
  return codedError('NO_TERMINAL', `${id} has no terminal: start it with the option pty`);
}

function notFound(id: string): CodedError {
  return codedError('JOB_NOT_FOUND', `Background job not found: ${id}`);
}

/** Returns the error of what can't be seen of a command on a target. */
function unavailableElsewhere(name: string): TypeError {
  return wrong(`${name} is not available with a target in this version`, 'ERR_FEATURE_UNAVAILABLE');
}

export { notFound, unavailableElsewhere, withoutTerminal };
