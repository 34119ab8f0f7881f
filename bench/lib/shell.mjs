// The shell that bash() picks. Every peer gets the same one, or the shells would be compared.

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

/** Whether it is still the one that `bash()` takes by itself. */
export let isPicked = true;

/** Another one, for a scenario that says so. To be called before a peer is loaded. */
export function useShell(words) {
  [shell, flag] = words;
  isPicked = false;
}
