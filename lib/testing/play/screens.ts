// The screens of a terminal. Which of its states a test sees depends on the moment at which it asks, so
// those after each piece of output are stored.

import { Buffer } from 'node:buffer';
import type { MoreSpec, ScreenState, TerminalScreen } from '../../addon/addon-types.ts';
import { failure, OutputReplay, question } from '../../addon/native.ts';
import type { Answers } from '../answers/answers.ts';

/** How a test has asked for a screen. */
interface View {
  scrollback: number;
  hasStyles: boolean;
}

/** The screens of the terminal of one command. */
export class Screens {
  #more: MoreSpec | undefined;
  /** The pieces of output, and the changes of the size. */
  #steps: (string | { cols: number; rows: number })[] = [];
  #views = new Map<string, View>();

  constructor(more: MoreSpec | undefined) {
    this.#more = more;
  }

  push(text: string): void {
    if (this.#more?.pty !== undefined) this.#steps.push(text);
  }

  resize(cols: number, rows: number): void {
    if (this.#more?.pty !== undefined) this.#steps.push({ cols, rows });
  }

  /**
   * Returns the addon's screen, and notes how it is asked. Without the addon, stored answers stand for it.
   *
   * @param native `null` for no terminal, and `undefined` without the addon
   */
  screen(native: TerminalScreen | null | undefined): TerminalScreen | null {
    if (native === null || this.#more?.pty === undefined) return null;
    return {
      snapshot: (scrollback, hasStyles) => {
        this.#views.set(`${scrollback} ${hasStyles}`, { scrollback, hasStyles });
        return (
          native?.snapshot(scrollback, hasStyles) ?? storedScreen(this.#stepsText(), scrollback, hasStyles)
        );
      },
      hasApplicationCursor: () => native?.hasApplicationCursor() ?? storedCursor(this.#stepsText()),
      memory: () => native?.memory() ?? 0,
    };
  }

  /** Collects all states of a screen that a test has asked for. */
  collect(answers: Answers): void {
    if (failure !== null || this.#views.size === 0) return;
    const replay = OutputReplay.ofRun(this.#more as never);
    for (const [index, step] of [undefined, ...this.#steps].entries()) {
      if (typeof step === 'string') replay.push('stdout' as never, Buffer.from(step));
      else if (step !== undefined) replay.resize(step.cols, step.rows);
      const screen = replay.screen() as TerminalScreen | null;
      if (screen === null) return;
      const so = this.#stepsText(index);
      const cursor = screen.hasApplicationCursor();
      answers.collect('hasApplicationCursor', [so], () => cursor, cursor);
      for (const { scrollback, hasStyles } of this.#views.values()) {
        // A held-back update is shown after a time, for which a replay does not wait.
        const state = { ...screen.snapshot(scrollback, hasStyles), heldFor: undefined };
        answers.collect('screen', [so, scrollback, hasStyles], () => state, state);
      }
    }
  }

  /** Returns what the terminal has got, up to a step. */
  #stepsText(steps: number = this.#steps.length): string {
    const { cols, rows } = this.#more?.pty ?? {};
    return JSON.stringify([{ cols, rows }, ...joined(this.#steps.slice(0, steps))]);
  }
}

/** Joins the pieces of output: their bounds make no difference. */
function joined(steps: readonly (string | object)[]): (string | object)[] {
  const result: (string | object)[] = [];
  for (const step of steps) {
    const last = result.at(-1);
    if (typeof step === 'string' && typeof last === 'string') result.splice(-1, 1, last + step);
    else result.push(step);
  }
  return result;
}

/** Only the double answers these: a machine with the addon has its own screens. */
const storedScreen = question('screen', (..._: [string, number, boolean]): ScreenState => NOTHING);
const storedCursor = question('hasApplicationCursor', (_: string): boolean => false);
const NOTHING = {} as ScreenState;
