// Restores the names in the errors of a shell that reads a command from a file of agent-bash: the names that
// the shell uses for `-c`.

import type { NativeResult } from '../addon/addon-types.ts';
import { FOLDER_NAME, SESSION_FILE } from '../support/shared-folder.ts';

/**
 * Matches the beginning of an error of bash. An interactive shell puts its name first; any other shell, the
 * file.
 */
const OF_BASH = new RegExp(`(\\S*: )?${SESSION_FILE}: (line \\d+: )(syntax error|unexpected |\`)?`, 'g');

/** Matches the beginning of an error of dash. */
const OF_SH = new RegExp(`(\\S+: \\d+: )${SESSION_FILE}: `, 'g');

/**
 * Returns a text in which errors name the shell instead of the file. `shell` is the name of a non-interactive
 * shell.
 */
function withoutFileNames(text: string, shell = 'bash'): string {
  if (!text.includes(FOLDER_NAME)) return text;
  return text
    .replace(OF_BASH, (_, name = `${shell}: `, line, parser = '') =>
      parser ? `${name}-c: ${line}${parser}` : name + line,
    )
    .replace(OF_SH, '$1');
}

/** Replaces the names in the texts of the addon's result. */
function withoutFileNamesIn(native: NativeResult, shell: string | undefined): void {
  native.stdout = withoutFileNames(native.stdout, shell);
  native.stderr = withoutFileNames(native.stderr, shell);
  if (native.view !== undefined)
    native.view = { ...native.view, text: withoutFileNames(native.view.text, shell) };
}

export { withoutFileNames, withoutFileNamesIn };
