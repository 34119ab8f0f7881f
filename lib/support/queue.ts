/**
 * A queue: first in, first out.
 *
 * Both operations take amortized constant time. `Array.prototype.shift` and `splice` move all following
 * items, so emptying a long queue with them takes quadratic time.
 */
class Queue<T> {
  #items: (T | undefined)[] = [];
  /** The index of the first item. The slots before it are empty. */
  #first = 0;

  get length(): number {
    return this.#items.length - this.#first;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Returns the first item; `undefined` if there is none. */
  peek(): T | undefined {
    return this.#items[this.#first];
  }

  /** Removes and returns the first item; `undefined` if there is none. */
  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#first];
    this.#items[this.#first++] = undefined;
    // Amortized constant time: at least as many items were removed as are moved now.
    if (this.#first > COMPACT_FROM && this.#first * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }
}

/** The number of empty slots that may stay in the array, even in a short queue. */
const COMPACT_FROM = 1_024;

export { Queue };
