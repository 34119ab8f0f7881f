import type { Job } from 'agent-bash';
import type { AttachOptions, ConsoleEnd, ConsoleView } from './api.ts';
import { Console } from './console.ts';
import { HeldTerminal } from './held-terminal.ts';
import type { AttachSettings } from './options.ts';
import { checkAttach, checkJob } from './options.ts';
import type { Area } from './painter.ts';
import { Painter } from './painter.ts';

/** Enters the alternate screen, and turns off the wrapping of lines; and back. */
const ENTER = '\x1b[?1049h\x1b[?7l\x1b[2J';
const LEAVE = '\x1b[?7h\x1b[?1049l';
/** Saves the cursor of the screen around a region; and restores it. */
const ENTER_REGION = '\x1b7\x1b[?7l';
const LEAVE_REGION = '\x1b[?7h\x1b8';

const ORDINARY = '\x1b[?2004l\x1b[0m\x1b[?25h';

function attach(job: Job, options?: AttachOptions): ConsoleView {
  const settings = checkAttach(options);
  return new AttachedView(checkJob(job), settings);
}

/** A console in a terminal. */
class AttachedView implements ConsoleView {
  readonly console: Console;
  readonly done: Promise<{ reason: ConsoleEnd }>;
  #settings: AttachSettings;
  #painter: Painter;
  #terminal: HeldTerminal;
  #hasPaste = false;
  /** Whether the terminal takes no more for now. */
  #isFull = false;
  #resolve: (end: { reason: ConsoleEnd }) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #onResize = (): void => this.#resized();
  #onDrain = (): void => {
    this.#isFull = false;
    this.#paint();
  };

  constructor(job: Job, settings: AttachSettings) {
    const { output, region, title, onEscape, detachKey } = settings;
    this.#settings = settings;
    this.#painter = new Painter(this.#area(), region !== undefined, title ?? (region && 'Console'));
    this.console = new Console(job, { escape: onEscape, detachKey });
    this.#terminal = this.#hold();
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.console.on('change', () => this.#paint());
    this.console.on('end', (reason: ConsoleEnd) => this.#end(reason));
    output.on('resize', this.#onResize);
    output.on('drain', this.#onDrain);
    this.#paint();
  }

  detach(): void {
    this.console.detach();
  }

  kill(): void {
    this.console.kill();
  }

  #hold(): HeldTerminal {
    const { input, output, region } = this.#settings;
    const use = {
      enter: () => (region === undefined ? ENTER : ENTER_REGION),
      leave: () => this.#leave(),
      onInput: (typed: Uint8Array) => this.console.input(typed),
      onResume: () => this.#repaint(),
      onGone: () => this.console.close(),
    };
    try {
      return new HeldTerminal({ input, output }, use);
    } catch (error) {
      this.console.detach();
      throw error;
    }
  }

  #area(): Area {
    const { region, output } = this.#settings;
    if (region !== undefined) return region;
    return { row: 0, column: 0, cols: Math.max(2, output.columns || 80), rows: output.rows || 24 };
  }

  #hint(): string {
    const { onEscape, detachKey } = this.#settings;
    if (this.console.isKilling) return 'the command is being ended';
    const ends = onEscape === 'send' ? [] : [`esc ${onEscape === 'detach' ? 'detaches' : 'kills'}`];
    return [...ends, ...(detachKey === false ? [] : [`${detachKey} detaches`])].join(' · ');
  }

  #paint(): void {
    if (this.#isFull || this.console.ended !== null) return;
    try {
      const hint = this.#hint();
      const lines = this.console.render(this.#painter.inner(hint));
      this.#write(this.#pasteMode() + this.#painter.paint(lines, hint, this.console.cursor));
    } catch (error) {
      this.#reject(error);
      this.#release();
    }
  }

  #repaint(): void {
    this.#painter.forget();
    this.#hasPaste = false;
    this.#paint();
  }

  #resized(): void {
    if (this.#settings.region !== undefined) return;
    this.#painter.move(this.#area());
    this.#write('\x1b[2J');
    this.#paint();
  }

  /** Returns the sequence by which the terminal marks pasted text as the program expects it. */
  #pasteMode(): string {
    const { bracketedPaste } = this.console;
    if (bracketedPaste === this.#hasPaste) return '';
    this.#hasPaste = bracketedPaste;
    return `\x1b[?2004${bracketedPaste ? 'h' : 'l'}`;
  }

  #leave(): string {
    if (this.#settings.region === undefined) return ORDINARY + LEAVE;
    return this.#painter.clear() + ORDINARY + LEAVE_REGION;
  }

  #write(text: string): void {
    if (text !== '' && !this.#settings.output.write(text)) this.#isFull = true;
  }

  #end(reason: ConsoleEnd): void {
    this.#release();
    this.#resolve({ reason });
  }

  #release(): void {
    const { output } = this.#settings;
    output.off('resize', this.#onResize);
    output.off('drain', this.#onDrain);
    this.#terminal.release();
    this.console.detach();
  }
}

export { attach };
