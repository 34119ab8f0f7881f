import type { PtySpec } from '../../addon/addon-types.ts';
import { boolean, cText, integer, invalid, isRecord, object } from '../checks.ts';
import type { Row } from '../option-table.ts';
import { checkRows, namesOf } from '../option-table.ts';

/** A command's terminal for the addon, with the name of it (`TERM`). */
export interface Terminal extends PtySpec {
  term: string;
}

type Range = readonly [least: number, most: number];

/** The defaults: a size, and the number of lines above its top that a terminal keeps. */
const DEFAULTS: Terminal = {
  cols: 80,
  rows: 24,
  scrollback: 1_000,
  answersQueries: true,
  term: 'xterm-256color',
};

/** The sizes of a terminal. The screen has two columns at least, since some characters take two cells. */
const COLS_RANGE: Range = [2, 1_000];
const ROWS_RANGE: Range = [1, 500];
const MAX_SCROLLBACK = 100_000;

/** The options of `pty`. */
const PTY: readonly Row<Terminal>[] = [
  {
    name: 'cols',
    field: 'cols',
    check: (name, value) => within(name, value ?? DEFAULTS.cols, COLS_RANGE),
  },
  {
    name: 'rows',
    field: 'rows',
    check: (name, value) => within(name, value ?? DEFAULTS.rows, ROWS_RANGE),
  },
  { name: 'term', field: 'term', check: (name, value) => cText(name, value) },
  {
    name: 'scrollback',
    field: 'scrollback',
    check: (name, value) => integer(name, value, 0, MAX_SCROLLBACK, 'lines'),
  },
  { name: 'answerQueries', field: 'answersQueries', check: boolean },
];

/** Returns the addon's options of a command's terminal, with its name (`TERM`); `undefined` for none. */
function ptySpec(pty: unknown): Terminal | undefined {
  if (pty === undefined || pty === false) return undefined;
  if (pty !== true && !isRecord(pty)) throw invalid('options.pty', 'true, false or an object', pty);
  const options = object('options.pty', pty === true ? {} : pty, namesOf(PTY));
  return { ...DEFAULTS, ...checkRows('options.pty', options, PTY, undefined) };
}

/**
 * Returns the size, with both numbers moved into the valid range: a window that was dragged to nothing is no
 * error.
 */
function terminalSize(cols: unknown, rows: unknown): { cols: number; rows: number } {
  return { cols: within('cols', cols, COLS_RANGE), rows: within('rows', rows, ROWS_RANGE) };
}

function within(name: string, value: unknown, [least, most]: Range): number {
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw invalid(name, `an integer from ${least} to ${most}`, value);
  return Math.min(Math.max(value, least), most);
}

export { MAX_SCROLLBACK, ptySpec, terminalSize };
