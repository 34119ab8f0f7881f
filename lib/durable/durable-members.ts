import { theBinding } from '../addon/binding.ts';
import type { EventScope } from '../job/events/event-scope.ts';
import { JobEmitter } from '../job/events/job-emitter.ts';
import { inside } from '../job/inside.ts';
import type { Job } from '../job/job.ts';
import { invalid } from '../options/checks.ts';
import { features } from '../support/features.ts';
import type { DurableInfo } from './api.ts';
import { notDurable } from './durable-errors.ts';
import type { DurableLink } from './durable-link.ts';

/** The members of a job about its life without this process. */
class DurableMembers extends JobEmitter {
  #link: DurableLink | undefined;

  static {
    inside.durable = (job) => (job as DurableMembers).#link;
  }

  constructor(scope: EventScope, added: (name: string) => void, link: DurableLink | undefined) {
    super(scope, added);
    this.#link = link;
  }

  get durable(): DurableInfo | null {
    return this.#link?.info(this.#number()) ?? null;
  }

  detach(): void {
    this.#linked();
    // An ended job has its end already.
    theBinding().detach(this.#number());
  }

  async extend(ms: number): Promise<number> {
    const { directory, id } = this.#linked();
    const { extend, lifetime } = features();
    const time = lifetime('ms', ms);
    if (time === undefined) throw invalid('ms', 'the milliseconds until the new end', ms);
    return extend(directory, id, time);
  }

  #linked(): DurableLink {
    if (this.#link === undefined) throw notDurable();
    return this.#link;
  }

  #number(): number {
    return inside.number(this as unknown as Job);
  }
}

export { DurableMembers };
