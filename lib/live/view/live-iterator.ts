import { Queue } from '../../support/queue.ts';
import type { LiveEvent } from '../api.ts';
import { FollowedOutput } from '../output/followed-output.ts';
import type { KnownCommand } from './live-commands.ts';

/** The most events that wait, besides output. */
const MAX_EVENTS = 10_000;

/** The output that is read at once (bytes). */
const READ_BYTES = 64 * 1024;

/**
 * Iterates over the events of a `Live`. Output is read when it is asked for: it waits in the buffers of the
 * commands.
 */
class LiveIterator implements AsyncIterableIterator<LiveEvent> {
  #seq: () => number;
  #onReturn: () => void;
  #events = new Queue<LiveEvent>();
  #pieces = new Queue<LiveEvent>();
  #outputs = new Map<string, FollowedOutput>();
  /** The commands that may have output. */
  #changed = new Set<FollowedOutput>();
  #takers: ((result: IteratorResult<LiveEvent>) => void)[] = [];
  #isDone = false;

  constructor(seq: () => number, onReturn: () => void) {
    this.#seq = seq;
    this.#onReturn = onReturn;
  }

  /** Adds an event, and begins to follow a command at its start. */
  push(event: LiveEvent, known: KnownCommand | undefined): void {
    if (event.type === 'start' && known !== undefined) {
      const output: FollowedOutput = new FollowedOutput(known, this.#seq, () => {
        this.#changed.add(output);
        this.#deliver();
      });
      this.#outputs.set(event.id, output);
    }
    this.#events.push(event);
    if (this.#events.length > MAX_EVENTS) this.#forget(this.#events.shift());
    this.#deliver();
  }

  finish(): void {
    this.#isDone = true;
    for (const output of this.#outputs.values()) output.stop();
    this.#deliver();
  }

  next(): Promise<IteratorResult<LiveEvent>> {
    return new Promise((resolve) => {
      this.#takers.push(resolve);
      this.#deliver();
    });
  }

  return(): Promise<IteratorResult<LiveEvent>> {
    this.#events = new Queue();
    this.#pieces = new Queue();
    this.#changed.clear();
    this.finish();
    this.#outputs.clear();
    this.#onReturn();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #deliver(): void {
    while (this.#takers.length > 0) {
      const value = this.#take();
      if (value === undefined && !this.#isDone) return;
      const taker = this.#takers.shift();
      taker?.(value === undefined ? { value: undefined, done: true } : { value, done: false });
    }
  }

  /** Returns the next event: of output before the next other event of its command. */
  #take(): LiveEvent | undefined {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) return piece;
      const next = this.#events.peek();
      if (next !== undefined) {
        if ('id' in next && next.type !== 'start' && this.#read(this.#outputs.get(next.id))) continue;
        this.#events.shift();
        this.#forget(next);
        return next;
      }
      const [changed] = this.#changed;
      if (changed === undefined) return undefined;
      if (!this.#read(changed)) this.#changed.delete(changed);
    }
  }

  /** Reads output of a command. Returns whether there was any. */
  #read(output: FollowedOutput | undefined): boolean {
    const pieces = output?.read(READ_BYTES) ?? [];
    for (const { event } of pieces) this.#pieces.push(event);
    return pieces.length > 0;
  }

  /** Stops to follow a command whose end was taken, or dropped. */
  #forget(event: LiveEvent | undefined): void {
    if (event?.type !== 'end') return;
    const output = this.#outputs.get(event.id);
    if (output === undefined) return;
    output.stop();
    this.#outputs.delete(event.id);
    this.#changed.delete(output);
  }
}

export { LiveIterator };
