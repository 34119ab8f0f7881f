import { type Case, command } from './case.js';

const CODES = [
  0, 1, 2, 3, 4, 5, 7, 10, 16, 17, 31, 32, 42, 63, 64, 65, 77, 78, 99, 100, 111, 124, 125, 126, 127, 128, 129,
  130, 137, 141, 143, 144, 159, 160, 192, 200, 222, 250, 254, 255,
];

/**
 * All signals that Node has a name for, less SIGSTOP, which nothing would wake. The terminal's stop signals
 * do nothing in a process group without a parent in its session, and a few others are ignored by default.
 */
const SIGNALS = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
  31,
];

const codes = CODES.map((code) => command(`exit code ${code} is reported`, `exit ${code}`));

const ownSignals: Case[] = SIGNALS.map((signal) =>
  command(
    `a shell that sends itself signal ${signal} is reported`,
    `ulimit -c 0; echo before; kill -${signal} $$; echo after`,
  ),
);

const childSignals = [1, 2, 3, 6, 9, 11, 13, 15].map((signal) =>
  // The message of bash about the death has a pid, so it is discarded.
  command(
    `signal ${signal} that ends a child is seen by the shell`,
    `ulimit -c 0; { sh -c 'kill -${signal} $$'; echo "status $?"; } 2>/dev/null`,
  ),
);

const execSignals = [1, 9, 15].map((signal) =>
  command(`signal ${signal} ends what the shell was replaced by`, `exec sh -c 'kill -${signal} $$'`),
);

export const exits = [
  ...codes,
  ...ownSignals,
  ...childSignals,
  ...execSignals,
  command('exit code 256 wraps to 0', 'exit 256'),
  command('exit code 257 wraps to 1', 'exit 257'),
  command('a negative exit code is the shell’s affair', 'exit -1'),
  command('an exit code that is no number is the shell’s affair', 'exit nonsense'),
  command('the status of the last command counts', 'false; true; false'),
  command('exit without a number keeps the last status', 'false; exit'),
  command('the status of a pipeline is that of its last command', 'false | true'),
  command('the status of a failing end of a pipeline counts', 'true | false'),
  command('pipefail reports the failure inside', 'set -o pipefail; false | true'),
  command('errexit stops at the first failure', 'set -e; echo one; false; echo two'),
  command('nounset reports a missing variable', 'set -u; echo "$missing_variable"; echo after'),
  command('a negated pipeline turns the status', '! false; echo $?; ! true'),
  command('an and-or list keeps its status', 'true && false || exit 9'),
  command('return outside of a function ends', 'return 5'),
  command('a function’s return value is its status', 'f() { return 7; }; f'),
  command('a subshell’s exit does not end the shell', '(exit 4); echo $?'),
  command('exit in an exit trap wins', "trap 'exit 6' EXIT; exit 2"),
  command('an exit trap’s output comes last', "trap 'echo bye' EXIT; echo hi"),
  command('a trapped SIGTERM does not end the shell', "trap 'echo caught' TERM; kill -TERM $$; echo on"),
  command('an ignored SIGHUP does not end the shell', "trap '' HUP; kill -HUP $$; echo on"),
  command('kill without a target fails', 'kill'),
  command('exec replaces the shell and its status', "exec sh -c 'echo replaced; exit 12'; echo never"),
  command('exec of a missing program ends with 127', 'exec no-such-program-at-all; echo never'),
  command('a broken pipe inside is silent', 'seq 1 100000 | head -n 1'),
];
