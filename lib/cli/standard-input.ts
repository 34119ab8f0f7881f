// The standard input of this process, for the command of `agent-bash run`.

import { fstatSync, statSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { Job } from 'agent-bash';
import type { Encoding } from '../result/output-api.ts';

/**
 * Returns whether standard input is passed on. A terminal is not: a command has one by `--pty`. Neither is
 * `/dev/null`, which a command without input has anyway: programs such as `rg` read a pipe, even an empty
 * one, in place of the files.
 */
function hasInput(): boolean {
  if (isatty(0)) return false;
  const status = fstatSync(0);
  // `NUL` of Windows has no path with a status.
  if (process.platform === 'win32') return !status.isCharacterDevice();
  const { rdev } = status;
  return rdev === 0 || rdev !== statSync('/dev/null').rdev;
}

/** Passes standard input on to a job. Returns a function that stops it, so that this process can end. */
function passInput<E extends Encoding>(job: Job<E>): () => void {
  const { stdin } = process;
  // An input that can't be read, such as a directory, ends like an empty file.
  stdin.on('error', () => job.end());
  const input = job.stdin;
  if (input !== null) stdin.pipe(input);
  return () => {
    if (input !== null) stdin.unpipe(input);
    if (stdin.isTTY) stdin.pause();
    else stdin.destroy();
  };
}

export { hasInput, passInput };
