// The text of an asciicast v3 (docs.asciinema.org/manual/asciicast/v3).

import { visible } from '../../addon/native.ts';

/** The header of a recording. */
export interface CastHeader {
  cols: number;
  rows: number;
  /** Seconds since 1970. */
  timestamp: number;
  idleTimeLimit: number;
  title: string;
}

/** The most characters of a title and of a marker. */
const MAX_TITLE_LENGTH = 200;
const MAX_MARKER_LENGTH = 120;

/**
 * The most bytes of a line with an event: less than a page of memory, in which the kernel writes it whole or
 * not at all.
 */
const MAX_LINE_LENGTH = 4_000;

/**
 * Makes the lines of a recording. The times of its events (ms) never fall: an earlier one is taken as the
 * latest.
 */
class Asciicast {
  #latest: number | null = null;

  header({ cols, rows, timestamp, idleTimeLimit, title }: CastHeader): string {
    const term = { cols, rows, type: 'xterm-256color' };
    const shown = { title: cut(visible(title), MAX_TITLE_LENGTH) };
    return `${JSON.stringify({ version: 3, term, timestamp, idle_time_limit: idleTimeLimit, ...shown })}\n`;
  }

  /** Returns the lines of an output or an input, each of at most {@link MAX_LINE_LENGTH} bytes. */
  text(time: number, code: 'o' | 'i', text: string): string[] {
    const lines: string[] = [];
    for (let at = 0; at < text.length; ) {
      let length = Math.min(MAX_LINE_LENGTH, text.length - at);
      let line = '';
      for (;;) {
        const isInPair = (text.codePointAt(at + length - 1) ?? 0) > 0xffff;
        // An odd half of a pair at the end of the text is no pair.
        if (isInPair && at + length < text.length) length += length > 1 ? -1 : 1;
        line = JSON.stringify(text.slice(at, at + length));
        if (Buffer.byteLength(line) <= MAX_LINE_LENGTH || length <= 2) break;
        length = Math.ceil(length / 2);
      }
      lines.push(`[${this.#interval(time)},"${code}",${line}]\n`);
      at += length;
    }
    return lines;
  }

  marker(time: number, text: string): string {
    return `[${this.#interval(time)},"m",${JSON.stringify(cut(visible(text), MAX_MARKER_LENGTH))}]\n`;
  }

  resize(time: number, cols: number, rows: number): string {
    return `[${this.#interval(time)},"r","${cols}x${rows}"]\n`;
  }

  exit(time: number, code: number): string {
    return `[${this.#interval(time)},"x","${code}"]\n`;
  }

  /** Returns a line that only the pages of this package read. */
  comment(content: object): string {
    return `#agent-bash ${JSON.stringify(content)}\n`;
  }

  #interval(time: number): string {
    const latest = this.#latest ?? time;
    this.#latest = Math.max(latest, time);
    return ((this.#latest - latest) / 1_000).toFixed(3);
  }
}

/** Cuts a text of one line, with an ellipsis. */
function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

export { Asciicast };
