// The files by which a shell on this machine tells the directory in which it ends.

import { quoteWord, sessionShell } from '../../../addon/native.ts';
import { withVariables } from '../../../options/surroundings/environment/environment.ts';
import type { SurroundingsPlan } from '../../../options/surroundings/surroundings.ts';
import { programName } from '../../../support/paths/program-name.ts';
import { pathFromShell, shellPath } from '../../../support/paths/shell-path.ts';
import { isWithin } from '../../../support/paths/within.ts';
import { readShared, removeShared, writeShared } from '../../../support/shared-files.ts';
import { newFileNumber, numberedFiles, SharedFolder } from '../../../support/shared-folder.ts';
import type { ToolSurroundings } from '../../toolset-state.ts';

/**
 * The files of a command here: the script that it reads, and the file with the directory in which it ended.
 */
export interface FilesHere {
  /** `undefined` for a shell that reads no file before a command. */
  script?: string;
  end: string;
}

/** Where a command has ended. */
export interface EndDirectory {
  /** The directory; `undefined` if the shell was ended before it wrote that. */
  ended: string | undefined;
  isWithin: (directory: string | undefined) => boolean;
}

class CwdFilesHere {
  #surroundings: ToolSurroundings;
  #folder = new SharedFolder();

  constructor(surroundings: ToolSurroundings) {
    this.#surroundings = surroundings;
  }

  /** Makes a command write the directory in which it ends, and returns the files of that. */
  prepare(surroundings: SurroundingsPlan): FilesHere {
    const folder = this.#folder.make();
    const path = numberedFiles(folder, newFileNumber());
    const [script, end] = [path('env'), path('cwd')];
    const trap = trapOf(quoteWord(shellPath(end)));
    if (isOtherPosixShell(surroundings.shell?.[0])) {
      surroundings.prelude = `${trap('command')}; `;
      surroundings.files = [folder];
      return { end };
    }
    const { env, extendEnv } = this.#surroundings;
    // The state of a login shell is such a script too.
    const state = surroundings.startState;
    const given = env?.BASH_ENV ?? (extendEnv === false ? undefined : process.env.BASH_ENV);
    const others = state?.variables.BASH_ENV ?? given;
    writeShared(script, cwdScript(others, trap('builtin')));
    surroundings.environment = withVariables(surroundings.environment, { BASH_ENV: expandedPath(script) });
    surroundings.files = [folder, ...(state?.files ?? [])];
    return { script, end };
  }

  /** Returns the directory in which the command has ended, and removes the files. */
  take(files: FilesHere): EndDirectory {
    const printed = readShared(files.end, 'utf8')?.slice(0, -1);
    for (const file of Object.values(files)) removeShared(file);
    const ended = printed === undefined ? undefined : pathFromShell(printed);
    return {
      ended,
      isWithin: (directory) => directory !== undefined && isWithin(directory, ended as string),
    };
  }
}

/**
 * Returns whether a shell is one of those that are called `sh`, or a bash under that name, which reads no
 * `BASH_ENV`; `undefined` is the usual shell.
 */
function isOtherPosixShell(program: string | undefined): boolean {
  const shell = sessionShell(program);
  return shell !== null && shell.flavor !== 'zsh' && programName(shell.program) !== 'bash';
}

/**
 * Prints the directory. One that was removed has no real path, but the name by which the shell got there. On
 * Windows, Git Bash prints its own name for a directory, unless it is asked for that of Windows.
 */
const printBy = (builtin: 'builtin' | 'command', isWindows: boolean): string =>
  `{ ${isWindows ? `${builtin} pwd -W || ` : ''}${builtin} pwd -P || ${builtin} printf "%s\\n" "$PWD"; }`;

/** The same for a bash on a target. */
const PRINT: string = printBy('builtin', false);

/** Returns the trap that writes the directory into a file, whose path is quoted. */
function trapOf(end: string): (builtin: 'builtin' | 'command') => string {
  return (builtin) => {
    const print = printBy(builtin, process.platform === 'win32');
    return `trap ${quoteWord(`${print} >${end} 2>/dev/null`)} EXIT`;
  };
}

/** Returns the path of a file as a value that bash expands: that of `BASH_ENV`. */
function expandedPath(path: string): string {
  return shellPath(path).replace(/[$`"\\]/g, '\\$&');
}

/**
 * Returns the script that bash reads before a command. `trap` makes the shell write its last directory, and
 * `others` is the value of `BASH_ENV` without the script.
 */
function cwdScript(others: string | undefined, trap: string): string {
  const lines = [
    others === undefined ? 'unset BASH_ENV' : `export BASH_ENV=${quoteWord(others)}`,
    trap,
    'if [ -n "${CLAUDE_ENV_FILE-}" ]; then . "$CLAUDE_ENV_FILE"; fi',
    ...(others === undefined ? [] : [`if [ -r "$BASH_ENV" ]; then . "$BASH_ENV"; fi`]),
  ];
  return `${lines.join('\n')}\n`;
}

export { CwdFilesHere, cwdScript, isOtherPosixShell, PRINT };
