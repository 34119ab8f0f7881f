import { cText, invalid } from '../checks.ts';

/**
 * The key, in options, of whether `sh` runs a command line on a target that lacks the shell. No option of
 * users, whose own choice of a shell is not replaced.
 */
const OR_SH: unique symbol = Symbol('orSh');

/**
 * Checks the option `shell`, and returns the path and the flags of a shell; `undefined` for the usual one,
 * which the addon finds, and for `false`, which is no shell.
 */
function shellWords(name: string, shell: unknown): string[] | undefined {
  if (shell === 'auto' || shell === false) return undefined;
  const meaning = "'auto', a path, a path and flags, or false";
  if (typeof shell !== 'string' && !Array.isArray(shell)) throw invalid(name, meaning, shell);
  const given: readonly unknown[] = typeof shell === 'string' ? [shell] : shell;
  const [path = '', ...flags] = given.map((word) => cText(name, word, meaning));
  if (path.trim() === '') throw invalid(name, meaning, shell);
  return flags.length === 0 ? [path, '-c'] : [path, ...flags];
}

export { OR_SH, shellWords };
