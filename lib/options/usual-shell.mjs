import { existsSync, realpathSync } from 'node:fs';

/** Returns the shell that `run()` takes by default, as the addon finds it. */
function usualShell() {
  return ['/bin/zsh', '/bin/bash'].find((path) => existsSync(path)) ?? 'sh';
}

/**
 * Returns the kind of a shell: `bash`, `zsh` or `sh`. A `sh` that links to bash counts as `bash`, whose state has
 * more parts.
 */
function kindOf(shell) {
  let path = shell;
  try {
    path = realpathSync(shell);
  } catch {
    // The shell is a name to search in PATH, or a missing file, which the launch will report.
  }
  const name = path.split('/').at(-1);
  return name === 'bash' || name === 'zsh' ? name : 'sh';
}

export { kindOf, usualShell };
