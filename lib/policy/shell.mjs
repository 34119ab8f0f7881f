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
 * Returns the shell of a command with a policy, as words: bash, else `sh`. zsh is no default: the policy
 * parses the language of bash.
 */
function policyShell(words) {
  return words ?? usualShell();
}

let usual;

/** Looks for bash once: each look takes longer than the rest of this module. */
function usualShell() {
  usual ??= existsSync('/bin/bash') ? ['/bin/bash', '-lc'] : ['sh', '-c'];
  return usual;
}

/**
 * Returns the language in which the shell with these words reads a command; `unknown` if that is not certain.
 */
function syntaxOf(words) {
  const [path, ...flags] = policyShell(words);
  const name = path.slice(path.lastIndexOf('/') + 1);
  // Flags beyond these can change the language, or make the shell read files first.
  const isPlain = flags.every((flag) => /^-[celux]+$/.test(flag));
  return (isPlain && SYNTAX[name]) || 'unknown';
}

export { policyShell, syntaxOf };
