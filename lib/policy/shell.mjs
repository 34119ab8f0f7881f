import { existsSync } from 'node:fs';

const SYNTAX = {
  bash: 'bash',
  rbash: 'bash',
  sh: 'posix',
  dash: 'posix',
  ash: 'posix',
  ksh: 'posix',
  mksh: 'posix',
  zsh: 'zsh',
};

/**
 * Returns the shell of a command with a policy, as words: bash if there is one, otherwise sh.
 *
 * zsh is no default, because the policy parses the language of bash.
 */
function policyShell(words) {
  return words ?? usualShell();
}

let usual;

/** Finds bash once: each search takes longer than the rest of this module. */
function usualShell() {
  usual ??= existsSync('/bin/bash') ? ['/bin/bash', '-lc'] : ['sh', '-c'];
  return usual;
}

/** Returns the language of the shell with these words; `unknown` if it is not certain. */
function syntaxOf(words) {
  const [path, ...flags] = policyShell(words);
  const name = path.slice(path.lastIndexOf('/') + 1);
  // Other flags can change the language, or make the shell read files first.
  const isPlain = flags.every((flag) => /^-[celux]+$/.test(flag));
  return (isPlain && SYNTAX[name]) || 'unknown';
}

export { policyShell, syntaxOf };
