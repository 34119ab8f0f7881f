/**
 * A queue: first in, first out.
 *
 * Both operations take amortized constant time. `Array.prototype.shift` and `splice` move all that is behind: a long queue
 * that is emptied one by one takes quadratic time with them.
 */
class Queue {
  #items = [];
  /** Where the first item is. What is before has been taken. */
  #first = 0;

  get length() {
    return this.#items.length - this.#first;
  }

  push(item) {
    this.#items.push(item);
  }

  /** Takes the first item; `undefined` if there is none. */
  shift() {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#first];
    this.#items[this.#first++] = undefined;
    // At least as many have been taken as are moved.
    if (this.#first > COMPACT_FROM && this.#first * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }
}

/** So many taken items may be left in the array, however short the queue is. */
const COMPACT_FROM = 1_024;

export { Queue };
