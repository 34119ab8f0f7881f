import { toolDialect } from '../addon/native.ts';
import { answered } from '../addon/native-error.ts';
import { addAbortListener } from '../job/abort.ts';
import { throwLater } from '../job/events/event-scope.ts';
import type { Jobs } from '../jobs.ts';
import { durableOf } from '../jobs.ts';
import type { Recording } from '../live/record/api.ts';
import type { ActiveRecording } from '../live/record/recording.ts';
import { scopes } from '../observe/observers.ts';
import { invalid } from '../options/checks.ts';
import { isSandboxed } from '../options/surroundings/sandbox/sandbox-form.ts';
import type { Overlay } from '../overlay/overlay.ts';
import { recordScope } from '../record.ts';
import { redacted } from '../redact/redacted.ts';
import type { RunResult } from '../result/api.ts';
import { wallNow } from '../support/now.ts';
import { absolutePath } from '../support/paths/absolute-path.ts';
import type { CallContext, Dialect, ToolIdentity, ToolResult } from './api/definition.ts';
import type { ToolEvent } from './api/events.ts';
import type { ToolsetGrant } from './api/index.ts';
import type { DialectProfile } from './dialects.ts';
import type { CheckedTools } from './options/toolset-options.ts';
import { checkTools } from './options/toolset-options.ts';
import { endOfJob } from './perform/jobs.ts';
import { CwdMemory } from './state/cwd/cwd-memory.ts';
import { StartDirectory } from './state/cwd/start-directory.ts';
import { StartThere } from './state/cwd/start-there.ts';
import { DurableJobs } from './state/durable-jobs.ts';
import { FilesThere } from './state/files-there.ts';
import { Grants } from './state/grants.ts';
import type { JobEntry } from './state/job-entries.ts';
import { JobEntries } from './state/job-entries.ts';
import { JobFiles } from './state/job-files.ts';
import { OutputFiles } from './state/output-files.ts';
import type { Keep } from './state/session.ts';
import { ToolSession } from './state/session.ts';
import type { Tool, ToolDescription } from './tool.ts';
import { FAIL, makeTool } from './tool.ts';
import type { EventFields, NativeDialect, ToolSurroundings, ToolsetState } from './toolset-state.ts';

/** The facts about a dialect with the host's settings, as `src/tools/configured.rs` serializes them. */
interface DialectDescription {
  tools: ToolDescription[];
  instructions: string;
  session: 'none' | 'cwd' | 'carry' | 'live';
  directories: string[] | null;
  updatesInBackground: boolean;
}

/** A listener of the events of one type. */
interface ListenerEntry {
  listener: (event: never) => void;
}

function createTools(dialect: unknown, options?: unknown): Toolset {
  return new Toolset(checkTools(dialect, options, true));
}

function createTool(dialect: unknown, options?: unknown): Tool & AsyncDisposable {
  const toolset = new Toolset(checkTools(dialect, options, false));
  const [tool] = toolset.tools;
  const value = () => toolset.dispose();
  return Object.defineProperty(tool, Symbol.asyncDispose, { value }) as Tool & AsyncDisposable;
}

class Toolset {
  dialect: Dialect;
  identity: ToolIdentity | null;
  tools: readonly Tool[];
  instructions: string;
  mayAsk: boolean;
  /** The state that all calls share; see `perform()`. */
  #state: ToolsetState;
  #byName: ReadonlyMap<string, Tool>;
  #listeners = new Map<ToolEvent['type'], Set<ListenerEntry>>();
  /** Aborts all calls when the toolset is disposed of. */
  #disposal = new AbortController();
  #disposed: Promise<void> | null = null;
  /** The promises of the open calls. */
  #open = new Set<Promise<unknown>>();
  #ownsJobs: boolean;
  #ownTarget: CheckedTools['ownTarget'];
  #forgetSignal: (() => void) | undefined;
  #recording: ActiveRecording | null;

  constructor(checked: CheckedTools) {
    const { profile, surroundings, jobs, settings, own } = checked;
    const usual = (more?: object): NativeDialect =>
      answered(toolDialect(profile.name, JSON.stringify({ ...settings, ...more })));
    const keepsState = isWithoutShells(surroundings) && describe(usual()).session === 'live';
    // Windows keeps no shell: where the dialect has one by default, the next command gets its state.
    const dialect = keepsState ? (more?: object) => usual({ session: 'carry', ...more }) : usual;
    const native = dialect();
    const description = describe(native);
    const withoutTerminals = once(() => dialect({ hasTerminals: false }));
    const companions = description.tools.slice(1).map(({ name }) => name);
    if (checked.name !== undefined && companions.includes(checked.name)) {
      throw invalid('options.name', 'another name than those of the companions', checked.name);
    }
    const { session } = description;
    const keep = SESSION_KEEPS[session];
    const there = surroundings.target === undefined ? undefined : new FilesThere(surroundings.target);
    const start =
      surroundings.target === undefined
        ? new StartDirectory(surroundings)
        : new StartThere(surroundings, surroundings.target);
    const added = addedDirectories(description, surroundings, start);
    this.dialect = profile.name;
    this.identity = profile.identity && Object.freeze({ ...profile.identity });
    this.instructions = description.instructions;
    const durable = durableOf(jobs.table);
    const hasSandbox = isSandboxed(surroundings.sandbox);
    this.mayAsk =
      checked.approve !== undefined ||
      checked.policy !== undefined ||
      settings.escalates ||
      (durable !== null && hasSandbox);
    this.#ownsJobs = jobs.isOurs;
    this.#ownTarget = checked.ownTarget;
    scopes.set(this, checked.observers);
    this.#recording = recordScope(checked.record, checked.observers);
    const entries = new JobEntries(profile.jobIds, jobs.table, (entry, result) =>
      this.#emitEnd(entry, result),
    );
    this.#state = {
      dialect: profile.name,
      profile,
      native,
      mainTool: description.tools[0]?.name ?? '',
      current: () => (areTerminalsOff(profile) ? withoutTerminals() : native),
      confined: once(() => dialect({ escalates: false })),
      grants: new Grants(),
      surroundings,
      own,
      jobs: jobs.table,
      durable:
        durable &&
        new DurableJobs(durable, jobs.table, entries, hasSandbox ? surroundings.sandbox : undefined),
      spill: checked.spill,
      view: checked.view,
      minimize: checked.minimize,
      spills: settings.spill !== false,
      isOriginal: settings.compat === 'true',
      files: new OutputFiles(),
      jobFiles: new JobFiles(jobs.table),
      hasOutputTool: description.tools.some(({ name }) => name === 'bash_output'),
      approve: checked.approve,
      policy: checked.policy,
      policyName: checked.policyName,
      refusesDanger: checked.refusesDanger,
      background: checked.background,
      asksPipeStatus: checked.asksPipeStatus,
      updates: {
        ...checked.updates,
        inBackground: checked.updates.inBackground ?? description.updatesInBackground,
      },
      start,
      /** The container of the last command. */
      container: undefined,
      cwdMemory: session === 'cwd' ? new CwdMemory(surroundings, added, there) : undefined,
      session: keep && new ToolSession(keep, checked, surroundings, there),
      there,
      terminals: checked.terminals,
      entries,
      emit: (type, event) => this.#emit(type, event),
      hasListener: (type) => this.#listeners.has(type),
      observers: checked.observers,
      redactor: checked.redactor,
      disposal: this.#disposal.signal,
      open: (call) => this.#hold(call),
    };
    if (checked.onEvent) for (const type of AUDITED) this.on(type, checked.onEvent);
    this.tools = Object.freeze(
      description.tools.map((tool, index) => {
        const own = { name: checked.name ?? tool.name, description: checked.describe(tool.description) };
        return makeTool(index === 0 ? { ...tool, ...own } : tool, tool.name, this.#state);
      }),
    );
    this.#byName = new Map(this.tools.map((tool) => [tool.name, tool]));
    if (checked.signal?.aborted) this.dispose();
    else if (checked.signal) this.#forgetSignal = addAbortListener(checked.signal, () => this.dispose());
  }

  get jobs(): Jobs {
    return this.#state.jobs;
  }

  get grants(): readonly ToolsetGrant[] {
    return this.#state.grants.list();
  }

  revoke(grant: ToolsetGrant): boolean {
    return this.#state.grants.revoke(grant);
  }

  get recording(): Recording | null {
    return this.#recording?.recording ?? null;
  }

  get overlay(): Overlay | undefined {
    return this.#state.surroundings.overlay;
  }

  get isDisposed(): boolean {
    return this.#disposal.signal.aborted;
  }

  get(name: string): Tool | undefined {
    return this.#byName.get(name);
  }

  async call(name: string, args: unknown, context?: CallContext): Promise<ToolResult> {
    const tool = this.#byName.get(name);
    if (tool !== undefined) return tool.execute(args, context);
    const [main] = this.tools;
    const names = this.tools.map((other) => other.name).join(', ');
    return main[FAIL](`there is no tool '${String(name)}'; there are: ${names}`);
  }

  on(type: ToolEvent['type'], listener: (event: never) => void): () => void {
    if (!EVENTS.includes(type)) throw new TypeError(`Unknown event: expected one of ${EVENTS.join(', ')}`);
    if (typeof listener !== 'function') throw new TypeError('The listener must be a function');
    const entry = { listener };
    const all = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, all.add(entry));
    return () => {
      all.delete(entry);
      if (all.size === 0 && this.#listeners.get(type) === all) this.#listeners.delete(type);
    };
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#endAll();
    return this.#disposed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  [Symbol.iterator](): ArrayIterator<Tool> {
    return this.tools[Symbol.iterator]();
  }

  async #endAll(): Promise<void> {
    await this.#endCalls();
    await this.#recording?.close();
  }

  async #endCalls(): Promise<void> {
    this.#forgetSignal?.();
    const calls = [...this.#open];
    this.#disposal.abort();
    await Promise.allSettled(calls);
    await this.#state.session?.close();
    await this.#state.there?.close();
    await this.#state.files.dispose();
    if (this.#ownsJobs) {
      await (this.#state.durable === null ? this.#state.jobs.dispose() : this.#state.jobs.release());
      this.#state.jobFiles.dispose();
      await this.#ownTarget?.dispose();
      return;
    }
    const running = this.#state.entries.list().filter(({ result }) => result === null);
    for (const { job } of running) {
      // Jobs of tools do not keep Node.js alive, but their disposal has to settle.
      job.ref();
      if (job.durable === null) job.kill();
      else job.detach();
    }
    await Promise.all(running.map(({ job }) => job.result));
    await this.#ownTarget?.dispose();
  }

  /** Registers an open call, for whose end the disposal of the toolset waits. */
  #hold<Answer>(call: Promise<Answer>): Promise<Answer> {
    this.#open.add(call);
    const done = () => this.#open.delete(call);
    call.then(done, done);
    return call;
  }

  #emitEnd(entry: JobEntry, result: RunResult): void {
    if (!this.#listeners.has('job')) return;
    const { job, callId } = entry;
    const notice = endOfJob(entry, result, this.#state).notice ?? null;
    this.#emit('job', { jobId: job.id, callId, command: job.command, notice, result });
  }

  /** Calls the listeners of an event. A listener that throws affects neither the others nor the call. */
  #emit<Type extends ToolEvent['type']>(type: Type, event: EventFields<Type>): void {
    const all = this.#listeners.get(type);
    if (all === undefined) return;
    // With the properties that are not enumerable.
    const fields = Object.getOwnPropertyDescriptors(event);
    const own = Object.defineProperties({ type, time: wallNow() }, fields);
    const whole = redacted(own, this.#state.redactor());
    for (const { listener } of [...all]) {
      try {
        (listener as (event: object) => void)(whole);
      } catch (error) {
        throwLater(error);
      }
    }
  }
}

function describe(dialect: NativeDialect): DialectDescription {
  return JSON.parse(dialect.describe());
}

/** Returns whether no shell can be kept between the commands of a toolset. */
function isWithoutShells({ target }: ToolSurroundings): boolean {
  return process.platform === 'win32' && target === undefined;
}

/** Returns the directories beside the host's own in which a session may stay. A sandbox has one workspace. */
function addedDirectories(
  { directories }: DialectDescription,
  { sandbox, target }: ToolSurroundings,
  start: ToolsetState['start'],
): string[] | undefined {
  if (directories === null || directories === undefined || isSandboxed(sandbox)) return undefined;
  if (target === undefined) return directories.map((path) => absolutePath(path));
  return directories.map((path) => {
    const there = start.absolute(path);
    if (there !== undefined) return there;
    throw invalid('options.additionalDirectories', 'absolute paths next to a target', path);
  });
}

/** Returns whether the variable of the dialect's original turns terminals off now. */
function areTerminalsOff({ noTerminalsVariable }: DialectProfile): boolean {
  return noTerminalsVariable !== null && process.env[noTerminalsVariable] === '1';
}

/** Returns a function that makes a value when it is first needed. */
function once<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
}

/** The option `keep` of a session, by the values of `options.session`. */
const SESSION_KEEPS: Partial<Record<string, Keep>> = { live: 'process', carry: 'state' };

/**
 * The events that `onEvent` gets. Starts and updates have listeners of their own, because they cost time, and
 * an audit has the results.
 */
const AUDITED: readonly ToolEvent['type'][] = ['call', 'decision', 'result', 'job'];
const EVENTS: readonly ToolEvent['type'][] = [...AUDITED, 'start', 'update'];

export { createTool, createTools };
