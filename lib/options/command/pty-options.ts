import type { PtySpec } from '../../addon/addon-types.ts';
import { boolean, cText, integer, invalid, isRecord, object } from '../checks.ts';

/** A command's terminal for the addon, with the name of it (`TERM`). */
export interface Terminal extends PtySpec {
  term: string;
}

type Range = readonly [least: number, most: number];

/** The default size of a terminal, and the default number of lines above its top that it keeps. */
const COLS = 80;
const ROWS = 24;
const SCROLLBACK = 1_000;

/** The sizes of a terminal. The screen has two columns at least, since some characters take two cells. */
const COLS_RANGE: Range = [2, 1_000];
const ROWS_RANGE: Range = [1, 500];
const MAX_SCROLLBACK = 100_000;

/** Returns the addon's options of a command's terminal, with its name (`TERM`); `undefined` for none. */
function ptySpec(pty: unknown): Terminal | undefined {
  if (pty === undefined || pty === false) return undefined;
  if (pty !== true && !isRecord(pty)) throw invalid('options.pty', 'true, false or an object', pty);
  const known = ['cols', 'rows', 'term', 'scrollback', 'answerQueries'] as const;
  const { cols, rows, term, scrollback, answerQueries } = object(
    'options.pty',
    pty === true ? {} : pty,
    known,
  );
  return {
    ...terminalSize(cols ?? COLS, rows ?? ROWS, 'options.pty.'),
    scrollback: integer('options.pty.scrollback', scrollback, 0, MAX_SCROLLBACK, 'lines') ?? SCROLLBACK,
    answersQueries: boolean('options.pty.answerQueries', answerQueries) ?? true,
    term: term === undefined ? 'xterm-256color' : cText('options.pty.term', term),
  };
}

/**
 * Returns the size, with both numbers moved into the valid range: a window that was dragged to nothing is no
 * error.
 */
function terminalSize(cols: unknown, rows: unknown, prefix = ''): { cols: number; rows: number } {
  return {
    cols: within(`${prefix}cols`, cols, COLS_RANGE),
    rows: within(`${prefix}rows`, rows, ROWS_RANGE),
  };
}

function within(name: string, value: unknown, [least, most]: Range): number {
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw invalid(name, `an integer from ${least} to ${most}`, value);
  return Math.min(Math.max(value, least), most);
}

export { MAX_SCROLLBACK, ptySpec, terminalSize };
