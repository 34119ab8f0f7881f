import { theHost } from '../../addon/host.mjs';
import { abortSignal, integer, invalid, object, timerMilliseconds } from '../../options/checks.mjs';
import { MAX_SCROLLBACK, terminalSize } from '../../options/pty-options.mjs';
import { waitUntil } from './wait-until.mjs';

/** How long a screen that is waited for may take (ms). */
const TIMEOUT_MS = 30_000;

/** A screen that has not changed for so long is idle (ms). */
const IDLE_MS = 200;

/** Cursor keys as most programs get them; others ask for `ESC O` instead of `ESC [`. */
const CURSOR_KEYS = /\x1b\[([ABCDHF])/g;

/** The terminal of a job: its screen, its size, and what its keys send. */
class JobScreen {
  #number;
  #pty;
  #native;

  /** To be made when the job was started: the addon's screen lives as long as this. */
  constructor(number, pty) {
    this.#number = number;
    this.#pty = pty;
    this.#native = theHost().screen(number);
  }

  /** The visible lines now. */
  look(options = {}) {
    const { scrollback } = object('options', options, ['scrollback']);
    return this.#screen(integer('options.scrollback', scrollback, 0, MAX_SCROLLBACK, 'lines') ?? 0);
  }

  resize(cols, rows) {
    const size = terminalSize(cols, rows);
    return theHost().resize(this.#number, size.cols, size.rows);
  }

  /** Text as a terminal sends it: cursor keys in the form that the program has asked for. */
  typed(chunk) {
    if (typeof chunk !== 'string' || chunk.search(CURSOR_KEYS) === -1) return chunk;
    return this.#native?.hasApplicationCursor() ? chunk.replace(CURSOR_KEYS, '\x1bO$1') : chunk;
  }

  /** How much memory the text takes of a job that is over (bytes). */
  memory() {
    return this.#native?.memory() ?? 0;
  }

  /** Waits for text, or for silence. `follow(listener)` calls `listener` at each change, and `isOver()` tells the end. */
  async waitFor(pattern, options, follow, isOver) {
    const { timeout = TIMEOUT_MS, idle = IDLE_MS, signal } = checkWait(pattern, options);
    const find = pattern === 'idle' ? () => null : finder(pattern);
    let screen;
    let match = null;
    const look = () => {
      const before = screen?.revision;
      screen = this.#screen(0);
      match = find(screen.text);
      return before !== screen.revision;
    };
    const begin = (settle) => {
      let timer;
      const step = () => {
        const hasChanged = look();
        if (match !== null) return settle('matched');
        if (isOver()) return settle('exited');
        if (pattern !== 'idle' || !hasChanged) return;
        clearTimeout(timer);
        timer = setTimeout(quiet, idle);
      };
      // Output since the last reported change is a change too.
      const quiet = () => (look() ? step() : settle('idle'));
      const stop = follow(step);
      step();
      if (pattern === 'idle') timer ??= setTimeout(quiet, idle);
      return [stop, () => clearTimeout(timer)];
    };
    const status = await waitUntil(begin, { timeout, signal });
    if (screen === undefined) look();
    return { status, screen, match };
  }

  #screen(scrollback) {
    const native = this.#native?.look(scrollback) ?? blank(this.#pty);
    const { lines, row, column, visible, cols, alternate, title, bracketedPaste } = native;
    return {
      lines,
      text: textOf([...native.scrollback, ...lines]),
      cursor: { row, column, visible },
      cols,
      rows: lines.length,
      alternate,
      title,
      bracketedPaste,
      scrollback: native.scrollback,
      scrollbackLines: native.scrollbackLines,
      revision: native.revision,
    };
  }
}

/** The lines as one text, without empty ones at its end. */
function textOf(lines) {
  let length = lines.length;
  while (length > 0 && lines[length - 1] === '') length--;
  return lines.slice(0, length).join('\n');
}

/** The screen of a command that could not be started. */
function blank({ cols, rows }) {
  return {
    lines: new Array(rows).fill(''),
    scrollback: [],
    scrollbackLines: 0,
    row: 0,
    column: 0,
    visible: true,
    cols,
    alternate: false,
    title: '',
    bracketedPaste: false,
    revision: 0,
  };
}

/** Looks for a pattern in a text: what it has matched, with its groups, or `null`. */
function finder(pattern) {
  if (typeof pattern === 'string') return (text) => (text.includes(pattern) ? [pattern] : null);
  // With these flags, an expression remembers where it was.
  const expression = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
  return (text) => {
    const match = expression.exec(text);
    return match === null ? null : [...match];
  };
}

function checkPattern(name, pattern) {
  const isText = typeof pattern === 'string' && pattern !== '';
  if (!isText && !(pattern instanceof RegExp)) throw invalid(name, 'text or a RegExp', pattern);
  return pattern;
}

function checkWait(pattern, options = {}) {
  checkPattern('pattern', pattern);
  const { timeout, idle, signal } = object('options', options, ['timeout', 'idle', 'signal']);
  return {
    timeout: timerMilliseconds('options.timeout', timeout),
    idle: timerMilliseconds('options.idle', idle),
    signal: abortSignal('options.signal', signal),
  };
}

export { checkPattern, finder, JobScreen };
