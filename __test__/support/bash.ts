import { execFileSync } from 'node:child_process';

const version = Number(
  execFileSync('/bin/bash', ['-c', 'echo $((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1]))'], {
    encoding: 'utf8',
  }),
);
const is32 = version < 400;

/**
 * The differences of this machine's bash from bash 5.2. Every Mac has 3.2, with which
 * `scripts/test-bash-3.2.sh` replaces the installed one.
 */
export const BASH_DOES = {
  /** A session keeps the shell's input open, at descriptor 10, while a command runs. */
  keepInput: version < 501,
  /** Programs inherit the copies of the shell's own streams. */
  passCopiesOn: version < 501,
  /** A list that ignores SIGINT can be stopped only together with its shell. */
  endWhereInterruptIsIgnored: version < 500,
  /** `$?` and the output after SIGINT. */
  interrupted: is32 ? { exitCode: 1, stdout: '\n' } : { exitCode: 130, stdout: '' },
  /** A command of more than 128 KiB has a descriptor more than a short one. */
  keepLongCommandOpen: is32,
};
