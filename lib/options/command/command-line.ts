import { joinWords } from '../../addon/native.ts';
import { describe, invalid, wrong } from '../checks.ts';

/** A command for the addon: a text, words, or a text to split into words. */
export interface CommandLine {
  command: string;
  argv: string[] | undefined;
  split: boolean | undefined;
}

/**
 * Checks a command, and returns it for the addon, with its `text`.
 *
 * A command is a string for a shell, a string to split into words (`shell: false`), or an array of words.
 */
function commandLine(command: unknown, shell: unknown): CommandLine & { text: string } {
  if (Array.isArray(command)) {
    if (shell !== undefined && shell !== false) {
      throw invalid('options.shell', 'false, as the command is an array', shell);
    }
    const argv = words(command);
    return { text: joinWords(argv), command: '', argv, split: undefined };
  }
  const text = checkCommandText(command);
  return { text, command: text, argv: undefined, split: shell === false || undefined };
}

/** Returns the line of a text for the usual shell, without checks. */
function lineOfText(command: string): CommandLine {
  return { command, argv: undefined, split: undefined };
}

function checkCommandText(command: unknown, meaning = 'a string or an array of strings'): string {
  if (typeof command !== 'string') throw wrongCommand(meaning, command);
  if (command.trim() === '') throw wrongCommand('text that is not blank', command);
  if (command.includes('\0')) throw wrongCommand('text without null bytes', command);
  return command;
}

function words(command: readonly unknown[]): string[] {
  if (command.length === 0) throw wrongCommand('a program and its arguments', command);
  const argv = Array.from(command, (word: unknown, index) => {
    if (typeof word !== 'string') throw wrongCommand(`a string at ${index}`, word);
    if (word.includes('\0')) throw wrongCommand(`text without null bytes at ${index}`, word);
    return word;
  });
  if (argv[0].trim() === '') throw wrongCommand('a program at 0', argv[0]);
  return argv;
}

function wrongCommand(expected: string, actual: unknown): TypeError {
  return wrong(`Invalid command: expected ${expected}, got ${describe(actual)}`);
}

export { checkCommandText, commandLine, lineOfText };
