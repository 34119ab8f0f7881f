// Messages and errors of the Agent Client Protocol, version 1, about terminals.

import { isAbsolute } from 'node:path';

/** The request of an agent for a command in a terminal. */
export interface CreateRequest {
  sessionId: string;
  /** A program; some agents send a command line. */
  command: string;
  args?: string[] | null;
  env?: { name: string; value: string }[] | null;
  cwd?: string | null;
  /** The most output that the client keeps (bytes of UTF-8); the latest stays. */
  outputByteLimit?: number | null;
}

export interface TerminalRequest {
  sessionId: string;
  terminalId: string;
}

export interface ExitStatus {
  exitCode: number | null;
  signal: string | null;
}

export interface TerminalOutputResponse {
  output: string;
  truncated: boolean;
  exitStatus: ExitStatus | null;
}

/** The SDK's class of errors that reach the agent with their code. */
export type RequestErrorClass = new (code: number, message: string, data?: unknown) => Error;

/** Error codes of JSON-RPC 2.0 and of the protocol. */
export const CODE = {
  invalidParams: -32_602,
  internal: -32_603,
  notFound: -32_002,
  cancelled: -32_800,
} as const;

const MESSAGE: Record<(typeof CODE)[keyof typeof CODE], string> = {
  [CODE.invalidParams]: 'Invalid params',
  [CODE.internal]: 'Internal error',
  [CODE.notFound]: 'Resource not found',
  [CODE.cancelled]: 'Request cancelled',
};

/** Makes the errors of answers: without the SDK's class, the SDK answers each with the code -32603. */
export class Errors {
  readonly #Class: RequestErrorClass | undefined;

  constructor(Class: RequestErrorClass | undefined) {
    this.#Class = Class;
  }

  of(code: keyof typeof MESSAGE, details: string): Error {
    const message = `${MESSAGE[code]}: ${details}`;
    if (this.#Class !== undefined) return new this.#Class(code, message, { details });
    return Object.assign(new Error(message), { code, data: { details } });
  }
}

/**
 * Returns what is wrong with a request for a command, or `undefined`. The SDK checks types, but not all do.
 */
export function faultOf({
  sessionId,
  command,
  args,
  env,
  cwd,
  outputByteLimit,
}: CreateRequest): string | undefined {
  if (typeof sessionId !== 'string') return 'sessionId: expected a string';
  if (typeof command !== 'string' || command.trim() === '') return 'command: expected a program';
  if (args != null && !(Array.isArray(args) && args.every((word) => typeof word === 'string')))
    return 'args: expected strings';
  if (env != null && !(Array.isArray(env) && env.every(isVariable)))
    return 'env: expected objects with the strings name and value';
  if (cwd != null && !(typeof cwd === 'string' && isAbsolute(cwd))) return 'cwd: expected an absolute path';
  if (outputByteLimit != null && !(Number.isInteger(outputByteLimit) && outputByteLimit >= 0))
    return 'outputByteLimit: expected a number of bytes';
  return undefined;
}

function isVariable(entry: unknown): boolean {
  const { name, value } = (entry ?? {}) as { name?: unknown; value?: unknown };
  return typeof name === 'string' && typeof value === 'string';
}
