import { ref, unref } from './addon/binding.ts';
import type { DurableInfo } from './durable/api.ts';
import { notDurable } from './durable/durable-errors.ts';
import type { DurableSettings } from './durable/durable-options.ts';
import type { DurableTable, OwnTable } from './durable/durable-table.ts';
import { addAbortListener } from './job/abort.ts';
import type { JobOutput } from './job/api.ts';
import { CommandJob } from './job/command-job.ts';
import type { CommandPlan } from './job/command-plan.ts';
import type { Job } from './job/job.ts';
import { inside, notFound } from './job/job.ts';
import type { WaitOptions, WaitResult } from './job/jobs-api.ts';
import type { Recording } from './live/record/api.ts';
import type { ActiveRecording } from './live/record/recording.ts';
import type { Observers } from './observe/observers.ts';
import { scopes } from './observe/observers.ts';
import { abortSignal, invalid, object, oneOf, timerMilliseconds } from './options/checks.ts';
import type { TableSettings } from './options/jobs-options.ts';
import { checkTable } from './options/jobs-options.ts';
import { addOptions, checkStart } from './options/run-options.ts';
import { authorizeJob } from './policy/authorize-job.ts';
import { recordScope } from './record.ts';
import type { Encoding } from './result/output-api.ts';
import type { PipeStatus } from './result/pipe-status.ts';
import type { Result } from './result/result.ts';
import { removeSpill } from './result/result.ts';
import type { CodedError } from './support/coded-error.ts';
import { codedError } from './support/coded-error.ts';
import { features } from './support/features.ts';
import { clearTimeout, setTimeout } from './support/timers.ts';

/** A job of a table. */
interface TableEntry {
  job: Job;
  /** `null` while the job runs. */
  result: Result | null;
  /** The memory of a finished job (bytes). */
  bytes: number;
  timer: NodeJS.Timeout | undefined;
  forgotten: Promise<void> | undefined;
}

/** Requests about a job that only the tools make. */
interface OfTools {
  adopts?: boolean;
  asksPipeStatus?: boolean;
}

type WaitStatus = 'done' | 'timeout' | 'aborted';

/** Creates the default table. */
let defaultTable: () => Jobs;

/** Adds the settings of a table to the options of a command of `run()`. */
let addSettings: (table: Jobs, plan: CommandPlan) => void;
/** Adds a running job of `run()` to a table. Returns the error of a table that takes no more, or `null`. */
let take: (table: Jobs, job: Job) => CodedError | null;
/** Returns the durable jobs of a table; `null` where its jobs end with this process. */
let durableOf: (table: Jobs) => DurableTable | null;
/**
 * Starts a checked command of a tool in a table. The job may adopt the processes that its command leaves, and
 * report the statuses of a pipeline.
 */
let startPlan: (table: Jobs, plan: CommandPlan, own: OfTools) => CommandJob;

class Jobs {
  #settings: TableSettings;
  #entries = new Map<string, TableEntry>();
  /** The entries of finished jobs, in the order of their ends. */
  #finished = new Set<TableEntry>();
  /** The memory of the finished jobs (bytes). */
  #finishedBytes = 0;
  #waiters = new Set<() => void>();
  #isDefault = false;
  #observers: Observers = new Set();
  #recording: ActiveRecording | null;
  #disposal: Promise<void> | null = null;
  /** The durable jobs; `null` in a table whose jobs end with this process. */
  #durable: DurableTable | null;

  static {
    defaultTable = () => {
      const table = new Jobs();
      table.#isDefault = true;
      return table;
    };
    durableOf = (table) => table.#durable;
    startPlan = (table, plan, own) => table.#start(plan, own);
    addSettings = (table, plan) => table.#addSettings(plan);
    take = (table, job) => {
      const refusal = table.#refusal();
      if (refusal === null) table.#add(job);
      return refusal;
    };
  }

  constructor(options: unknown = {}) {
    this.#settings = checkTable(options);
    scopes.set(this, this.#observers);
    this.#recording = recordScope(this.#settings.record, this.#observers);
    const { durable } = this.#settings;
    this.#durable = durable === undefined ? null : this.#newDurable(durable);
  }

  start(command: unknown, options?: unknown): CommandJob {
    this.#admit();
    return this.#start(checkStart(command, options), {});
  }

  #start(plan: CommandPlan, { adopts = false, asksPipeStatus = false }: OfTools): CommandJob {
    this.#admit();
    this.#addSettings(plan);
    if (adopts) addOptions(plan.spec, { leftovers: 'adopt' });
    let pipe: PipeStatus | null = null;
    authorizeJob(plan, () => {
      if (asksPipeStatus) pipe = new (features().PipeStatus)(plan.spec);
    });
    const job = new CommandJob(plan, true);
    this.#add(job);
    if (asksPipeStatus) inside.table(job).onEnd.push((result) => pipe?.report(result));
    return job;
  }

  get recording(): Recording | null {
    return this.#recording?.recording ?? null;
  }

  get(id: string): Job | undefined {
    return this.#entries.get(id)?.job;
  }

  list(): Job[] {
    const all = [...this.#entries.values()].map(({ job }) => job);
    return all.sort((a, b) => inside.number(a) - inside.number(b));
  }

  async wait(ids?: string | readonly string[], options: WaitOptions = {}): Promise<WaitResult<Encoding>> {
    const { mode = 'all', timeout, signal } = checkWait(options);
    const entries = (ids === undefined ? this.list().map(({ id }) => id) : uniqueIds(ids)).map((id) =>
      this.#entry(id),
    );
    const isDone = () => isReached(mode, entries);
    const status = isDone() ? 'done' : await this.#woken(isDone, timeout, signal);
    return {
      status,
      finished: entries.flatMap(({ result }) => result ?? []) as WaitResult<Encoding>['finished'],
      pending: entries.filter(({ result }) => result === null).map(({ job }) => job.id),
    };
  }

  async ensure(name: unknown, command: unknown, options?: unknown): Promise<Job> {
    this.#admit();
    return this.#asDurable().ensure(name, command, options);
  }

  async find(filter?: unknown): Promise<DurableInfo[]> {
    return this.#asDurable().find(filter);
  }

  async attach(id: unknown, options?: unknown): Promise<Job> {
    this.#admit();
    return this.#asDurable().attach(id, options);
  }

  async stop(id: unknown, signal?: unknown): Promise<void> {
    return this.#asDurable().stop(id, signal);
  }

  async sweep(): Promise<number> {
    return this.#asDurable().sweep();
  }

  async release(): Promise<void> {
    this.#asDurable();
    this.#disposal ??= this.#endAll(letGo);
    return this.#disposal;
  }

  kill(id: string, signal?: string | number): boolean {
    return this.get(id)?.kill(signal) ?? false;
  }

  read(id: string, since?: number): JobOutput<Encoding> {
    return this.#entry(id).job.read(since);
  }

  dispose(): Promise<void> {
    if (this.#isDefault) return this.#endAll();
    this.#disposal ??= this.#endAll();
    return this.#disposal;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  #entry(id: string): TableEntry {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw notFound(id);
    return entry;
  }

  /** Adds the settings and the observers of the table to the options of a command. */
  #addSettings(plan: CommandPlan): void {
    const { spec } = plan;
    const { readBytes, onHostExit } = this.#settings;
    if (onHostExit === 'leave' && spec.surroundings.target !== undefined) {
      const expected = "'kill' for a command on a target, which ends with its connection";
      throw invalid('options.onHostExit', expected, onHostExit);
    }
    addOptions(spec, { ring: readBytes || undefined, leaveAtExit: onHostExit === 'leave' });
    if (!plan.endsWithHost) this.#durable?.addTo(plan);
    plan.observers = [...(plan.observers ?? []), this.#observers];
  }

  #asDurable(): DurableTable {
    if (this.#durable === null) throw notDurable();
    return this.#durable;
  }

  #newDurable(settings: DurableSettings): DurableTable {
    const { DurableTable } = features();
    const owner: OwnTable = {
      get: (id) => this.get(id),
      start: (plan) => this.#start(plan, {}),
      forget: (id) => {
        const entry = this.#entries.get(id);
        if (entry !== undefined) this.#forget(entry);
      },
    };
    return new DurableTable(settings, owner);
  }

  /** Throws if the table can't add a job. */
  #admit(): void {
    const refusal = this.#refusal();
    if (refusal !== null) throw refusal;
  }

  /** Returns the error that keeps the table from adding a job, or `null`. */
  #refusal(): CodedError | null {
    const { maxRunning } = this.#settings;
    if (this.#disposal !== null) {
      return codedError('JOBS_DISPOSED', 'This table of background jobs has been disposed of');
    }
    if (this.#entries.size - this.#finished.size < maxRunning) return null;
    const advice = 'Wait for running jobs to finish or kill one.';
    return codedError('JOB_LIMIT', `Background job limit reached (${maxRunning}). ${advice}`);
  }

  #add(job: Job): void {
    const entry: TableEntry = { job, result: null, bytes: 0, timer: undefined, forgotten: undefined };
    this.#entries.set(job.id, entry);
    const kept = inside.table(job);
    kept.isListed = true;
    kept.onEnd.push((result) => this.#finish(entry, result));
  }

  #finish(entry: TableEntry, result: Result): void {
    const { retention, maxFinished, maxFinishedBytes } = this.#settings;
    entry.result = result;
    entry.bytes = memoryOf(result) + inside.kept(entry.job);
    this.#finishedBytes += entry.bytes;
    this.#finished.add(entry);
    entry.timer = setTimeout(() => this.#forget(entry), retention).unref();
    for (const check of [...this.#waiters]) check();
    for (const oldest of this.#finished) {
      // The job that just ended stays even if it alone exceeds the limit, so that its result can be read.
      const isOver = this.#finishedBytes > maxFinishedBytes && oldest !== entry;
      if (this.#finished.size <= maxFinished && !isOver) break;
      this.#forget(oldest);
    }
  }

  /** Forgets a finished job: frees its text and removes its spill file. Idempotent. */
  #forget(entry: TableEntry): Promise<void> {
    clearTimeout(entry.timer);
    if (entry.forgotten === undefined) {
      this.#entries.delete(entry.job.id);
      if (this.#finished.delete(entry)) this.#finishedBytes -= entry.bytes;
      inside.forget(entry.job);
      // This promise is not awaited: a file that can't be removed is no reason to end Node.js.
      entry.forgotten = removeSpill(entry.result ?? { spillPath: null }).catch(() => {});
    }
    return entry.forgotten;
  }

  /** Waits until `isDone()` is true at the end of a job, until a timeout, or until an abort. */
  #woken(
    isDone: () => boolean,
    timeout: number | undefined,
    signal: AbortSignal | undefined,
  ): WaitStatus | Promise<WaitStatus> {
    if (signal?.aborted) return 'aborted';
    if (timeout === 0) return 'timeout';
    return new Promise((resolve) => {
      const end = (status: WaitStatus) => {
        clearTimeout(timer);
        forgetSignal?.();
        this.#waiters.delete(check);
        unref();
        resolve(status);
      };
      const check = () => {
        if (isDone()) end('done');
      };
      const timer = timeout === undefined ? undefined : setTimeout(end, timeout, 'timeout');
      const forgetSignal = signal && addAbortListener(signal, () => end('aborted'));
      this.#waiters.add(check);
      ref();
    });
  }

  /** Ends the running jobs for this process, and forgets all jobs. */
  async #endAll(end = killed): Promise<void> {
    const entries = [...this.#entries.values()];
    if (entries.length === 0) {
      await this.#recording?.close();
      return;
    }
    ref();
    try {
      for (const { job, result } of entries) {
        if (result === null) end(job);
      }
      await Promise.all(entries.map(({ job }) => inside.over(job)));
      await Promise.all(entries.map((entry) => this.#forget(entry)));
      await this.#recording?.close();
    } finally {
      unref();
    }
  }
}

/** Returns the memory of the text of a result (bytes). */
function memoryOf({ stdout, stderr, output }: Result): number {
  return memoryOfText(stdout) + memoryOfText(stderr) + memoryOfText(output);
}

/**
 * Returns the memory of a string (bytes): V8 stores ASCII in one byte per character, and other text in two.
 */
function memoryOfText(text: string | Uint8Array): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
}

/** Kills a job. One with `forceKillAfterDelay: false` could ignore its kill signal for ever. */
function killed(job: Job): void {
  job.kill(inside.isForced(job) ? undefined : 'SIGKILL');
}

/** Detaches from a durable job, which runs on. Kills any other job, and one that waits for an approval. */
function letGo(job: Job): void {
  if (inside.durable(job) === undefined || job.status === 'starting') killed(job);
  else job.detach();
}

function checkWait(options: unknown): WaitOptions {
  const { mode, timeout, signal } = object('options', options, ['mode', 'timeout', 'signal']);
  return {
    mode: oneOf('options.mode', mode, ['all', 'any']),
    timeout: timerMilliseconds('options.timeout', timeout),
    signal: abortSignal('options.signal', signal),
  };
}

function uniqueIds(ids: unknown): string[] {
  if (typeof ids === 'string') return [ids];
  const isList = Array.isArray(ids) && ids.every((id) => typeof id === 'string');
  if (!isList) throw invalid('ids', 'an id or an array of ids', ids);
  return [...new Set(ids)];
}

function isReached(mode: 'all' | 'any', entries: TableEntry[]): boolean {
  const isOver = ({ result }: TableEntry) => result !== null;
  return mode === 'all' || entries.length === 0 ? entries.every(isOver) : entries.some(isOver);
}

/** The table of jobs that are started without another one. */
const jobs: Jobs = defaultTable();

function isTable(value: unknown): value is Jobs {
  return value instanceof Jobs;
}

export { addSettings, durableOf, isTable, Jobs, jobs, startPlan, take };
