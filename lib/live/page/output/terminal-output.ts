import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import type { Screen } from '../../../job/inspection/api.ts';
import { element, sizeText, visible } from '../elements.ts';

/** The sizes of the letters (px). */
const FONT = 13;
const SMALLEST_FONT = 5;

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** The output of a command with a terminal, in the size of that terminal. */
class TerminalOutput {
  readonly element: HTMLElement = element('div', { class: 'term' });
  #terminal: Terminal;
  #fit = new FitAddon();
  #onInput: (text: string) => void;
  #onPaste: (text: string) => void;
  #observer: ResizeObserver;
  #isTyping = false;

  constructor(
    { cols, rows }: { cols: number; rows: number },
    options: { onInput: (text: string) => void; onPaste: (text: string) => void },
  ) {
    this.#onInput = options.onInput;
    this.#onPaste = options.onPaste;
    this.#terminal = new Terminal({
      cols,
      rows,
      fontSize: FONT,
      fontFamily: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
      scrollback: 5_000,
      disableStdin: true,
      // A link in output would lead elsewhere than it says.
      linkHandler: { activate: () => {} },
    });
    this.#terminal.loadAddon(this.#fit);
    this.#terminal.onData((text) => {
      if (this.#isTyping) this.#onInput(text);
    });
    this.#observer = new ResizeObserver(() => this.#scale());
  }

  /** Shows the terminal, once its element is in the page. */
  open(nonce: string | undefined): void {
    withNonce(nonce, () => this.#terminal.open(this.element));
    this.setColors();
    this.#observer.observe(this.element);
    this.#scale();
    // Keys that leave the terminal, whatever program is in it.
    this.#terminal.attachCustomKeyEventHandler((event) => event.key !== 'F6');
    this.element.addEventListener('paste', (event) => this.#paste(event), true);
  }

  push(text: string, onShown: () => void): void {
    this.#terminal.write(text, onShown);
  }

  gap(bytes: number): void {
    this.#terminal.write(`\r\n\x1b[2m[${sizeText(bytes)} of output are missing here]\x1b[0m\r\n`);
  }

  /** Shows a screen as text, which is what is left of the output before. */
  draw({ lines, cursor }: Screen): void {
    const text = lines.map((line) => visible(line)).join('\r\n');
    this.#terminal.write(`\x1b[2J\x1b[H${text}\x1b[${cursor.row + 1};${cursor.column + 1}H`);
  }

  clear(): void {
    this.#terminal.reset();
  }

  resize(cols: number, rows: number): void {
    this.#terminal.resize(cols, rows);
    this.#scale();
  }

  /** Returns the size with which the terminal would fill the page. */
  fitting(): { cols: number; rows: number } | undefined {
    this.#terminal.options.fontSize = FONT;
    const found = this.#fit.proposeDimensions();
    this.#scale();
    if (found === undefined || !(found.cols >= 2 && found.rows >= 2)) return undefined;
    return { cols: Math.min(found.cols, 1_000), rows: Math.min(found.rows, 1_000) };
  }

  /** Passes on what is typed, or stops that. */
  type(isTyping: boolean): void {
    this.#isTyping = isTyping;
    this.#terminal.options.disableStdin = !isTyping;
    this.#terminal.options.cursorBlink = isTyping;
    if (isTyping) this.#terminal.focus();
  }

  /** Offers the lines to screen readers, which takes time with each output. */
  offerToReaders(isOffered: boolean): void {
    this.#terminal.options.screenReaderMode = isOffered;
  }

  paste(text: string): void {
    this.#terminal.paste(text);
  }

  /** Returns the visible lines, for tests and for copying. */
  get text(): string {
    const { active } = this.#terminal.buffer;
    const lines = Array.from({ length: this.#terminal.rows }, (_, row) =>
      active.getLine(active.viewportY + row),
    );
    return lines.map((line) => line?.translateToString(true) ?? '').join('\n');
  }

  /** Takes the colours of the theme. */
  setColors(): void {
    const probe = element('span');
    this.element.append(probe);
    const colour = (name: string) => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color;
    };
    const sixteen = NAMES.flatMap((name, index) => [
      [name, colour(`ansi-${index}`)],
      [`bright${name[0].toUpperCase()}${name.slice(1)}`, colour(`ansi-${index + 8}`)],
    ]);
    const selectionBackground = colour('selection');
    this.#terminal.options.theme = {
      ...Object.fromEntries(sixteen),
      background: colour('ansi-bg'),
      foreground: colour('ansi-fg'),
      cursor: colour('accent'),
      selectionBackground,
    };
    probe.remove();
  }

  dispose(): void {
    this.#observer.disconnect();
    this.#terminal.dispose();
  }

  /** Chooses the size of the letters with which all columns are seen. */
  #scale(): void {
    const { clientWidth, clientHeight } = this.element;
    const screen = this.element.querySelector<HTMLElement>('.xterm-screen');
    if (clientWidth === 0 || screen === null || screen.offsetWidth === 0) return;
    const font = this.#terminal.options.fontSize ?? FONT;
    const ratio = Math.min(
      (clientWidth - 18) / screen.offsetWidth,
      (clientHeight - 12) / screen.offsetHeight,
    );
    const wanted = Math.min(Math.max(Math.floor(font * ratio * 2) / 2, SMALLEST_FONT), FONT);
    if (wanted !== font) this.#terminal.options.fontSize = wanted;
  }

  #paste(event: ClipboardEvent): void {
    const text = event.clipboardData?.getData('text') ?? '';
    if (!this.#isTyping || !/[\r\n]./s.test(text)) return;
    event.preventDefault();
    event.stopPropagation();
    this.#onPaste(text);
  }
}

/** Gives the style elements that the terminal makes the nonce of the page's policy. */
function withNonce(nonce: string | undefined, act: () => void): void {
  if (nonce === undefined) {
    act();
    return;
  }
  const create = document.createElement.bind(document);
  document.createElement = ((name: string, options?: ElementCreationOptions) => {
    const made = create(name, options);
    if (name === 'style') made.nonce = nonce;
    return made;
  }) as typeof document.createElement;
  try {
    act();
  } finally {
    // The function of the prototype again.
    Reflect.deleteProperty(document, 'createElement');
  }
}

export { TerminalOutput };
