// A person's terminal in the mode of a console, and its restoration whatever happens.

import { busy } from './options.ts';

export interface TerminalStreams {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
}

/** The texts and callbacks by which a console uses its terminal. */
export interface TerminalUse {
  /** Writes what shows the console, or takes it back. */
  enter: () => string;
  leave: () => string;
  onInput: (typed: Uint8Array) => void;
  /** Called when the terminal shows the console again, after a stop of this process. */
  onResume: () => void;
  /** Called when the input or the output is gone. */
  onGone: () => void;
}

/** The terminals that consoles hold, by their inputs. */
const held = new Map<NodeJS.ReadStream, HeldTerminal>();

/** The signals that end this process, where nobody listens to them. */
const ENDING_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** The events by which others get what is typed. */
const INPUT_EVENTS = ['data', 'readable', 'keypress'] as const;

type Listener = (...given: unknown[]) => void;

/**
 * A terminal that a console holds: its keys go to the console alone, and each as it is.
 *
 * The terminal is as before after `release()`, and when this process exits, throws, is ended by a signal or
 * is stopped. Only SIGKILL of this process, which no program notices, leaves it as it is.
 */
class HeldTerminal {
  #streams: TerminalStreams;
  #use: TerminalUse;
  #isReleased = false;
  /** Whether the terminal is in the mode of the console, and not given back for a stop of this process. */
  #isEntered = false;
  #wasRaw: boolean;
  #wasFlowing: boolean;
  #others: [string, Listener][];
  #onData = (chunk: string | Uint8Array): void => this.#use.onInput(Buffer.from(chunk as Uint8Array));
  #onGone = (): void => this.#use.onGone();
  #hasOutput = true;
  #onOutputGone = (): void => {
    this.#hasOutput = false;
    this.#use.onGone();
  };

  constructor(streams: TerminalStreams, use: TerminalUse) {
    const { input, output } = streams;
    if (held.has(input)) throw busy();
    this.#streams = streams;
    this.#use = use;
    this.#wasRaw = input.isRaw === true;
    this.#wasFlowing = input.readableFlowing === true;
    this.#others = INPUT_EVENTS.flatMap((name) =>
      input.rawListeners(name).map((listener): [string, Listener] => [name, listener as Listener]),
    );
    if (held.size === 0) watchProcess();
    held.set(input, this);
    try {
      this.#enter();
    } catch (error) {
      this.#forget();
      throw error;
    }
    for (const [name, listener] of this.#others) input.off(name, listener);
    input.on('data', this.#onData);
    for (const name of ['end', 'close', 'error']) input.on(name, this.#onGone);
    for (const name of ['close', 'error']) output.on(name, this.#onOutputGone);
    input.resume();
  }

  /** Restores the terminal. Idempotent. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#leave();
    this.#forget();
    const { input, output } = this.#streams;
    input.off('data', this.#onData);
    for (const name of ['end', 'close', 'error']) input.off(name, this.#onGone);
    for (const name of ['close', 'error']) output.off(name, this.#onOutputGone);
    if (!this.#wasFlowing) input.pause();
    for (const [name, listener] of this.#others) input.on(name, listener);
  }

  /** Restores the terminal while this process is stopped. */
  suspend(): void {
    this.#leave();
  }

  /** Takes the terminal again. The shell may have changed its mode, without that Node.js knows. */
  resume(): void {
    if (this.#isReleased) return;
    if (this.#isEntered) this.#setRaw(false);
    this.#enter();
    this.#use.onResume();
  }

  #enter(): void {
    this.#isEntered = true;
    this.#setRaw(true);
    this.#streams.output.write(this.#use.enter());
  }

  #leave(): void {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    // The output of a terminal is written at once, also while this process exits.
    if (this.#hasOutput) this.#streams.output.write(this.#use.leave());
    this.#setRaw(this.#wasRaw);
  }

  #setRaw(isRaw: boolean): void {
    const { input } = this.#streams;
    if (!input.isTTY || input.destroyed) return;
    try {
      input.setRawMode(isRaw);
    } catch {
      // The terminal is gone, which the input reports.
    }
  }

  #forget(): void {
    held.delete(this.#streams.input);
    if (held.size === 0) forgetProcess();
  }
}

function releaseAll(): void {
  for (const terminal of [...held.values()]) terminal.release();
}

/**
 * Ends this process by a signal as if nobody had listened; where somebody else listens, it is their decision.
 */
function endBy(name: NodeJS.Signals): void {
  if (process.listenerCount(name) > 1) return;
  releaseAll();
  process.kill(process.pid, name);
}

/** Stops this process, with its terminals as they were. */
function stop(): void {
  for (const terminal of held.values()) terminal.suspend();
  process.kill(process.pid, 'SIGSTOP');
}

function continueAfterStop(): void {
  for (const terminal of held.values()) terminal.resume();
}

function watchProcess(): void {
  process.on('exit', releaseAll);
  // Before the listeners of others: one that listens once is no longer counted after its call.
  for (const name of ENDING_SIGNALS) process.prependListener(name, endBy);
  process.on('SIGTSTP', stop);
  process.on('SIGCONT', continueAfterStop);
}

function forgetProcess(): void {
  process.off('exit', releaseAll);
  for (const name of ENDING_SIGNALS) process.off(name, endBy);
  process.off('SIGTSTP', stop);
  process.off('SIGCONT', continueAfterStop);
}

export { HeldTerminal };
