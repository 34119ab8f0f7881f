import { join } from 'node:path';
import { command, put, safe } from './case.js';

const show = 'printf "%s\\n" "[$PASSED]"';
const long = 'v'.repeat(100_000);

/** Every file that some shell reads at its start says so. */
const startFiles = (dir: string): void => {
  for (const name of [
    '.zshenv',
    '.zprofile',
    '.zshrc',
    '.zlogin',
    '.zlogout',
    '.bash_profile',
    '.bashrc',
    '.profile',
  ]) {
    put(dir, name, `echo "read ${name}"\n`);
  }
};

export const environment = [
  command('a variable of the host is passed on', show, { env: () => ({ PASSED: 'value' }) }),
  command('an empty variable is passed on', 'env | grep ^PASSED=', { env: () => ({ PASSED: '' }) }),
  command('a variable that the host lost is not passed on', show, { env: () => ({ PASSED: undefined }) }),
  command('a variable with newlines is passed on', show, { env: () => ({ PASSED: 'a\nb\n' }) }),
  command('a variable with an equals sign is passed on', show, { env: () => ({ PASSED: 'a=b=c' }) }),
  command('a variable with unicode is passed on', show, { env: () => ({ PASSED: 'ä€😀' }) }),
  command('a lone surrogate in a variable becomes U+FFFD', show, { env: () => ({ PASSED: 'a\ud800b' }) }),
  command('a variable with quotes is passed on', show, { env: () => ({ PASSED: `'"\\$(id)` }) }),
  command('a long variable is passed on', 'echo "${#PASSED}"', { env: () => ({ PASSED: long }) }),
  command('a variable too long for the kernel fails the launch', 'echo never', {
    env: () => ({ PASSED: long + long }),
  }),
  command('a name that no shell could set is passed on', "env | grep 'odd name'", {
    env: () => ({ 'odd name': 'x' }),
  }),
  command('a unicode name is passed on', "env | grep 'ключ'", { env: () => ({ ключ: 'x' }) }),
  command('names differ by case', 'echo "$PASSED $passed"', { env: () => ({ PASSED: '1', passed: '2' }) }),
  command('the whole environment is passed on', "tr '\\0' '\\n' < /proc/self/environ | sort"),
  safe('a variable reaches a program in safe mode', 'grep -ao PASSED=value /proc/self/environ', {
    env: () => ({ PASSED: 'value' }),
  }),
  command('PATH is searched by the shell', 'tool', {
    setup: (dir) => put(dir, 'bin/tool', '#!/bin/sh\necho tool of the workspace\n', 0o755),
    env: (dir) => ({ PATH: `${join(dir, 'bin')}:/usr/bin:/bin` }),
  }),
  command('an empty PATH finds nothing', 'ls; echo $?', { env: () => ({ PATH: '' }) }),
  command('without PATH the shell has its own', 'echo hi; ls; echo $?', { env: () => ({ PATH: undefined }) }),
  command('a program called sh that comes first in PATH', 'echo hi; sh -c true', {
    setup: (dir) => put(dir, 'bin/sh', '#!/bin/sh\necho "the other sh: $*"\n', 0o755),
    env: (dir) => ({ PATH: `${join(dir, 'bin')}:/usr/bin:/bin` }),
  }),
  command('a relative PATH is searched from the workspace', 'tool; sh -c tool', {
    setup: (dir) => {
      put(dir, 'bin/tool', '#!/bin/sh\necho relative tool\n', 0o755);
      put(dir, 'bin/sh', '#!/bin/sh\necho "relative sh: $*"\n', 0o755);
    },
    env: () => ({ PATH: 'bin:/usr/bin:/bin' }),
  }),
  command('the shell’s start files in HOME are the shell’s affair', 'echo hi', {
    setup: startFiles,
    env: (dir) => ({ HOME: dir, ZDOTDIR: undefined }),
  }),
  command('start files can’t take the exit code away', 'exit 3', {
    setup: startFiles,
    env: (dir) => ({ HOME: dir }),
  }),
  command('BASH_ENV and ENV are the shell’s affair', 'echo hi', {
    setup: (dir) => put(dir, 'rc', 'echo "read rc"\n'),
    env: (dir) => ({ BASH_ENV: join(dir, 'rc'), ENV: join(dir, 'rc') }),
  }),
  safe('a missing HOME stays missing', 'grep -zc ^HOME= /proc/self/environ', {
    env: () => ({ HOME: undefined }),
  }),
  command('HOME of the host is passed on', 'echo "$HOME"; cd; echo $?', { env: (dir) => ({ HOME: dir }) }),
  command('PWD of the host does not mislead pwd', 'pwd; echo "$PWD"', { env: () => ({ PWD: '/nowhere' }) }),
  command('OLDPWD of the host', 'echo "[$OLDPWD]"', { env: () => ({ OLDPWD: '/usr' }) }),
  command('IFS of the host is the shell’s affair', 'x=a:b; set -- $x; echo "$# $IFS"', {
    env: () => ({ IFS: ':' }),
  }),
  command('a locale changes how the shell counts', 'x=äöü; echo "${#x}"', {
    env: () => ({ LC_ALL: 'C.UTF-8' }),
  }),
  command('the C locale counts bytes', 'x=äöü; echo "${#x}"', { env: () => ({ LC_ALL: 'C' }) }),
  command('an unknown locale is the shell’s affair', 'echo äöü', {
    env: () => ({ LC_ALL: 'xx_YY.nonsense' }),
  }),
  command('SHELL of the host chooses nothing', 'echo "$SHELL"', { env: () => ({ SHELL: '/bin/false' }) }),
  command('TERM of the host is passed on', 'echo "$TERM"', { env: () => ({ TERM: 'dumb' }) }),
];
