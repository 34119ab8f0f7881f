import { cText, integer, invalid, isRecord, object } from './checks.mjs';

/** The size of a terminal, and what it keeps, unless it is asked for more or less. */
const COLS = 80;
const ROWS = 24;
const SCROLLBACK = 1_000;

/** A terminal is no larger than this. */
const MAX_COLS = 1_000;
const MAX_ROWS = 500;
const MAX_SCROLLBACK = 100_000;

/** The terminal that a command is to have, for the addon, with its name (`TERM`); `undefined` for none. */
function ptySpec(pty) {
  if (pty === undefined || pty === false) return undefined;
  if (pty !== true && !isRecord(pty)) throw invalid('options.pty', 'true, false or an object', pty);
  const { cols, rows, term, scrollback } =
    pty === true ? {} : object('options.pty', pty, ['cols', 'rows', 'term', 'scrollback']);
  return {
    ...terminalSize(cols ?? COLS, rows ?? ROWS, 'options.pty.'),
    scrollback: integer('options.pty.scrollback', scrollback, 0, MAX_SCROLLBACK, 'lines') ?? SCROLLBACK,
    term: term === undefined ? 'xterm-256color' : cText('options.pty.term', term),
  };
}

/** A size that a terminal can have: whoever drags a window to nothing means no error. */
function terminalSize(cols, rows, prefix = '') {
  return {
    cols: within(`${prefix}cols`, cols, MAX_COLS),
    rows: within(`${prefix}rows`, rows, MAX_ROWS),
  };
}

function within(name, value, most) {
  if (!Number.isInteger(value)) throw invalid(name, `an integer from 1 to ${most}`, value);
  return Math.min(Math.max(value, 1), most);
}

export { MAX_SCROLLBACK, ptySpec, terminalSize };
