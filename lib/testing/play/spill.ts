import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SpillSpec } from '../../addon/addon-types.ts';
import type { Spilled } from './results.ts';

let next = 1;

/** The file with the whole output of a command that does not run. */
export class SpillWriter {
  #spec: SpillSpec;
  #path: string | null = null;
  #held: Uint8Array[] = [];
  #bytes = 0;
  #isComplete = true;

  constructor(spec: SpillSpec) {
    this.#spec = spec;
    if (this.#above === 0) this.#create();
  }

  get #above(): number {
    return this.#spec.above ?? 0;
  }

  write(bytes: Uint8Array): void {
    const room = (this.#spec.maxBytes ?? Number.POSITIVE_INFINITY) - this.#bytes;
    const kept = bytes.subarray(0, Math.max(0, room));
    if (kept.length < bytes.length) this.#isComplete = false;
    this.#bytes += kept.length;
    this.#held.push(kept);
    if (this.#path === null && this.#bytes > this.#above) this.#create();
    if (this.#path === null) return;
    for (const part of this.#held.splice(0)) appendFileSync(this.#path, part);
  }

  /** Returns what a result says of the file; `undefined` without one. `recorded` is what a recording says. */
  report(recorded: { bytes: number; complete: boolean } | undefined): Spilled | undefined {
    if (this.#path === null) return undefined;
    return {
      path: this.#path,
      bytes: recorded?.bytes ?? this.#bytes,
      complete: recorded?.complete ?? this.#isComplete,
    };
  }

  #create(): void {
    const { directory } = this.#spec;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    // The name is that of the engine's files, with another number.
    this.#path = join(directory, `output-${process.pid}-r${next++}.txt`);
    writeFileSync(this.#path, '', { mode: 0o600, flag: 'wx' });
  }
}
