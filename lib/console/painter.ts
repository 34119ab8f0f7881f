import type { ConsoleRegion } from './api.ts';

/** The part of a terminal in which a console is painted, from 0. */
export type Area = ConsoleRegion;

const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';
const DIM = '\x1b[2m';
const PLAIN = '\x1b[0m';

/**
 * Makes the sequences that show the lines of a console, of which only those that have changed are painted.
 */
class Painter {
  #area: Area;
  #title: string | undefined;
  #hasBorder: boolean;
  /** The text that each row of the area shows. */
  #rows: string[] = [];
  #cursor = '';

  /**
   * @param hasBorder whether there is a box around the lines, with the title and the hint in it. Otherwise
   * the
   *   last row has both
   */
  constructor(area: Area, hasBorder: boolean, title: string | undefined) {
    this.#area = area;
    this.#hasBorder = hasBorder;
    this.#title = title;
  }

  /** Moves to another area, of which nothing is painted yet. */
  move(area: Area): void {
    this.#area = area;
    this.forget();
  }

  /** Paints all rows at the next time. */
  forget(): void {
    this.#rows = [];
    this.#cursor = '';
  }

  /** Returns the size that is left for the lines of the console. */
  inner(hint: string): { cols: number; rows: number } {
    const { cols, rows } = this.#area;
    if (this.#hasBorder) return { cols: cols - 2, rows: rows - 2 };
    return { cols, rows: Math.max(1, this.#isHintShown(hint) ? rows - 1 : rows) };
  }

  /** Returns the sequences that show these lines, with a hint below; empty if nothing has changed. */
  paint(lines: string[], hint: string, cursor: { row: number; column: number; visible: boolean }): string {
    const rows = this.#hasBorder ? this.#boxed(lines, hint) : this.#plain(lines, hint);
    const changed = rows.flatMap((row, index) => (row === this.#rows[index] ? [] : [this.#row(index, row)]));
    this.#rows = rows;
    const place = this.#cursorAt(cursor);
    if (changed.length === 0 && place === this.#cursor) return '';
    this.#cursor = place;
    return `${BEGIN}\x1b[?25l${changed.join('')}${place}${END}`;
  }

  /** Returns the sequences that empty the area. */
  clear(): string {
    return Array.from({ length: this.#area.rows }, (_, index) => this.#row(index, '')).join('');
  }

  #row(index: number, text: string): string {
    const { row, column, cols } = this.#area;
    return `\x1b[${row + index + 1};${column + 1}H${PLAIN}\x1b[${cols}X${text}`;
  }

  #cursorAt({ row, column, visible }: { row: number; column: number; visible: boolean }): string {
    if (!visible) return '';
    const border = this.#hasBorder ? 1 : 0;
    const at = (own: number, inside: number, most: number) => own + border + Math.min(inside, most) + 1;
    const { cols, rows } = this.#area;
    const line = at(this.#area.row, row, rows - 1 - 2 * border);
    return `\x1b[${line};${at(this.#area.column, column, cols - 1 - 2 * border)}H\x1b[?25h`;
  }

  #isHintShown(hint: string): boolean {
    return this.#area.rows > 1 && (hint !== '' || this.#title !== undefined);
  }

  #plain(lines: string[], hint: string): string[] {
    if (!this.#isHintShown(hint)) return lines;
    const parts = [this.#title ?? '', hint].filter((part) => part !== '').join(' · ');
    return [...lines, `${DIM}${cut(parts, this.#area.cols)}${PLAIN}`];
  }

  #boxed(lines: string[], hint: string): string[] {
    const { column, cols } = this.#area;
    const side = `${DIM}│${PLAIN}`;
    // The last border stands at its column, whatever the width of the line before.
    const right = `\x1b[${column + cols}G${side}`;
    return [
      edge('┌', this.#title ?? '', '┐', cols),
      ...lines.map((line) => `${side}${line}${right}`),
      edge('└', hint, '┘', cols),
    ];
  }
}

function edge(left: string, text: string, right: string, cols: number): string {
  const label = text === '' ? '' : ` ${cut(text, Math.max(0, cols - 4))} `;
  const line = '─'.repeat(Math.max(0, cols - 2 - [...label].length));
  return `${DIM}${left}${label}${line}${right}${PLAIN}`;
}

/** Returns a text without control characters, at most so many characters of it. */
function cut(text: string, most: number): string {
  return [...text.replace(/[\x00-\x1f\x7f-\x9f]/g, ' ')].slice(0, most).join('');
}

export { Painter };
