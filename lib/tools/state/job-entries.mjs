import { inside } from '../../job/job.ts';
import { now } from '../../support/now.ts';

/** The first id of the style `number`. */
const FIRST_NUMBER = 1000;

/**
 * The jobs of a toolset, by the ids that its dialect gives them. `style` is `job` (the ids of the table),
 * `number`, `pid`, or a prefix.
 */
class JobEntries {
  #style;
  #table;
  #entries = new Map();
  #count = 0;
  #onEnd;

  constructor(style, table, onEnd) {
    this.#style = style;
    this.#table = table;
    this.#onEnd = onEnd;
  }

  /** Adds a job of the table. `view` has the options of the view of its output, if the model reads one. */
  add(
    job,
    {
      label = null,
      callId,
      cursor = 0,
      isOpen = false,
      isTerminal = false,
      file = null,
      directory,
      view,
      pid = job.pid,
      adopted,
      grant,
    },
  ) {
    const entry = {
      id: this.#newId(job, pid),
      job,
      label,
      /** The id of the call that has started the job. */
      callId,
      cursor,
      isOpen,
      isTerminal,
      /** The file with all output, or the directory in which it is made when it is needed. */
      file,
      directory,
      view,
      pid,
      /**
       * The pids of the processes that a command has left, if the job is these processes; `undefined` for a
       * command.
       */
      adopted,
      /** The grant of its command beyond the sandbox; `undefined` for nothing. */
      grant,
      linesBefore: { cursor: 0, count: 0 },
      startedAt: now(),
      killed: false,
      result: null,
    };
    this.#entries.set(entry.id, entry);
    inside.over(job).then((result) => {
      entry.result = result;
      this.#onEnd(entry, result);
    });
    return entry;
  }

  /** Returns the entry of this id; `undefined` if there is none, or its job is forgotten. */
  get(id) {
    const entry = this.#entries.get(id);
    if (entry !== undefined && this.#table.get(entry.job.id) === undefined) {
      this.#entries.delete(id);
      return undefined;
    }
    return entry ?? this.#foreign(id);
  }

  /** Returns the entries whose jobs are still in the table, in the order of their start. */
  list() {
    return [...this.#entries.keys()].flatMap((id) => this.get(id) ?? []);
  }

  /** Returns an entry for a job of the table that other code has started. */
  #foreign(id) {
    const job = this.#style === 'job' ? this.#table.get(id) : undefined;
    return job && this.add(job, {});
  }

  #newId(job, pid) {
    this.#count++;
    if (this.#style === 'job') return job.id;
    if (this.#style === 'number') return String(FIRST_NUMBER + this.#count);
    if (this.#style === 'pid') return String(pid);
    return `${this.#style}${this.#count}`;
  }
}

/** Returns whether the command of a job is over. Its result may arrive a moment later. */
function isOver({ job }) {
  return inside.isOver(job);
}

export { isOver, JobEntries };
