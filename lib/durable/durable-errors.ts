import type { CodedError } from '../support/coded-error.ts';
import { codedError } from '../support/coded-error.ts';

function notDurable(): CodedError {
  return codedError('NOT_DURABLE', 'Only jobs of a table with the option durable outlive their host');
}

function durableNotFound(id: string): CodedError {
  return codedError('DURABLE_NOT_FOUND', `There is no durable job ${id}`);
}

function otherCommand(name: string, command: string): CodedError {
  const message = `The running job ${name} has another command: ${command}. End it, or choose another name.`;
  return codedError('DURABLE_NAME', message);
}

export { durableNotFound, notDurable, otherCommand };
