// The part of a command's output that may reach a person's terminal, a file that a terminal plays, or a page.

/** Text without a control character. */
const PLAIN = /[^\x00-\x1f\x7f-\x9f]+/y;

/**
 * The controls of one character that pass: those that move the cursor; with a terminal, shifts and the bell
 * too.
 */
const CONTROLS_OF_TEXT = '\b\t\n\r';
const CONTROLS_OF_TERMINAL = '\x07\b\t\n\v\f\r\x0e\x0f';

/** The most characters of a sequence that may pass. No program needs more. */
const MAX_SEQUENCE = 256;

/**
 * Control sequences that pass with a terminal: those that write to the screen, and modes. What asks the
 * terminal for an answer does not, nor what prints, moves the window or reads the screen.
 */
const CSI_OF_TERMINAL =
  /^(?:[\d;:]*(?:[@ABCDEFGHIJKLMPSTXZ`abdefghlmrsu]| q)|\?[\d;]*[hlJKrs]|[>=<][\d;]*u|>[\d;]*m|!p)$/;
const CSI_OF_TEXT = /^[\d;:]*m$/;

/**
 * Sequences of `ESC` that pass with a terminal: the cursor, tab stops, the keypad, character sets, a reset.
 */
const ESCAPES = /^(?:[78=>DEHMNOcno|}~]|[()*+\-./][0-~]|#[3-68])$/;

/**
 * Operating system commands that pass with a terminal: those that set or reset colours, and don't ask for
 * them.
 */
const COLOURS = /^(?:4(?:;\d+;[\w:/#. ]+)+|1[0-2](?:;[\w:/#. ]+)+|104(?:;\d+)*|11[0-2])$/;

type State = 'ground' | 'escape' | 'csi' | 'command' | 'string';

/**
 * Passes on text without what could do harm where it is shown, however it is cut into pieces.
 *
 * Without a terminal, only colours and tabs, line ends and backspaces are left of all controls. With one, all
 * that changes the screen passes, and nothing that sets titles, links or the clipboard, or makes the terminal
 * answer: the engine's own terminal has answered. A sequence passes whole or not at all, and always in its
 * 7-bit form.
 */
class SafeSequences {
  #hasTerminal: boolean;
  #state: State = 'ground';
  /** The sequence so far, without its introducer; `null` for one that is too long to pass. */
  #held: string | null = '';
  /** The string before an `ESC` that may be the first half of its end. */
  #pending: { state: State; held: string | null } | null = null;

  constructor(hasTerminal: boolean) {
    this.#hasTerminal = hasTerminal;
  }

  /** Adds the next piece of text, and returns what passes. A sequence that is not complete is held back. */
  push(text: string): string {
    let passed = '';
    for (let at = 0; at < text.length; ) {
      if (this.#state === 'ground') {
        PLAIN.lastIndex = at;
        const [plain] = PLAIN.exec(text) ?? [''];
        passed += plain;
        at += plain.length;
        if (at === text.length) break;
      }
      passed += this.#take(text[at]);
      at++;
    }
    return passed;
  }

  /** Drops a sequence that is not complete: the text after it is missing. */
  reset(): void {
    this.#state = 'ground';
    this.#held = '';
  }

  /** Takes one character. Returns what passes by it. */
  #take(character: string): string {
    const code = character.charCodeAt(0);
    // A cancel, a substitute, and a line end in text end any sequence.
    if (code === 0x18 || code === 0x1a || (code === 0x0a && !this.#hasTerminal)) {
      this.reset();
      return code === 0x0a ? character : '';
    }
    // The C1 controls are those of `ESC` and a letter.
    if (code >= 0x80 && code <= 0x9f) {
      return this.#begin() + this.#inEscape(String.fromCharCode(code - 0x40));
    }
    if (code === 0x1b) return this.#begin();
    switch (this.#state) {
      case 'ground':
        return this.#control(character);
      case 'command':
      case 'string':
        if (code === 0x07) return this.#endString();
        // Terminals ignore other controls there.
        if (code >= 0x20) this.#hold(character);
        return '';
      default:
        if (code < 0x20) return this.#control(character);
        if (code === 0x7f) return '';
        return this.#state === 'escape' ? this.#inEscape(character) : this.#inCsi(character, code);
    }
  }

  /** Begins a sequence. A string that was not ended is dropped, unless `\` follows. */
  #begin(): string {
    const isString = this.#state === 'command' || this.#state === 'string';
    this.#pending = isString ? { state: this.#state, held: this.#held } : null;
    this.#state = 'escape';
    this.#held = '';
    return '';
  }

  #inEscape(character: string): string {
    const before = this.#held;
    if (before === '') {
      if (character === '\\') {
        const { state, held } = this.#pending ?? { state: 'ground', held: '' };
        this.#state = state;
        this.#held = held;
        return this.#endString();
      }
      this.#pending = null;
      if (character === '[') return this.#enter('csi');
      if (character === ']') return this.#enter('command');
      if ('PX^_'.includes(character)) return this.#enter('string');
    }
    this.#hold(character);
    // Characters from the blank to the slash are in the middle of a sequence.
    if (character < '0') return '';
    return this.#end('\x1b', ESCAPES);
  }

  #inCsi(character: string, code: number): string {
    this.#hold(character);
    // A character outside of ASCII is in no sequence: it shows that this is none.
    if (code > 0x7e) {
      this.reset();
      return '';
    }
    if (code < 0x40) return '';
    return this.#end('\x1b[', this.#hasTerminal ? CSI_OF_TERMINAL : CSI_OF_TEXT);
  }

  #endString(): string {
    if (this.#state === 'command') return this.#end('\x1b]', COLOURS, '\x1b\\');
    this.reset();
    return '';
  }

  /** Ends a sequence, and returns it if it may pass. */
  #end(introducer: string, allowed: RegExp, terminator = ''): string {
    const held = this.#held;
    this.reset();
    const isAllowed = (this.#hasTerminal || allowed === CSI_OF_TEXT) && held !== null && allowed.test(held);
    return isAllowed ? introducer + held + terminator : '';
  }

  #enter(state: State): string {
    this.#state = state;
    this.#held = '';
    return '';
  }

  #hold(character: string): void {
    if (this.#held === null) return;
    this.#held = this.#held.length < MAX_SEQUENCE ? this.#held + character : null;
  }

  #control(character: string): string {
    return (this.#hasTerminal ? CONTROLS_OF_TERMINAL : CONTROLS_OF_TEXT).includes(character) ? character : '';
  }
}

export { SafeSequences };
