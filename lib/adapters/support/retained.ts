// The latest output of a stream, up to a number of bytes.

import { Buffer } from 'node:buffer';

class Retained {
  #most: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** The bytes that were dropped. */
  dropped = 0;

  /** `most` is the most bytes that are kept; `Infinity` for all. */
  constructor(most: number) {
    this.#most = most;
  }

  add(text: string): void {
    const chunk = Buffer.from(text);
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    while (this.#bytes > this.#most) this.#shorten();
  }

  /** The output as text, from a whole character on. */
  get text(): string {
    const bytes = Buffer.concat(this.#chunks);
    let start = 0;
    // A byte that continues a character has the highest bits 10.
    while (this.dropped > 0 && start < 3 && (bytes[start] & 0xc0) === 0x80) start++;
    return bytes.toString('utf8', start);
  }

  #shorten(): void {
    const [first] = this.#chunks;
    const size = Math.min(first.length, this.#bytes - this.#most);
    if (size === first.length) this.#chunks.shift();
    else this.#chunks[0] = first.subarray(size);
    this.#bytes -= size;
    this.dropped += size;
  }
}

export { Retained };
