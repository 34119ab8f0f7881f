import type { Job } from '../../job/job.ts';
import { inside } from '../../job/job.ts';
import type { Jobs } from '../../jobs.ts';
import type { RunResult } from '../../result/api.ts';
import { now } from '../../support/now.ts';
import type { Grant } from '../actions.ts';
import type { BudgetedView } from '../options/command-run-options.ts';
import type { OutputFile } from '../outcomes.ts';
import type { ToolCall } from '../toolset-state.ts';

/** The first id of the style `number`. */
const FIRST_NUMBER = 1000;

/** The facts about a job when it is added. */
export interface NewEntry {
  label?: string | null | undefined;
  /** The call that has started the job; `undefined` for a job of other code. */
  call?: ToolCall;
  cursor?: number;
  isOpen?: boolean;
  isTerminal?: boolean;
  file?: OutputFile | null;
  directory?: string | undefined;
  view?: BudgetedView | undefined;
  pid?: number | null;
  adopted?: number[] | undefined;
  grant?: Grant | undefined;
  asksFirst?: boolean;
}

/** A job of a toolset. */
export interface JobEntry {
  readonly id: string;
  readonly job: Job;
  readonly label: string | null;
  /** The id of the call that has started the job. */
  readonly callId: string | undefined;
  /** The dialect's name of its tool, and its arguments as JSON. */
  readonly tool: string | undefined;
  readonly text: string;
  /** The end of the output that the model has read (bytes from the job's start). */
  cursor: number;
  readonly isOpen: boolean;
  readonly isTerminal: boolean;
  /** The file with all output, or the directory in which it is made when it is needed. */
  readonly file: OutputFile | null;
  readonly directory: string | undefined;
  readonly view: BudgetedView | undefined;
  pid: number | null;
  /**
   * The pids of the processes that a command has left, if the job is these processes; `undefined` for a
   * command.
   */
  readonly adopted: number[] | undefined;
  /** The grant of its command beyond the sandbox; `undefined` for nothing. */
  readonly grant: Grant | undefined;
  /** Whether the next input to it needs an approval: its sandbox may be weaker than that of the toolset. */
  asksFirst: boolean;
  /** The number of lines before an offset of the output. */
  linesBefore: { cursor: number; count: number };
  readonly startedAt: number;
  killed: boolean;
  result: RunResult | null;
}

type OnEnd = (entry: JobEntry, result: RunResult) => void;

/**
 * The jobs of a toolset, by the ids that its dialect gives them. `style` is `job` (the ids of the table),
 * `number`, `pid`, or a prefix.
 */
class JobEntries {
  #style: string;
  #table: Jobs;
  #entries = new Map<string, JobEntry>();
  #count = 0;
  #onEnd: OnEnd;

  constructor(style: string, table: Jobs, onEnd: OnEnd) {
    this.#style = style;
    this.#table = table;
    this.#onEnd = onEnd;
  }

  /** Adds a job of the table. `view` has the options of the view of its output, if the model reads one. */
  add(
    job: Job,
    {
      label = null,
      call,
      cursor = 0,
      isOpen = false,
      isTerminal = false,
      file = null,
      directory,
      view,
      pid = job.pid,
      adopted,
      grant,
      asksFirst = false,
    }: NewEntry,
  ): JobEntry {
    const entry: JobEntry = {
      id: this.#newId(job, pid),
      job,
      label,
      callId: call?.context.callId,
      tool: call?.ownName,
      text: call?.text ?? '{}',
      cursor,
      isOpen,
      isTerminal,
      file,
      directory,
      view,
      pid,
      adopted,
      grant,
      asksFirst,
      linesBefore: { cursor: 0, count: 0 },
      startedAt: now(),
      killed: false,
      result: null,
    };
    this.#entries.set(entry.id, entry);
    inside.over(job).then((over) => {
      const result = over as RunResult;
      entry.result = result;
      this.#onEnd(entry, result);
    });
    return entry;
  }

  /** Returns the entry of this id; `undefined` if there is none, or its job is forgotten. */
  get(id: string): JobEntry | undefined {
    const entry = this.#entries.get(id);
    if (entry !== undefined && this.#table.get(entry.job.id) === undefined) {
      this.#entries.delete(id);
      return undefined;
    }
    return entry ?? this.#foreign(id);
  }

  /** Returns the entries whose jobs are still in the table, in the order of their start. */
  list(): JobEntry[] {
    return [...this.#entries.keys()].flatMap((id) => this.get(id) ?? []);
  }

  /** Returns an entry for a job of the table that other code has started. */
  #foreign(id: string): JobEntry | undefined {
    const job = this.#style === 'job' ? this.#table.get(id) : undefined;
    return job && this.add(job, {});
  }

  #newId(job: Job, pid: number | null): string {
    this.#count++;
    if (this.#style === 'job') return job.id;
    if (this.#style === 'number') return String(FIRST_NUMBER + this.#count);
    if (this.#style === 'pid') return String(pid);
    return `${this.#style}${this.#count}`;
  }
}

/** Returns whether the command of a job is over. Its result may arrive a moment later. */
function isOver({ job }: { job: Job }): boolean {
  return inside.isOver(job);
}

export { isOver, JobEntries };
