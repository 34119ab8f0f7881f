import { EventEmitter } from 'node:events';
import type { Job, Screen } from 'agent-bash';
import { bytes, invalid } from '../options/checks.ts';
import { clearTimeout, setImmediate, setTimeout } from '../support/timers.ts';
import type { ConsoleEnd, ConsoleOptions } from './api.ts';
import { checkConsole, checkJob, checkSize } from './options.ts';
import { TypedKeys } from './typed-keys.ts';

/** The shortest time between two changes (ms): one frame of a screen. */
const FRAME_MS = 16;

/** The time after which a screen shows what a program has held back, and some more (ms). */
const HELD_MS = 170;

/**
 * A job's terminal for a person: its screen as lines to show, and the keys that are typed.
 *
 * The lines are those of the emulator, with colours and attributes. The program's own bytes never reach the
 * person's terminal, so the program can't set its clipboard, ask it questions or leave it in a mode.
 */
class Console extends EventEmitter<{ change: []; end: [reason: ConsoleEnd] }> {
  readonly job: Job;
  #keys: TypedKeys;
  #size: { cols: number; rows: number } | undefined;
  /** The screen that was shown last; after the end the last one. */
  #shown: Screen;
  #frame: NodeJS.Timeout | undefined;
  #held: NodeJS.Timeout | undefined;
  #isKilling = false;
  #end: ConsoleEnd | null = null;
  #onScreen = (): void => this.#follow();
  #onExit = (): void => this.#exited();

  constructor(job: Job, options?: ConsoleOptions) {
    super();
    const { onEscape, detachKey } = checkConsole(options);
    this.job = checkJob(job);
    this.#shown = job.screen({ ansi: true });
    this.#keys = new TypedKeys({
      takesEscape: () => {
        if (onEscape === 'send') return false;
        return onEscape !== 'auto' || !this.#see().alternate;
      },
      takesDetach: detachKey !== false,
      send: (typed) => this.#type(typed),
      escape: () => (onEscape === 'detach' ? this.#finish('detached') : this.kill()),
      detach: () => this.#finish('detached'),
    });
    job.on('screen', this.#onScreen);
    job.on('exit', this.#onExit);
    // A screen that was shown before the listener was added is no change for it.
    this.#follow();
    if (!isRunning(job)) setImmediate(() => this.#exited());
  }

  /** The cursor of the screen that was rendered last. */
  get cursor(): Screen['cursor'] {
    return { ...this.#shown.cursor };
  }

  get bracketedPaste(): boolean {
    return this.#shown.bracketedPaste;
  }

  /** Whether the command is being ended by a key or by `kill()`. */
  get isKilling(): boolean {
    return this.#isKilling && this.#end === null;
  }

  /** The reason of the end; `null` before it. */
  get ended(): ConsoleEnd | null {
    return this.#end;
  }

  render(size: { cols: number; rows: number }): string[] {
    const { cols, rows } = checkSize(size);
    if (this.#end === null && (this.#size?.cols !== cols || this.#size.rows !== rows)) {
      this.#size = { cols, rows };
      this.job.resize(cols, rows);
    }
    this.#shown = this.#see();
    const { ansi = [], cursor } = this.#shown;
    // Only a command that is over, or another viewer, leaves a screen that is larger.
    const first = Math.max(0, Math.min(cursor.row, ansi.length - 1) - rows + 1);
    const lines = ansi.slice(first, first + rows);
    return [...lines, ...new Array<string>(rows - lines.length).fill('')];
  }

  input(typed: string | Uint8Array): void {
    if (typeof typed !== 'string' && !(typed instanceof Uint8Array)) {
      throw invalid('typed', 'a string or a Uint8Array', typed);
    }
    if (this.#end === null) this.#keys.push(bytes('typed', typed));
  }

  kill(): void {
    if (this.#end !== null) return;
    this.#isKilling = true;
    this.job.kill();
    this.#follow();
  }

  detach(): void {
    this.#finish('detached');
  }

  /** Ends the console because its input or its output is gone. */
  close(): void {
    this.#finish('closed');
  }

  /** Types bytes. A job converts the keys of text to the form that its program expects. */
  #type(typed: Uint8Array): void {
    const text = Buffer.from(typed).toString();
    this.job.write(Buffer.from(text).equals(typed) ? text : typed);
  }

  /** Returns the screen now; the last one if a table has forgotten the job. */
  #see(): Screen {
    if (this.#end !== null) return this.#shown;
    try {
      return this.job.screen({ ansi: true });
    } catch {
      return this.#shown;
    }
  }

  /** Announces a change at the next frame, and what the program holds back until it has to be shown. */
  #follow(): void {
    if (this.#end !== null) return;
    this.#frame ??= setTimeout(() => {
      this.#frame = undefined;
      this.emit('change');
      clearTimeout(this.#held);
      this.#held = setTimeout(() => this.#showHeld(), HELD_MS);
    }, FRAME_MS);
  }

  #showHeld(): void {
    if (this.#end === null && this.#see().revision !== this.#shown.revision) this.emit('change');
  }

  #exited(): void {
    if (this.#end !== null) return;
    // The table may forget the job, and its screen, soon.
    this.#shown = this.#see();
    this.#finish(this.#isKilling ? 'killed' : 'exited');
  }

  #finish(end: ConsoleEnd): void {
    if (this.#end !== null) return;
    this.#end = end;
    this.#keys.stop();
    clearTimeout(this.#frame);
    clearTimeout(this.#held);
    this.job.off('screen', this.#onScreen);
    this.job.off('exit', this.#onExit);
    this.emit('end', end);
  }
}

function isRunning({ status }: Job): boolean {
  return status === 'starting' || status === 'running';
}

export { Console };
