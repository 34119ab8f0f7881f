import { theHost } from '../addon/host.mjs';
import { cText, describe, invalid, wrong } from './checks.mjs';

/**
 * Checks a command and its shell, and returns both for the addon, with the command as text.
 *
 * A command is a string for a shell, a string to split into words, or an array of words.
 */
function commandLine(command, shell) {
  if (Array.isArray(command)) {
    if (shell !== undefined && shell !== false) {
      throw invalid('options.shell', 'false, as the command is an array', shell);
    }
    const argv = words(command);
    return { text: theHost().quote(argv), command: '', argv, split: undefined, shell: undefined };
  }
  const meaning = 'a string or an array of strings';
  if (typeof command !== 'string') throw wrongCommand(meaning, command);
  if (command.trim() === '') throw wrongCommand('text that is not blank', command);
  if (command.includes('\0')) throw wrongCommand('text without null bytes', command);
  return {
    text: command,
    command,
    argv: undefined,
    split: shell === false || undefined,
    shell: shellWords(shell),
  };
}

function words(command) {
  const argv = [...command];
  if (argv.length === 0) throw wrongCommand('a program and its arguments', command);
  for (const [index, word] of argv.entries()) {
    if (typeof word !== 'string') throw wrongCommand(`a string at ${index}`, word);
    if (word.includes('\0')) throw wrongCommand(`text without null bytes at ${index}`, word);
  }
  if (argv[0].trim() === '') throw wrongCommand('a program at 0', argv[0]);
  return argv;
}

/** Returns the path and the flags of a shell; `undefined` for the one that the addon finds. */
function shellWords(shell) {
  if (shell === undefined || shell === 'auto' || shell === false) return undefined;
  const meaning = "'auto', a path, a path and flags, or false";
  if (typeof shell !== 'string' && !Array.isArray(shell)) throw invalid('options.shell', meaning, shell);
  const [path, ...flags] = typeof shell === 'string' ? [shell] : shell;
  for (const word of [path, ...flags]) cText('options.shell', word, meaning);
  if (path.trim() === '') throw invalid('options.shell', meaning, shell);
  return flags.length === 0 ? [path, '-c'] : [path, ...flags];
}

function wrongCommand(expected, actual) {
  return wrong(`Invalid command: expected ${expected}, got ${describe(actual)}`);
}

export { commandLine };
