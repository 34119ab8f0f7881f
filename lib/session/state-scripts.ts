// The scripts by which a fresh shell restores the state of the one before it, and saves its own for the next.
// `scripts/` has their texts.
//
// The paths are in a private directory and have no characters that are special to a shell. A state is
// complete if its last line is the token. If a shell ends before it writes that line, its state is ignored
// and the earlier state stays.

import { quoteWord } from '../addon/native.ts';
import { shellWord } from '../support/paths/shell-path.ts';
import { filled } from '../support/shell/script.ts';
import DUMP_BASH from './scripts/dump-bash.sh';
import DUMP_SH from './scripts/dump-sh.sh';
import DUMP_ZSH from './scripts/dump-zsh.sh';
import END_BASH from './scripts/end-bash.sh';
import END_SH from './scripts/end-sh.sh';
import END_ZSH from './scripts/end-zsh.sh';
import RESTORE_BASH from './scripts/restore-bash.sh';
import RESTORE_SH from './scripts/restore-sh.sh';
import RESTORE_ZSH from './scripts/restore-zsh.sh';
import SAVE_BASH from './scripts/save-bash.sh';
import WRITE_STATE from './scripts/write-state.sh';

/** The language of a shell. */
export type Flavor = 'bash' | 'zsh' | 'sh';

/** The scripts of a flavor, and how its shell runs them. */
interface Shell {
  flags: string[];
  /** The first line of a shell without a state. */
  first: string;
  restore: string;
  run: (path: string) => string;
  dump: string;
  end: string;
  show: (command: string) => string;
  /** The prefix that keeps a function or an alias from taking the place of a builtin. */
  builtin: string;
}

/** The files of a command for a shell, and the state that it restores first. */
interface Files {
  state: string | null;
  command: string;
  end: string;
}

const SHELLS: Record<Flavor, Shell> = {
  bash: {
    flags: ['--norc', '--noprofile', '-c'],
    first: '\\builtin shopt -s expand_aliases\n',
    restore: RESTORE_BASH,
    run: (path) => `\\builtin . ${path}`,
    dump: DUMP_BASH,
    end: END_BASH + WRITE_STATE,
    show: showFirstLine,
    builtin: '\\builtin ',
  },
  zsh: {
    flags: ['-f', '-c'],
    // The state of the login shell, which bash reads by itself.
    first: `if [[ -n \${BASH_ENV-} ]]; then \\builtin . $BASH_ENV 2>/dev/null; \\builtin unset BASH_ENV; fi\n`,
    restore: RESTORE_ZSH,
    run: (path) => `\\builtin eval "$(<${path})"`,
    dump: DUMP_ZSH,
    end: END_ZSH + WRITE_STATE,
    // zsh shows no text of `eval`.
    show: (command) => command,
    builtin: '\\builtin ',
  },
  sh: {
    flags: ['-c'],
    first: '',
    restore: RESTORE_SH,
    run: (path) => `command . ${path}`,
    dump: DUMP_SH,
    end: END_SH,
    show: showFirstLine,
    builtin: '',
  },
};

/**
 * Returns the arguments of a shell that runs a command in this state, which is `null` for the first command.
 * The shell has read the last line before the command may switch on traces, and the script at the end
 * switches them off.
 */
function words(kind: Flavor, { state, command, end }: Files): string[] {
  const { flags, first, restore, run, builtin } = SHELLS[kind];
  const begin = state === null ? first : filled(restore, { STATE: shellWord(state) });
  const save = `${kind === 'sh' ? 'command .' : '\\builtin .'} ${shellWord(end)} "$?"`;
  return [...flags, `${begin}${run(shellWord(command))}; { ${save}; } 2>/dev/null; ${builtin}exit "$?"\n`];
}

/**
 * Returns the text for the file of a command: in a shell that traces (`x`, `v`), it switches that on in its
 * first line.
 */
function commandScript(kind: Flavor, command: string, tracing: string): string {
  const { show, builtin } = SHELLS[kind];
  const printf = kind === 'sh' ? 'command printf' : '\\builtin printf';
  const shown = tracing.includes('v')
    ? `${printf} '%s\\n' ${quoteWord(show(command))} >&2; ${builtin}set -v; `
    : '';
  return shown + (tracing.includes('x') ? `${builtin}set -x; ` : '') + command;
}

/** Returns the first line, which a shell has read before it begins to show its input (`-v`). */
function showFirstLine(command: string): string {
  return command.split('\n', 1)[0];
}

/** The files of a command that its shell reads or writes at the end, with the words that start a shell. */
interface EndFiles {
  shell: string[];
  command: string;
  next: string;
  token: number;
}

/** Returns the script that the shell runs after the command: it saves the state. */
function endScript(kind: Flavor, { shell, command, next, token }: EndFiles): string {
  const { end, dump } = SHELLS[kind];
  return filled(end, {
    DUMP: filled(dump).trimEnd(),
    SHELL: shell.map(quoteWord).join(' '),
    COMMAND: shellWord(command),
    TOKEN: String(token),
    NEXT: shellWord(next),
    PWD: kind === 'sh' ? nameOfDirectory('command') : nameOfDirectory('\\builtin'),
  });
}

/**
 * Returns the shell text that expands to the shell's directory. On Windows, Git Bash has names of its own for
 * directories, unless it is asked for those of Windows.
 */
function nameOfDirectory(builtin: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'win32') return '"$PWD"';
  return `"$(${builtin} pwd -W 2>/dev/null || ${builtin} printf '%s' "$PWD")"`;
}

/**
 * Returns the script by which a kept bash (`keep: 'process'`) saves its state in files, whose paths `file`
 * gives for their names, and restores the state in a new shell.
 */
function saveScript(file: (name: string) => string): string {
  const { restore, dump } = SHELLS.bash;
  return filled(SAVE_BASH, {
    RESTORE: filled(restore, { STATE: file('"${__agent_bash_last% *}"') }).trimEnd(),
    DUMP: filled(dump).trimEnd(),
    LAST: file('$__agent_bash_last'),
    CURRENT: file('current'),
  });
}

export { commandScript, endScript, saveScript, words };
