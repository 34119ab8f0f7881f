import type { CodedError } from '../support/coded-error.ts';
import { codedError } from '../support/coded-error.ts';

function withoutTerminal(id: string): CodedError {
  return codedError('NO_TERMINAL', `${id} has no terminal: start it with the option pty`);
}

function notFound(id: string): CodedError {
  return codedError('JOB_NOT_FOUND', `Background job not found: ${id}`);
}

export { notFound, withoutTerminal };
