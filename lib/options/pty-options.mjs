import { cText, integer, invalid, isRecord, object } from './checks.mjs';

/** The default size of a terminal, and the default number of lines above its top that it keeps. */
const COLS = 80;
const ROWS = 24;
const SCROLLBACK = 1_000;

/** The largest size of a terminal. */
const MAX_COLS = 1_000;
const MAX_ROWS = 500;
const MAX_SCROLLBACK = 100_000;

/** Returns the addon's options of a command's terminal, with its name (`TERM`); `undefined` for none. */
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

/**
 * Returns the size, with both numbers moved into the valid range: a window that was dragged to nothing is no error.
 */
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
