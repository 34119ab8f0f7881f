import type { JobEvent } from '../addon/addon-types.ts';
import { holdEvents, theBinding } from '../addon/binding.ts';
import { durableId } from '../addon/native.ts';
import type { CommandJob } from '../job/command-job.ts';
import type { CommandPlan, CommandSpec } from '../job/command-plan.ts';
import type { Job } from '../job/job.ts';
import { inside } from '../job/job.ts';
import type { Given } from '../options/checks.ts';
import { boolean, cText, integer, invalid, object } from '../options/checks.ts';
import { killSignalNumber } from '../options/command/termination.ts';
import { addOptions, checkStart } from '../options/run-options.ts';
import { redactedText } from '../redact/redacted.ts';
import type { CodedError } from '../support/coded-error.ts';
import { codedError } from '../support/coded-error.ts';
import { setImmediate, setTimeout } from '../support/timers.ts';
import type { DurableInfo } from './api.ts';
import { find, stop, sweep } from './calls.ts';
import { durableNotFound, otherCommand } from './durable-errors.ts';
import { DurableLink } from './durable-link.ts';
import type { DurableSettings } from './durable-options.ts';

/** The table of jobs to which the durable jobs belong. */
export interface OwnTable {
  /** Returns the job of this id that is in the table. */
  get(id: string): Job | undefined;
  /** Adds a job. Throws if the table takes none. */
  start(plan: CommandPlan): CommandJob;
  /** Forgets a job that is over. */
  forget(id: string): void;
}

/** The options of an attachment about its output. */
type Attached = Given<'encoding' | 'redact'>;

/** How often a start and an attachment are tried that other processes overtake, and the time between (ms). */
const MAX_TRIES = 100;
const TRY_MS = 20;

/** The longest name (characters). */
const MAX_NAME = 200;

/** The time that a job which is ended without an attachment has before SIGKILL (ms), as with `kill()`. */
const GRACE_MS = 5_000;

/** The durable jobs of a table. */
class DurableTable {
  readonly settings: DurableSettings;
  #table: OwnTable;

  constructor(settings: DurableSettings, table: OwnTable) {
    this.settings = settings;
    this.#table = table;
  }

  /** Makes the command of a plan durable. */
  addTo(plan: CommandPlan, name?: string): void {
    const { spec } = plan;
    if (plan.durable !== undefined) return;
    if (spec.surroundings.target !== undefined) {
      throw invalid('options.target', 'none in a table with durable', spec.surroundings.target);
    }
    refuseCodePage(spec);
    const background = spec.more?.leftovers;
    if (background === 'keep' || background === 'kill') {
      const expected = 'none in a table with durable, whose jobs are over when no process is left';
      throw invalid('options.background', expected, background);
    }
    const { directory } = this.settings;
    const id = durableId();
    plan.durable = new DurableLink(id, directory, spec.surroundings.redactor);
    const { sandbox } = spec.surroundings;
    addOptions(spec, { leftovers: 'adopt', durable: { ...this.settings, id, name, sandbox } });
  }

  async find(filter: unknown = {}): Promise<DurableInfo[]> {
    const { name, running, all } = object('filter', filter, ['name', 'running', 'all']);
    const { directory, owner, root } = this.settings;
    const scope = boolean('filter.all', all) === true ? {} : { owner, root };
    return find(directory, {
      ...scope,
      name: name === undefined ? undefined : cText('filter.name', name),
      running: boolean('filter.running', running),
    });
  }

  async ensure(name: unknown, command: unknown, options: unknown): Promise<Job> {
    const checked = checkName(name);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const plan = checkStart(command, options);
      const [found] = await this.find({ name: checked, running: true });
      const { redactor } = plan.spec.surroundings;
      if (found !== undefined && found.command !== plan.given) {
        throw otherCommand(checked, redactedText(found.command, redactor));
      }
      const { redact } = Object(options);
      const job =
        found === undefined ? await this.#startAs(checked, plan) : await this.#follow(found, { redact });
      if (job !== null) return job;
      await new Promise<void>((resolve) => {
        setTimeout(resolve, TRY_MS);
      });
    }
    throw codedError('DURABLE_UNAVAILABLE', `The job ${checked} starts and ends all the time`);
  }

  async attach(id: unknown, options: unknown = {}): Promise<Job> {
    const { since, ...own } = object('options', options, ['since', 'encoding', 'redact']);
    const from = integer('options.since', since, 0, Number.MAX_SAFE_INTEGER);
    const checked = cText('id', id);
    const [found] = await find(this.settings.directory, { id: checked });
    if (found === undefined) throw durableNotFound(checked);
    return this.#attachTo(found, from, own);
  }

  async stop(id: unknown, signal: unknown = 'SIGTERM'): Promise<void> {
    const checked = cText('id', id);
    return stop(this.settings.directory, checked, killSignalNumber('signal', signal), GRACE_MS);
  }

  async sweep(): Promise<number> {
    return sweep(this.settings.directory);
  }

  /** Starts a job with a name. Resolves with `null` if another process was faster. */
  async #startAs(name: string, plan: CommandPlan): Promise<Job | null> {
    this.addTo(plan, name);
    const job = this.#table.start(plan);
    const error = await begun(job);
    if (error === null) return job;
    this.#table.forget(job.id);
    if (error.code === 'DURABLE_TAKEN') return null;
    throw error;
  }

  /** Attaches to a job that was found running. Resolves with `null` if it has gone since. */
  async #follow(found: DurableInfo, given: Attached): Promise<Job | null> {
    try {
      const job = await this.#attachTo(found, undefined, given);
      return job;
    } catch (error) {
      if ((error as CodedError).code === 'DURABLE_NOT_FOUND') return null;
      throw error;
    }
  }

  async #attachTo(found: DurableInfo, since: number | undefined, given: Attached): Promise<Job> {
    const { id } = found;
    const own = this.#table.get(id);
    if (own?.status === 'running' || own?.status === 'starting') return own;
    if (own !== undefined) this.#table.forget(id);
    const job = this.#table.start(this.#planOf(found, since, given));
    const error = await begun(job);
    if (error === null) return job;
    this.#table.forget(id);
    throw error;
  }

  #planOf(found: DurableInfo, since: number | undefined, given: Attached): CommandPlan {
    const { id, command, cwd, pty, input } = found;
    const { directory } = this.settings;
    const streams = pty === null ? { stdin: input ? 'pipe' : 'empty' } : { pty };
    const plan = checkStart(':', { cwd: '/', ...given, ...streams });
    refuseCodePage(plan.spec);
    const { redactor } = plan.spec.surroundings;
    plan.text = redactedText(command, redactor);
    plan.spec.surroundings.cwd = cwd;
    plan.durable = new DurableLink(id, directory, redactor, found);
    // The screen of a terminal is made of all of its output.
    const from = since ?? (pty === null ? undefined : 0);
    addOptions(plan.spec, { leftovers: 'adopt', durable: { directory, id, attach: true, since: from } });
    return plan;
  }
}

/**
 * Waits until a job that was started in this turn of the event loop has begun, or is over. Its output is held
 * until the caller of the caller could add listeners. Resolves with the error of a durable job that is none;
 * `null` for any other end.
 */
async function begun(job: CommandJob): Promise<CodedError | null> {
  const number = inside.number(job);
  const { first, release } = holdEvents(number);
  job.once('spawn', () => {});
  theBinding().want(number, true);
  const failed = (event: JobEvent): CodedError | null => {
    const { error, durable } = event.kind === 'end' ? event.result : {};
    if (error === undefined || durable !== undefined || !error.code.startsWith('DURABLE_')) return null;
    return codedError(error.code, error.message);
  };
  // A job that nobody approves has no event.
  const error = await Promise.race([first.then(failed), inside.over(job).then(() => null)]);
  if (error === null) setImmediate(release);
  else release();
  return error;
}

/** Refuses an encoding in which the output, whose offsets are those of bytes, would have other offsets. */
function refuseCodePage({ more, given }: CommandSpec): void {
  if (more?.codePage === undefined) return;
  throw invalid('options.encoding', "'utf8' or 'buffer' for a durable job", given?.options.encoding);
}

function checkName(name: unknown): string {
  const expected = `a name of at most ${MAX_NAME} characters`;
  const checked = cText('name', name, expected);
  if (checked.trim() === '' || checked.length > MAX_NAME || /[\r\n]/.test(checked)) {
    throw invalid('name', expected, name);
  }
  return checked;
}

export { DurableTable };
