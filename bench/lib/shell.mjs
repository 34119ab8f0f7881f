// The shell that bash() picks. Every peer gets the same one; otherwise the shells would be compared.

import { accessSync, constants } from 'node:fs';

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function choose() {
  if (isProgram('/bin/zsh')) return ['/bin/zsh', '-c'];
  if (isProgram('/bin/bash')) return ['/bin/bash', '-lc'];
  return ['/bin/sh', '-c'];
}

export let [shell, flag] = choose();

/** A zsh: one in /usr/local/bin is not picked by bash(). */
export const zsh = ['/bin/zsh', '/usr/local/bin/zsh'].find(isProgram) ?? '/bin/zsh';

/** Returns whether the shell is the one that `bash()` picks by default. */
export let isPicked = true;

/** Sets another shell, for a scenario that names one. Call it before loading a peer. */
export function useShell(words) {
  [shell, flag] = words;
  isPicked = false;
}
