import { existsSync, realpathSync } from 'node:fs';

/** Returns the shell that `run()` takes by default, as the addon finds it. */
function usualShell() {
  return ['/bin/zsh', '/bin/bash'].find((path) => existsSync(path)) ?? 'sh';
}

/** Returns what a shell is: `bash`, `zsh` or `sh`. A `sh` that is a link to bash is a `bash`, which leaves more than others. */
function kindOf(shell) {
  let path = shell;
  try {
    path = realpathSync(shell);
  } catch {
    // A name to look for in PATH, or a path of nothing, which the command will say.
  }
  const name = path.split('/').at(-1);
  return name === 'bash' || name === 'zsh' ? name : 'sh';
}

export { kindOf, usualShell };
