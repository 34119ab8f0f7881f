// The scripts by which a shell prints its state, and by which a fresh shell reads it.
//
// Each part of a state is three texts with a NUL after each: its kind, its name, and its definition.

import { quoteWord } from '../addon/native.ts';
import { filled } from '../support/shell/script.ts';
import CAPTURE_BASH from './capture-bash.sh';
import CAPTURE_ZSH from './capture-zsh.sh';

/** A shell whose state can be read. */
export type StateFlavor = 'bash' | 'zsh';

/** A part of a shell's state. */
export interface StateEntry {
  kind: 'option' | 'variable' | 'function' | 'alias' | 'other';
  name: string;
  /** The text by which a shell defines it again. */
  text: string;
}

interface Flavored {
  /** The flags of a shell at a terminal without start files, which has what the shell itself sets. */
  clean: string[];
  /** The flags of a shell without start files that reads a file. */
  fresh: string[];
  /** The script that prints the state. */
  capture: string;
  /** The first and the last lines of a state. */
  first: string;
  last: string;
  /** The options that count for commands, and do not change how a policy has to read them. */
  options: RegExp;
}

const FLAVORS: Record<StateFlavor, Flavored> = {
  bash: {
    clean: ['--norc', '--noprofile', '-ic'],
    fresh: ['--norc', '--noprofile'],
    capture: CAPTURE_BASH,
    first: '\\builtin unset BASH_ENV\n',
    last: '\\builtin shopt -s expand_aliases\n',
    options: /^(?:extglob|globstar|nullglob|dotglob|failglob|nocaseglob|nocasematch|noclobber|pipefail)$/,
  },
  zsh: {
    clean: ['-f', '-ic'],
    fresh: ['-f'],
    capture: CAPTURE_ZSH,
    first: '',
    last: '',
    options:
      /^(?:extendedglob|nullglob|globdots|nocaseglob|caseglob|nomatch|numericglobsort|shwordsplit|ksharrays|clobber|pipefail|autopushd|pushdignoredups)$/,
  },
};

/** Returns the script by which a shell prints its state between two markers. */
function captureScript(flavor: StateFlavor, marker: string): string {
  return filled(FLAVORS[flavor].capture, { MARKER: marker });
}

/** Returns the text by which a fresh shell reads each part apart, and reports which of them it has read. */
function checkScript(entries: readonly StateEntry[], marker: string): string {
  const report = (text: string) => `\\builtin printf '\\0%s\\0' ${text}\n`;
  const parts = entries.map(
    ({ text }, index) =>
      `${report(String(index))}{ \\builtin eval ${quoteWord(text)} || \\builtin printf failed; } 2>&1\n`,
  );
  return `${parts.join('')}${report(marker)}`;
}

/** Returns the parts that a shell has printed between two markers; `null` if they are not complete. */
function entriesIn(stdout: string, marker: string): StateEntry[] | null {
  const begin = stdout.indexOf(`${marker}\0`);
  const end = stdout.indexOf(`\0${marker}\0`, begin);
  if (begin === -1 || end === -1) return null;
  const fields = stdout.slice(begin + marker.length + 1, end).split('\0');
  const entries: StateEntry[] = [];
  for (let index = 0; index + 2 < fields.length; index += 3) {
    const [kind, name, text] = fields.slice(index, index + 3);
    entries.push({ kind: kind as StateEntry['kind'], name, text });
  }
  return entries;
}

export { captureScript, checkScript, entriesIn, FLAVORS };
