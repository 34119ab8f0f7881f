import type { ToolUpdate } from '../../types/tools/definition.js';
import { now } from '../support/now.ts';
import { clearTimeout, setTimeout } from '../support/timers.ts';

/** The longest last line in an update (UTF-16 code units). */
const MOST_TAIL = 200;

/** Gets the updates of a call. */
export type UpdateListener = (update: ToolUpdate) => void;

/** Reports a command's output, at most once in each interval, and once more when the output has paused. */
class Updates {
  #listener: UpdateListener;
  #intervalMs: number;
  /** The most of the latest output that an update has (UTF-16 code units). */
  #mostText: number;
  #text = '';
  #chunk = '';
  #timer: NodeJS.Timeout | undefined;
  #lastTime: number = Number.NEGATIVE_INFINITY;

  constructor(listener: UpdateListener, intervalMs: number, mostText: number) {
    this.#listener = listener;
    this.#intervalMs = intervalMs;
    this.#mostText = mostText;
  }

  push(text: string): void {
    this.#text = lastOf(this.#text + text, this.#mostText);
    this.#chunk = lastOf(this.#chunk + text, this.#mostText);
    if (this.#timer !== undefined) return;
    const rest = this.#lastTime + this.#intervalMs - now();
    if (rest <= 0) this.#report();
    else this.#timer = setTimeout(() => this.#report(), rest).unref();
  }

  /** Stops all further updates. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#listener = () => {};
  }

  #report(): void {
    this.#timer = undefined;
    this.#lastTime = now();
    const chunk = this.#chunk;
    this.#chunk = '';
    this.#listener({ done: false, text: this.#text, tail: lastLine(this.#text), chunk });
  }
}

/** Returns the end of a text, from a whole character on. */
function lastOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.slice(-most);
  return /^[\uDC00-\uDFFF]/.test(end) ? end.slice(1) : end;
}

/** Returns the last line that is not blank. */
function lastLine(text: string): string {
  const line = text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return [...line.slice(0, 2 * MOST_TAIL)].slice(0, MOST_TAIL).join('');
}

/**
 * Returns a function that passes updates on to a caller's listener until it throws: the error is the
 * listener's own, and the call must settle anyway. Anything but a function listens to nothing.
 */
function untilItThrows(listener: unknown): UpdateListener {
  let current: UpdateListener | undefined =
    typeof listener === 'function' ? (listener as UpdateListener) : undefined;
  return (update) => {
    try {
      current?.(update);
    } catch {
      current = undefined;
    }
  };
}

export { lastLine, Updates, untilItThrows };
