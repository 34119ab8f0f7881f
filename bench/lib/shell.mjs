// The shell of every peer; otherwise the shells would be compared.

import { accessSync, constants } from 'node:fs';

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The words of the shell that `run()` picks, which is also what most people write. */
export let [shell, flag] = isProgram('/bin/bash') ? ['/bin/bash', '-c'] : ['/bin/sh', '-c'];

/** The words of the shell that `bash()` picks, by its contract. */
export const SHELL_OF_BASH = [
  ['/bin/zsh', '-c'],
  ['/bin/bash', '-lc'],
].find(([path]) => isProgram(path)) ?? ['/bin/sh', '-c'];

/** A zsh: one in /usr/local/bin is not picked by bash(). */
export const zsh = ['/bin/zsh', '/usr/local/bin/zsh'].find(isProgram) ?? '/bin/zsh';

/** Sets another shell, for a scenario that names one. Call it before loading a peer. */
export function useShell(words) {
  [shell, flag] = words;
}
