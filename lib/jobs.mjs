import { ref, unref } from './addon/host.mjs';
import { onAbort } from './job/abort.mjs';
import { CommandJob } from './job/command-job.mjs';
import { inside, notFound } from './job/job.mjs';
import { abortSignal, integer, invalid, object, oneOf, timerMilliseconds } from './options/checks.mjs';
import { checkStart } from './options/run-options.mjs';
import { removeSpill } from './result.mjs';

/** So much of a job's latest text can be kept (bytes). */
const MAX_READ = 256 * 1024 * 1024;

/** Makes the table for those who make none. */
let defaultTable;
/** What `run()` asks of a table: how its jobs are to be run, and whether it takes one that runs. */
let settings;
let take;

class Jobs {
  #settings;
  /** id -> `{ job, result, bytes, timer, forgotten }`. The result is `null` while the job runs. */
  #entries = new Map();
  /** The entries of jobs that are over, first those that ended first. */
  #finished = new Set();
  /** How much they take (bytes). */
  #finishedBytes = 0;
  #waiters = new Set();
  #isDefault = false;
  #disposal = null;

  static {
    defaultTable = () => {
      const table = new Jobs();
      table.#isDefault = true;
      return table;
    };
    settings = (table) => table.#runSettings();
    take = (table, job) => {
      const refusal = table.#refusal();
      if (refusal === null) table.#add(job);
      return refusal;
    };
  }

  constructor(options = {}) {
    this.#settings = checkTable(options);
  }

  start(command, options) {
    const refusal = this.#refusal();
    if (refusal !== null) throw refusal;
    const plan = checkStart(command, options);
    plan.spec.more = { ...plan.spec.more, ...this.#runSettings() };
    const job = new CommandJob(plan, true);
    this.#add(job);
    return job;
  }

  get(id) {
    return this.#entries.get(id)?.job;
  }

  list() {
    const all = [...this.#entries.values()].map(({ job }) => job);
    return all.sort((a, b) => inside.number(a) - inside.number(b));
  }

  async wait(ids, options = {}) {
    const { mode = 'all', timeout, signal } = checkWait(options);
    const entries = (ids === undefined ? this.list().map(({ id }) => id) : uniqueIds(ids)).map((id) =>
      this.#entry(id),
    );
    const isDone = () => isReached(mode, entries);
    const status = isDone() ? 'done' : await this.#woken(isDone, timeout, signal);
    return {
      status,
      finished: entries.flatMap(({ result }) => result ?? []),
      pending: entries.filter(({ result }) => result === null).map(({ job }) => job.id),
    };
  }

  kill(id, signal) {
    return this.get(id)?.kill(signal) ?? false;
  }

  read(id, since) {
    return this.#entry(id).job.read(since);
  }

  dispose() {
    if (this.#isDefault) return this.#endAll();
    this.#disposal ??= this.#endAll();
    return this.#disposal;
  }

  [Symbol.asyncDispose]() {
    return this.dispose();
  }

  #entry(id) {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw notFound(id);
    return entry;
  }

  #runSettings() {
    const { readBytes, onHostExit } = this.#settings;
    return { ring: readBytes || undefined, leaveAtExit: onHostExit === 'leave' };
  }

  /** Why no job can be added, or `null`. */
  #refusal() {
    const { maxRunning } = this.#settings;
    if (this.#disposal !== null) {
      return withCode('JOBS_DISPOSED', 'This table of background jobs has been disposed of');
    }
    if (this.#entries.size - this.#finished.size < maxRunning) return null;
    const advice = 'Wait for running jobs to finish or kill one.';
    return withCode('JOB_LIMIT', `Background job limit reached (${maxRunning}). ${advice}`);
  }

  #add(job) {
    const entry = { job, result: null, bytes: 0, timer: undefined, forgotten: undefined };
    this.#entries.set(job.id, entry);
    inside.list(job);
    inside.onEnd(job, (result) => this.#finish(entry, result));
  }

  #finish(entry, result) {
    const { retention, maxFinished, maxFinishedBytes } = this.#settings;
    entry.result = result;
    entry.bytes = memoryOf(result) + inside.kept(entry.job);
    this.#finishedBytes += entry.bytes;
    this.#finished.add(entry);
    entry.timer = setTimeout(() => this.#forget(entry), retention).unref();
    for (const look of [...this.#waiters]) look();
    for (const oldest of this.#finished) {
      // The one that has just ended is kept also if it alone is over the bound: its end would be news of nothing.
      const isOver = this.#finishedBytes > maxFinishedBytes && oldest !== entry;
      if (this.#finished.size <= maxFinished && !isOver) break;
      this.#forget(oldest);
    }
  }

  /** Forgets a job that is over, with its text and its file. */
  #forget(entry) {
    clearTimeout(entry.timer);
    if (entry.forgotten === undefined) {
      this.#entries.delete(entry.job.id);
      if (this.#finished.delete(entry)) this.#finishedBytes -= entry.bytes;
      inside.forget(entry.job);
      // A file that can't be removed is not worth an error that nobody waits for.
      entry.forgotten = removeSpill(entry.result).catch(() => {});
    }
    return entry.forgotten;
  }

  /** Waits until `isDone` at the end of a job, a timeout or an abort. */
  #woken(isDone, timeout, signal) {
    if (signal?.aborted) return 'aborted';
    if (timeout === 0) return 'timeout';
    return new Promise((resolve) => {
      const end = (status) => {
        clearTimeout(timer);
        forgetSignal?.();
        this.#waiters.delete(look);
        unref();
        resolve(status);
      };
      const look = () => {
        if (isDone()) end('done');
      };
      const timer = timeout === undefined ? undefined : setTimeout(end, timeout, 'timeout');
      const forgetSignal = signal && onAbort(signal, () => end('aborted'));
      this.#waiters.add(look);
      ref();
    });
  }

  /** Kills what runs, and forgets everything. */
  async #endAll() {
    const entries = [...this.#entries.values()];
    if (entries.length === 0) return;
    ref();
    try {
      for (const { job, result } of entries) {
        // One that would never be killed must not be asked only.
        if (result === null) job.kill(inside.isForced(job) ? undefined : 'SIGKILL');
      }
      await Promise.all(entries.map(({ job }) => inside.over(job)));
      await Promise.all(entries.map((entry) => this.#forget(entry)));
    } finally {
      unref();
    }
  }
}

function checkTable(options) {
  object('options', options, [
    'maxRunning',
    'retention',
    'maxFinished',
    'maxFinishedBytes',
    'onHostExit',
    'readBytes',
  ]);
  const { maxRunning, retention, maxFinished, maxFinishedBytes, onHostExit, readBytes } = options;
  return {
    maxRunning: integer('options.maxRunning', maxRunning, 1, Number.MAX_SAFE_INTEGER) ?? 15,
    retention: timerMilliseconds('options.retention', retention) ?? 300_000,
    maxFinished: integer('options.maxFinished', maxFinished, 0, Number.MAX_SAFE_INTEGER) ?? 100,
    maxFinishedBytes:
      integer('options.maxFinishedBytes', maxFinishedBytes, 0, Number.MAX_SAFE_INTEGER, 'bytes') ??
      64 * 1024 * 1024,
    onHostExit: oneOf('options.onHostExit', onHostExit, ['kill', 'leave']) ?? 'kill',
    readBytes: integer('options.readBytes', readBytes, 0, MAX_READ, 'bytes') ?? 1024 * 1024,
  };
}

/** How much memory the text of a result takes (bytes). */
function memoryOf({ stdout, stderr, output }) {
  return memoryOfText(stdout) + memoryOfText(stderr) + memoryOfText(output);
}

/** V8 has a byte for each character of ASCII, and two for each of a text that has others. */
function memoryOfText(text) {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
}

function checkWait(options) {
  const { mode, timeout, signal } = object('options', options, ['mode', 'timeout', 'signal']);
  return {
    mode: oneOf('options.mode', mode, ['all', 'any']),
    timeout: timerMilliseconds('options.timeout', timeout),
    signal: abortSignal('options.signal', signal),
  };
}

function uniqueIds(ids) {
  if (typeof ids === 'string') return [ids];
  const isList = Array.isArray(ids) && ids.every((id) => typeof id === 'string');
  if (!isList) throw invalid('ids', 'an id or an array of ids', ids);
  return [...new Set(ids)];
}

function isReached(mode, entries) {
  const isOver = ({ result }) => result !== null;
  return mode === 'all' || entries.length === 0 ? entries.every(isOver) : entries.some(isOver);
}

function withCode(code, message) {
  const error = new Error(message);
  error.code = code;
  return error;
}

/** The table for those who make none. */
const jobs = defaultTable();

export { Jobs, jobs, settings, take };
