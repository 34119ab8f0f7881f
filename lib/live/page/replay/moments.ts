import type { Moment } from './player.ts';

/** The most output that is kept to be played again (UTF-16 code units). */
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** The latest output of a command, to play it again and to save it. */
class Moments {
  #all: Moment[] = [];
  #length = 0;
  /** The length of what was dropped. */
  #dropped = 0;

  add(moment: Moment): void {
    this.#all.push(moment);
    this.#length += lengthOf(moment);
    if (this.#length <= MAX_CHARACTERS) return;
    // Half of it at once: each removal moves all the others.
    let count = 0;
    while (this.#length > MAX_CHARACTERS / 2) {
      const length = lengthOf(this.#all[count++]);
      this.#length -= length;
      this.#dropped += length;
    }
    this.#all.splice(0, count);
  }

  clear(): void {
    this.#all = [];
    this.#length = 0;
    this.#dropped = 0;
  }

  /** Returns what is kept, after a gap for what was dropped. */
  get all(): readonly Moment[] {
    const [first] = this.#all;
    if (this.#dropped === 0 || first === undefined) return this.#all;
    const event = { type: 'gap' as const, id: first.event.id, bytes: this.#dropped };
    return [{ time: first.time, event }, ...this.#all];
  }
}

function lengthOf({ event }: Moment): number {
  return event.type === 'gap' ? 0 : event.text.length;
}

export { Moments };
