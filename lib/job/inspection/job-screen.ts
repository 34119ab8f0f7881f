import type { ScreenState, TerminalScreen } from '../../addon/addon-types.ts';
import { theBinding } from '../../addon/binding.ts';
import { abortSignal, boolean, integer, invalid, object, timerMilliseconds } from '../../options/checks.ts';
import type { Terminal } from '../../options/command/pty-options.ts';
import { MAX_SCROLLBACK, terminalSize } from '../../options/command/pty-options.ts';
import { clearTimeout, setTimeout } from '../../support/timers.ts';
import type { Screen, ScreenOptions, WaitForScreenOptions, WaitForScreenResult } from './api.ts';
import type { Settle } from './wait-until.ts';
import { waitUntil } from './wait-until.ts';

/** Searches a text, and returns the match with its groups, or `null`. */
export type Find = (text: string) => (string | undefined)[] | null;

/** The default timeout of `waitForScreen()` (ms). */
const TIMEOUT_MS = 30_000;

/** The default time without a change after which a screen is idle (ms). */
const IDLE_MS = 200;

/** Cursor keys in the form that most programs expect. Other programs switch to `ESC O` instead of `ESC [`. */
const CURSOR_KEYS = /\x1b\[([ABCDHF])/g;

/** The terminal of a job: its screen, its size, and the bytes that its keys send. */
class JobScreen {
  #number: number;
  #pty: Terminal;
  /** The addon's screen, which this object keeps alive; `null` before the start of the job. */
  #native: TerminalScreen | null;
  /** The size that was asked for before the start, or `null`. */
  #earlySize: { cols: number; rows: number } | null = null;

  constructor(number: number, pty: Terminal) {
    this.#number = number;
    this.#pty = pty;
    this.#native = theBinding().screen(number);
  }

  /** Connects the terminal right after the start of the job. */
  attach(): void {
    this.#native ??= theBinding().screen(this.#number);
    if (this.#earlySize !== null)
      theBinding().resize(this.#number, this.#earlySize.cols, this.#earlySize.rows);
  }

  /** Returns the visible lines now. */
  snapshot(options: ScreenOptions = {}): Screen {
    const { scrollback, ansi } = object('options', options, ['scrollback', 'ansi']);
    const most = integer('options.scrollback', scrollback, 0, MAX_SCROLLBACK, 'lines') ?? 0;
    return screenOf(this.#snapshot(most, boolean('options.ansi', ansi)));
  }

  resize(cols: number, rows: number): boolean {
    const size = terminalSize(cols, rows);
    if (this.#native === null) this.#earlySize = size;
    return theBinding().resize(this.#number, size.cols, size.rows);
  }

  /**
   * Converts text to the bytes that a terminal sends, with cursor keys in the form that the program has
   * selected.
   */
  typed(chunk: string | Uint8Array): string | Uint8Array {
    if (typeof chunk !== 'string' || chunk.search(CURSOR_KEYS) === -1) return chunk;
    return this.#native?.hasApplicationCursor() ? chunk.replace(CURSOR_KEYS, '\x1bO$1') : chunk;
  }

  /** Returns the memory of the screen of a finished job (bytes). */
  memory(): number {
    return this.#native?.memory() ?? 0;
  }

  /**
   * Waits until the screen matches a pattern, or is idle. `follow(listener)` calls `listener` at each change,
   * and `isOver()` returns whether the job is over.
   */
  async waitFor(
    pattern: RegExp | string,
    options: WaitForScreenOptions | undefined,
    follow: (listener: () => void) => () => void,
    isOver: () => boolean,
  ): Promise<WaitForScreenResult> {
    const { timeout = TIMEOUT_MS, idle = IDLE_MS, signal } = checkWait(pattern, options);
    const find: Find = pattern === 'idle' ? () => null : finder(pattern);
    let screen: Screen | undefined;
    let heldFor: number | undefined;
    let match: (string | undefined)[] | null = null;
    const check = () => {
      const before = screen?.revision;
      const native = this.#snapshot(0);
      heldFor = native.heldFor;
      screen = screenOf(native);
      match = find(screen.text);
      return before !== screen.revision;
    };
    const begin = (settle: Settle<WaitForScreenResult['status']>) => {
      let timer: NodeJS.Timeout | undefined;
      let heldTimer: NodeJS.Timeout | undefined;
      const step = () => {
        const hasChanged = check();
        // An update that a program holds back and never shows is shown after a time, without more output.
        clearTimeout(heldTimer);
        if (heldFor != null) heldTimer = setTimeout(step, heldFor);
        if (match !== null) return settle('matched');
        if (isOver()) return settle('exited');
        if (pattern !== 'idle' || !hasChanged) return;
        clearTimeout(timer);
        timer = setTimeout(quiet, idle);
      };
      // A change that no event has reported yet starts the time anew.
      const quiet = () => {
        const hasChanged = check();
        if (!hasChanged && heldFor == null) return settle('idle');
        timer = setTimeout(quiet, hasChanged ? idle : heldFor);
      };
      const stop = follow(step);
      step();
      if (pattern === 'idle') timer ??= setTimeout(quiet, idle);
      return [stop, () => clearTimeout(timer), () => clearTimeout(heldTimer)];
    };
    const status = await waitUntil(begin, { timeout, signal });
    if (screen === undefined) check();
    return { status, screen: screen as unknown as Screen, match };
  }

  #snapshot(scrollback: number, hasStyles = false): ScreenState {
    return this.#native?.snapshot(scrollback, hasStyles) ?? blank(this.#pty, hasStyles);
  }
}

/** Returns the screen as callers get it. */
function screenOf(native: ScreenState): Screen {
  const { lines, ansi, text, row, column, visible, cols, alternate, title, bracketedPaste } = native;
  return {
    lines,
    ...(ansi && { ansi }),
    text,
    cursor: { row, column, visible },
    cols,
    rows: lines.length,
    alternate,
    title,
    bracketedPaste,
    partial: native.partial,
    scrollback: native.scrollback,
    scrollbackLines: native.scrollbackLines,
    revision: native.revision,
  };
}

/** Returns the blank screen of a command that could not be started. */
function blank({ cols, rows }: Terminal, hasStyles: boolean): ScreenState {
  return {
    ...(hasStyles && { ansi: new Array(rows).fill('') }),
    lines: new Array(rows).fill(''),
    text: '',
    scrollback: [],
    scrollbackLines: 0,
    row: 0,
    column: 0,
    visible: true,
    cols,
    alternate: false,
    title: '',
    bracketedPaste: false,
    partial: false,
    revision: 0,
  };
}

/** Returns a function that searches a text for a pattern and returns the match with its groups, or `null`. */
function finder(pattern: RegExp | string): Find {
  if (typeof pattern === 'string') return (text) => (text.includes(pattern) ? [pattern] : null);
  // The flags `g` and `y` would make the expression remember its last match.
  const expression = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
  return (text) => {
    const match = expression.exec(text);
    return match === null ? null : [...match];
  };
}

function checkPattern(name: string, pattern: unknown): string | RegExp {
  if (typeof pattern === 'string' && pattern !== '') return pattern;
  if (pattern instanceof RegExp) return pattern;
  throw invalid(name, 'text or a RegExp', pattern);
}

function checkWait(pattern: unknown, options: unknown = {}): WaitForScreenOptions {
  checkPattern('pattern', pattern);
  const { timeout, idle, signal } = object('options', options, ['timeout', 'idle', 'signal']);
  return {
    timeout: timerMilliseconds('options.timeout', timeout),
    idle: timerMilliseconds('options.idle', idle),
    signal: abortSignal('options.signal', signal),
  };
}

export { checkPattern, finder, JobScreen };
