import { execFileSync } from 'node:child_process';

const version = Number(
  execFileSync('/bin/bash', ['-c', 'echo $((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1]))'], {
    encoding: 'utf8',
  }),
);
const is32 = version < 400;
const is42 = version === 402;
const is43 = version === 403;

/**
 * The differences of this machine's bash from bash 5.2. Tests of sessions ran with 3.2, which every Mac has,
 * and with 4.2, 4.3, 4.4, 5.0 and 5.1 (`scripts/test-old-bash.sh`).
 */
export const BASH_DOES = {
  /** A session keeps the shell's input open, at descriptor 10, while a command runs. */
  keepInput: version < 501,
  /** Each element of an array `PROMPT_COMMAND` is run. */
  runPromptArrays: version >= 501,
  /** Programs inherit the copies of the shell's own streams. */
  passCopiesOn: is32,
  /** Lists that can be stopped only together with their shell, by their beginnings. */
  endWith: [
    version < 404 ? ['trap "" INT'] : [],
    is43 ? ['sleep 100 & wait', 'while :; do read'] : [],
  ].flat(),
  /** `$?` and the output after SIGINT. */
  interrupted: is32 ? { exitCode: 1, stdout: '\n' } : { exitCode: 130, stdout: '' },
  /** `$?` after a list that was stopped. */
  stopped: is32 ? 1 : is42 ? 128 : 130,
  /** With few descriptors, a command ends with 1 and without output, because the shell can't redirect. */
  failWithFewDescriptors: is42,
  /** A command of more than 128 KiB has a descriptor more than a short one. */
  keepLongCommandOpen: is32,
};
