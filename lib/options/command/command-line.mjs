import { joinWords } from '../../addon/native.mjs';
import { describe, invalid, wrong } from '../checks.mjs';

/**
 * Checks a command, and returns it for the addon, with its `text`.
 *
 * A command is a string for a shell, a string to split into words (`shell: false`), or an array of words.
 */
function commandLine(command, shell) {
  if (Array.isArray(command)) {
    if (shell !== undefined && shell !== false) {
      throw invalid('options.shell', 'false, as the command is an array', shell);
    }
    const argv = words(command);
    return { text: joinWords(argv), command: '', argv, split: undefined };
  }
  return { text: commandText(command), command, argv: undefined, split: shell === false || undefined };
}

/** Checks a command as text. */
function commandText(command, meaning = 'a string or an array of strings') {
  if (typeof command !== 'string') throw wrongCommand(meaning, command);
  if (command.trim() === '') throw wrongCommand('text that is not blank', command);
  if (command.includes('\0')) throw wrongCommand('text without null bytes', command);
  return command;
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

function wrongCommand(expected, actual) {
  return wrong(`Invalid command: expected ${expected}, got ${describe(actual)}`);
}

export { commandLine, commandText };
