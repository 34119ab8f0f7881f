import { theBinding } from '../../addon/binding.ts';

/**
 * The report of a job's process, and its pid: the event `spawn` comes once, if there was a listener for it.
 */
class SpawnReport {
  /** The pid, once it was reported. */
  pid: number | null = null;
  #isAsked = false;
  #number: number;
  #hasListener: () => boolean;
  #emit: () => void;

  constructor(number: number, hasListener: () => boolean, emit: () => void) {
    this.#number = number;
    this.#hasListener = hasListener;
    this.#emit = emit;
  }

  /** Asks the addon to report that the process runs, if there is a listener: the report wakes JavaScript. */
  follow(): void {
    if (this.#isAsked || !this.#hasListener()) return;
    this.#isAsked = true;
    theBinding().reportSpawn(this.#number);
  }

  /** Notes the pid, and emits the event. Idempotent. */
  note(pid: number | null): void {
    if (!this.#isAsked || this.pid !== null || pid === null) return;
    this.pid = pid;
    this.#emit();
  }
}

export { SpawnReport };
