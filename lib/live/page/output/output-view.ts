import type { Screen } from '../../../job/inspection/api.ts';
import type { LiveGap, LiveOutput } from '../../api.ts';
import { button, element } from '../elements.ts';
import type { ListedCommand } from '../model.ts';
import { TerminalOutput } from './terminal-output.ts';
import { TextOutput } from './text-output.ts';

export interface OutputOptions {
  nonce: string | undefined;
  onInput: (text: string) => void;
  /** Gets several pasted lines, about which the person is asked. */
  onPaste: (text: string) => void;
}

/** How near the end the output has to be scrolled to follow it (px). */
const END_DISTANCE = 30;

/** The output of one command, as text or as a terminal. */
class OutputView {
  readonly element: HTMLElement = element('div', { class: 'output' });
  #text: TextOutput | null = null;
  #terminal: TerminalOutput | null = null;
  #options: OutputOptions;
  #scroll = element('div', { class: 'out', tabindex: 0, role: 'region', 'aria-label': 'Output' });
  #toEnd = button('↓ Latest', () => this.#goToEnd(), { class: 'to-end', hidden: true });
  #input = element('form', { class: 'input', hidden: true });
  #follows = true;
  /** The position of the latest scrolling. */
  #latest = 0;
  #observer = new ResizeObserver(() => {
    if (this.#follows) this.#goToEnd();
  });
  #shownSize: { cols: number; rows: number } | null;

  constructor({ pty }: ListedCommand, options: OutputOptions) {
    this.#options = options;
    this.#shownSize = pty;
    if (pty === null) {
      this.#text = new TextOutput();
      this.#scroll.append(this.#text.element);
      this.#scroll.addEventListener('scroll', () => this.#scrolled());
      this.#observer.observe(this.#text.element);
      this.element.append(this.#scroll, this.#toEnd, this.#input);
      this.#makeInput();
    } else {
      this.#newTerminal(pty);
    }
  }

  /** Begins to show, once the element is in the page. */
  open(): void {
    this.#terminal?.open(this.#options.nonce);
  }

  push(event: LiveOutput | LiveGap, onShown: () => void): void {
    if (event.type === 'gap') {
      this.#text?.gap(event.bytes);
      this.#terminal?.gap(event.bytes);
      onShown();
    } else if (this.#terminal === null) {
      this.#text?.push(event.text, event.stream);
      onShown();
    } else {
      this.#terminal.push(event.text, onShown);
    }
    if (this.#follows) this.#goToEnd();
  }

  draw(screen: Screen): void {
    this.#terminal?.draw(screen);
  }

  clear(): void {
    this.#text?.clear();
    this.#terminal?.clear();
    this.#follows = true;
  }

  resize(size: { cols: number; rows: number }): void {
    if (this.#shownSize?.cols === size.cols && this.#shownSize.rows === size.rows) return;
    this.#shownSize = size;
    this.#terminal?.resize(size.cols, size.rows);
  }

  fitting(): { cols: number; rows: number } | undefined {
    return this.#terminal?.fitting();
  }

  type(isTyping: boolean): void {
    this.#terminal?.type(isTyping);
    if (this.#text === null) return;
    this.#input.hidden = !isTyping;
    if (isTyping) this.#input.querySelector('input')?.focus();
  }

  offerToReaders(isOffered: boolean): void {
    this.#terminal?.offerToReaders(isOffered);
  }

  paste(text: string): void {
    this.#terminal?.paste(text);
  }

  setColors(): void {
    this.#terminal?.setColors();
  }

  dispose(): void {
    this.#observer.disconnect();
    this.#terminal?.dispose();
  }

  #newTerminal(size: { cols: number; rows: number }): void {
    const { onInput, onPaste } = this.#options;
    this.#terminal = new TerminalOutput(size, { onInput, onPaste });
    this.element.append(this.#terminal.element);
  }

  #makeInput(): void {
    const field = element('input', {
      type: 'text',
      'aria-label': 'Line for the command',
      autocomplete: 'off',
    });
    const send = element('button', { type: 'submit' }, 'Send');
    this.#input.append(field, send);
    this.#input.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#options.onInput(`${field.value}\n`);
      field.value = '';
    });
  }

  #scrolled(): void {
    const { scrollTop, clientHeight, scrollHeight } = this.#scroll;
    // Blocks get their height when they come into view, so that the end moves: only a way up is a person's.
    if (scrollTop + clientHeight >= scrollHeight - END_DISTANCE) this.#follows = true;
    else if (scrollTop < this.#latest - 2) this.#follows = false;
    this.#latest = scrollTop;
    this.#toEnd.hidden = this.#follows;
  }

  #goToEnd(): void {
    this.#follows = true;
    this.#toEnd.hidden = true;
    this.#scroll.scrollTop = this.#scroll.scrollHeight;
  }
}

export { OutputView };
