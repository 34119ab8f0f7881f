import { theBinding } from '../addon/binding.ts';
import { redacted } from '../redact/redacted.ts';
import type { Redactor } from '../redact/redaction.ts';
import type { DurableInfo } from './api.ts';
import { durableInfo } from './info.ts';

/** A durable job of this process: one that it has started, or to which it is attached. */
class DurableLink {
  readonly id: string;
  readonly directory: string;
  #known: DurableInfo | null;
  #redactor: Redactor | undefined;

  /** @param known what was found of the job to which this process attaches; `null` for a start */
  constructor(
    id: string,
    directory: string,
    redactor: Redactor | undefined,
    known: DurableInfo | null = null,
  ) {
    this.#redactor = redactor;
    this.id = id;
    this.directory = directory;
    this.#known = known;
  }

  /** Returns what is known now of the job, whose number at the addon is given; `null` before the launch. */
  info(number: number): DurableInfo | null {
    const live = theBinding().durable(number);
    if (live !== null) this.#known = durableInfo(live);
    return redacted(this.#known, this.#redactor);
  }

  /** Keeps what the result of the job tells, which is the last that this process learns. */
  note(last: DurableInfo | undefined): void {
    if (last !== undefined) this.#known = last;
  }
}

export { DurableLink };
