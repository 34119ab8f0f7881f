import { exitCodeMeaning } from '../addon/native.ts';
import type { RunResult } from './api.ts';
import type { Encoding } from './output-api.ts';

/** The time limits of a command (ms), for a message. */
interface Times {
  timeout?: number | undefined;
  idleTimeout?: number | undefined;
}

class CommandError extends Error {
  override readonly name: 'CommandError' = 'CommandError';
  readonly code: string | undefined;
  readonly result: RunResult;
  readonly shortMessage: string;

  constructor(result: RunResult<Encoding>, times: Times = {}) {
    const shortMessage = `Command ${endOf(result, times)}: ${result.command}`;
    const said = saidBy(result).trimEnd();
    super(said === '' ? shortMessage : `${shortMessage}\n${said}`);
    this.code = result.error?.code;
    this.result = result as RunResult;
    this.shortMessage = shortMessage;
  }
}

/** Returns the output for the message: of bytes standard error alone, since other output may be no text. */
function saidBy({ stdout, stderr, output }: RunResult<Encoding>): string {
  if (typeof stdout === 'string') return String(stderr || output);
  return Buffer.from(stderr as Uint8Array).toString();
}

function endOf(
  { status, exitCode, signal, error }: RunResult<Encoding>,
  { timeout, idleTimeout }: Times,
): string {
  switch (status) {
    case 'exited':
      return `failed with exit code ${exitCode}${meaningOf(exitCode)}`;
    case 'signaled':
      return `was killed with ${signal ?? 'a signal'}`;
    case 'timeout':
      return `timed out${after(timeout)}`;
    case 'idleTimeout':
      return `timed out${after(idleTimeout)} without output`;
    case 'aborted':
      return 'was aborted';
    case 'background':
      return 'runs on in the background';
    default:
      return `failed: ${error?.message ?? status}`;
  }
}

/** Returns what an exit code of Windows itself means, in parentheses. Only these have more than 8 bits. */
function meaningOf(exitCode: number | null): string {
  const meaning = exitCode !== null && exitCode > 0xff ? exitCodeMeaning(exitCode) : null;
  return meaning === null ? '' : ` (${meaning})`;
}

function after(time: number | undefined): string {
  return time === undefined ? '' : ` after ${time} ms`;
}

export { CommandError };
