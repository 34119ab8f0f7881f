import { accessSync, constants } from 'node:fs';
import { delimiter, resolve } from 'node:path';

/** Blanks, and characters with a meaning for a shell. */
const SHELL_CHARACTERS = /[\s|&;<>()$`"'*?~]/;

/**
 * Returns the command of a request as agent-bash takes it: a text for the shell, or a program and its
 * arguments.
 *
 * The protocol has programs, but many agents send a command line in `command`. With `auto`, a command without
 * arguments that contains blanks or characters of a shell is a line for the shell, unless it names an
 * executable.
 */
export function commandOf(
  command: string,
  args: readonly string[],
  kind: 'auto' | 'never',
  cwd: string,
): string | string[] {
  const isLine =
    kind === 'auto' && args.length === 0 && SHELL_CHARACTERS.test(command) && !isExecutable(command, cwd);
  return isLine ? command : [command, ...args];
}

function isExecutable(name: string, cwd: string): boolean {
  const directories = name.includes('/') ? [cwd] : (process.env.PATH ?? '').split(delimiter);
  return directories.some((directory) => {
    try {
      accessSync(resolve(directory, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
