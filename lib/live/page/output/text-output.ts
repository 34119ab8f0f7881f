import type { StreamName } from '../../../result/output-api.ts';
import { element, sizeText } from '../elements.ts';
import type { TextStyle } from './sgr.ts';
import { PLAIN, styleAfter, styled } from './sgr.ts';

/** The most lines that are shown, the lines of one block, and the longest line (UTF-16 code units). */
const MAX_LINES = 20_000;
const BLOCK = 200;
const MAX_LINE_LENGTH = 20_000;

/** A run of text with one look. */
interface StyledRun {
  text: string;
  style: TextStyle;
}

/** Something in text that is no character of it: a colour, or a control. */
const CONTROL = /\x1b\[([\d;:]*)m|[\n\r\b]/g;

/** The output of a command without a terminal: lines of the page, which can be searched and read aloud. */
class TextOutput {
  readonly element: HTMLElement = element('div', { class: 'text' });
  #blocks: HTMLElement[] = [];
  #count = 0;
  #dropped = 0;
  #note: HTMLElement | null = null;
  #line: HTMLElement | null = null;
  #runs: StyledRun[] = [];
  #length = 0;
  /** The column at which text overwrites the line; `null` at its end. */
  #column: number | null = null;
  #style = PLAIN;
  #stream: StreamName = 'stdout';

  push(text: string, stream: StreamName): void {
    // The streams share no look: a program that colours its errors may not end that in its output.
    if (stream !== this.#stream) {
      if (this.#length > 0) this.#end();
      this.#stream = stream;
      this.#style = PLAIN;
    }
    let at = 0;
    for (const control of text.matchAll(CONTROL)) {
      this.#add(text.slice(at, control.index));
      at = control.index + control[0].length;
      this.#control(control[0], control[1]);
    }
    this.#add(text.slice(at));
    this.#draw();
  }

  gap(bytes: number): void {
    if (this.#length > 0) this.#end();
    this.#begin().replaceChildren(`${sizeText(bytes)} of output are missing here`);
    this.#line?.classList.add('gap');
    this.#line = null;
  }

  clear(): void {
    this.element.replaceChildren();
    this.#blocks = [];
    this.#count = 0;
    this.#dropped = 0;
    this.#note = null;
    this.#line = null;
    this.#runs = [];
    this.#length = 0;
    this.#column = null;
    this.#style = PLAIN;
  }

  #control(control: string, parameters: string | undefined): void {
    if (parameters !== undefined) {
      this.#style = styleAfter(this.#style, parameters);
      return;
    }
    if (control === '\n') this.#end();
    else if (control === '\r') this.#column = 0;
    else this.#column = Math.max((this.#column ?? this.#length) - 1, 0);
  }

  #add(text: string): void {
    if (text === '') return;
    if (this.#column !== null) {
      this.#overwrite(text, this.#column);
      return;
    }
    for (let at = 0; at < text.length; ) {
      const part = text.slice(at, at + MAX_LINE_LENGTH - this.#length);
      this.#runs.push({ text: part, style: this.#style });
      this.#length += part.length;
      at += part.length;
      if (this.#length >= MAX_LINE_LENGTH) this.#end();
    }
  }

  /** Writes over the line from a column on, as progress does. */
  #overwrite(text: string, column: number): void {
    const cells = this.#runs.flatMap(({ text: part, style }) =>
      [...part].map((character) => ({ character, style })),
    );
    for (const [index, character] of [...text].entries())
      cells[column + index] = { character, style: this.#style };
    const kept = cells.slice(0, MAX_LINE_LENGTH);
    this.#runs = [];
    for (const { character, style } of kept) {
      const last = this.#runs.at(-1);
      if (last?.style === style) last.text += character;
      else this.#runs.push({ text: character, style });
    }
    this.#length = kept.length;
    const next = column + [...text].length;
    this.#column = next < this.#length ? next : null;
  }

  /** Ends the line. */
  #end(): void {
    this.#draw();
    if (this.#line === null) this.#begin();
    this.#line = null;
    this.#runs = [];
    this.#length = 0;
    this.#column = null;
  }

  #draw(): void {
    if (this.#runs.length === 0) return;
    const line = this.#line ?? this.#begin();
    line.replaceChildren(...this.#runs.map(({ text, style }) => styled(text, style)));
  }

  /** Begins a line of the page. */
  #begin(): HTMLElement {
    let block = this.#blocks.at(-1);
    if (block === undefined || block.childElementCount >= BLOCK) {
      block = element('div', { class: 'block' });
      this.#blocks.push(block);
      this.element.append(block);
    }
    const line = element('div', { class: this.#stream === 'stderr' ? 'line err' : 'line' });
    block.append(line);
    this.#line = line;
    this.#count++;
    if (this.#count > MAX_LINES) this.#dropBlock();
    return line;
  }

  #dropBlock(): void {
    const block = this.#blocks.shift();
    if (block === undefined) return;
    this.#count -= block.childElementCount;
    this.#dropped += block.childElementCount;
    block.remove();
    if (this.#note === null) {
      this.#note = element('div', { class: 'line gap' });
      this.element.prepend(this.#note);
    }
    this.#note.textContent = `${this.#dropped} earlier lines are not shown`;
  }
}

export { TextOutput };
