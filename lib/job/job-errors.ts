import type { CodedError } from '../addon/native-errors.ts';

function withoutTerminal(id: string): CodedError {
  return Object.assign(new Error(`${id} has no terminal: start it with the option pty`), {
    code: 'NO_TERMINAL',
  });
}

function notFound(id: string): CodedError {
  return Object.assign(new Error(`Background job not found: ${id}`), { code: 'JOB_NOT_FOUND' });
}

export { notFound, withoutTerminal };
