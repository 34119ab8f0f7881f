import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { both, SHELLS } from './support.js';

const root = temporaryDirectory();
let directories = 0;

/** Start files, in the syntax of both shells. */
const BOTH: Record<string, string> = {
  'says something': 'echo hello; echo error >&2',
  'says more than a pipe holds': 'seq 30000',
  'sets variables and functions': 'X=1; export Y=2; f() { echo "f $1"; return 5; }',
  'goes elsewhere': 'cd /',
  'ends with a failure': 'false',
  'sets -e': 'set -e',
  'sets -u': 'set -u',
  'sets -f': 'set -f',
  'sets -C': 'set -C',
  'sets a trap for the end': "trap 'echo bye $?' EXIT",
  exits: 'echo before; exit 3',
  returns: 'return 3; echo after',
  'reads its input': 'read x; echo "read $? $x"',
  'is replaced by another program': 'exec sh -c "echo other; exit 6"',
  'is replaced by another program with the same input': 'exec cat',
  'changes IFS': 'IFS=,x0',
  'has a wrong syntax': 'if',
  'leaves a process': 'sleep 60 >/dev/null 2>&1 &',
  'takes some time': 'sleep 0.3',
  'takes some time, and exits': 'sleep 0.3; exit 4',
  'uses descriptor 4': 'exec 4>&1',
  'borrows descriptor 3': '{ echo x >&3; } 3>&1',
  'changes the mask and a limit': 'umask 77; ulimit -n 30',
  'sends errors to its output': 'exec 2>&1',
  'throws its output away': 'exec >/dev/null',
  'sets the locale': 'export LC_ALL=C',
  'sets the time without input': 'TMOUT=60',
  'changes PATH': 'PATH=/nowhere:$PATH',
  'closes descriptor 3': 'exec 3>&2 2>/dev/null; sleep 0.1; exec 2>&3 3>&-',
  'uses descriptor 9': 'exec 9>&1; sleep 0.1',
  'has another file as descriptor 9': 'exec 9</dev/null',
  'fixes the clock': 'readonly SECONDS',
  'changes the clock': 'SECONDS=100',
  'traces commands': 'set -x',
  'shows what is read': 'set -v',
  'traps commands': "trap 'echo debug' DEBUG",
  'hides read by a function': 'read() { echo no; }',
};

const OWN: Record<string, Record<string, string>> = {
  bash: {
    'has aliases': 'shopt -s expand_aliases; alias echo="echo alias"',
    'has traps for errors': "set -E; trap 'echo err' ERR",
    'has aliases for the words of the language': 'shopt -s expand_aliases; alias if=no then=no builtin=no',
    'hides builtin by a function': 'builtin() { echo no; }',
    'hides exec by a function': 'exec() { echo no; }',
    'fixes what the command is in': 'readonly BASH_EXECUTION_STRING',
    'has options of its own': 'shopt -s lastpipe extglob nullglob nocaseglob dotglob globstar',
    'wants a match': 'shopt -s failglob',
    'is a POSIX shell': 'set -o posix',
    'is an old shell': 'BASH_COMPAT=3.2',
    'hides eval by a function': 'eval() { echo no; }',
    'disables builtins': 'enable -n echo pwd',
    'answers for missing commands': 'command_not_found_handle() { echo "none: $1"; return 9; }',
    'names another start file': 'export BASH_ENV=/nowhere',
  },
  zsh: {
    'has aliases': 'alias echo="echo alias"; alias -g G="| cat"',
    'has traps for errors': "trap 'echo err' ZERR",
    'has a trap as a function': 'TRAPDEBUG() { echo debug }',
    'hides exec by a function': 'function exec() { echo no }',
    'fixes what the command is in': 'readonly ZSH_EXECUTION_STRING',
    'disables words of the language': 'disable -r if then',
    'has functions for the end': 'TRAPEXIT() { echo trap }; zshexit() { echo exit }',
    'has options of its own': 'setopt extendedglob nullglob shwordsplit ksharrays nohup',
    'wants no match': 'setopt nonomatch nobadpattern',
    'is a POSIX shell': 'emulate sh',
    'is a Korn shell': 'emulate ksh',
    'is a C shell': 'emulate csh',
    'returns at errors': 'setopt errreturn',
    'keeps lines of eval': 'setopt noevallineno',
    'tells how programs end': 'setopt printexitvalue',
    'counts in fractions': 'typeset -F SECONDS',
    'answers for missing commands': 'command_not_found_handler() { echo "none: $1"; return 9 }',
    'names another start file': 'export ZDOTDIR=/nowhere',
    'has hooks': 'chpwd() { echo chpwd }; precmd() { echo precmd }; preexec() { echo preexec }',
  },
};

const COMMANDS = [
  'echo hi; false; nowhere; ls nothing',
  'f a; echo "$X" $Y; echo a,b; x=a,b; echo $x; cd ..; pwd; echo $missing; ls *.nowhere; exit 4',
];

describe.concurrent.each(SHELLS)('a start file of %s that', (name, { shell, startFile }) => {
  const profiles = Object.entries({ ...BOTH, ...OWN[name] });

  it.each(profiles)('%s', async (_, text) => {
    directories += 1;
    const home = join(root, String(directories));
    const cwd = join(home, 'work');
    mkdirSync(cwd, { recursive: true });
    writeFileSync(join(home, startFile), `${text}\n`);
    for (const command of COMMANDS) {
      const { warm, cold } = await both(command, { cwd, env: { HOME: home }, shell });
      expect(warm, command).toEqual(cold);
    }
  });
});
