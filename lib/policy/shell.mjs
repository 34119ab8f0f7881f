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
 * The shell of a command with a policy, as words: bash, else `sh`. Never zsh, unless it is asked for: what a policy judges
 * is bash's language.
 */
function policyShell(words) {
  if (words !== undefined) return words;
  return existsSync('/bin/bash') ? ['/bin/bash', '-lc'] : ['sh', '-c'];
}

/** In which language the shell with these words reads a command; `unknown` where that is not known. */
function syntaxOf(words) {
  const [path, ...flags] = policyShell(words);
  const name = path.slice(path.lastIndexOf('/') + 1);
  // Other flags can change the language, or have files read before.
  const isPlain = flags.every((flag) => /^-[celux]+$/.test(flag));
  return (isPlain && SYNTAX[name]) || 'unknown';
}

export { policyShell, syntaxOf };
