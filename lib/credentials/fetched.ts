// The values that functions gave, which outputs may still show.

/** The bound of the values that newer ones have replaced (bytes): each command redacts all of them. */
const MAX_REPLACED = 16 * 1024;

/** The values that the functions of a scope gave: the last one of each, and the newest of those before. */
class FetchedValues {
  /** The names by their values, the newest last. */
  readonly #names = new Map<string, string>();
  /** The last values by the positions of their secrets. */
  readonly #last = new Map<number, string>();

  /** Keeps a value of the secret at this position. */
  note(secret: number, name: string, value: string): void {
    // Moves a value that came again to the end.
    this.#names.delete(value);
    this.#names.set(value, name);
    this.#last.set(secret, value);
    const last = new Set(this.#last.values());
    const replaced = [...this.#names.keys()].filter((each) => !last.has(each));
    let bytes = 0;
    for (const each of replaced.reverse()) {
      bytes += Buffer.byteLength(each);
      if (bytes > MAX_REPLACED) this.#names.delete(each);
    }
  }

  /** Returns the names and values. */
  all(): [name: string, value: string][] {
    return [...this.#names].map(([value, name]) => [name, value]);
  }
}

export { FetchedValues };
