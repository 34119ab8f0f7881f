import type { NativeResult } from '../addon/addon-types.ts';
import { listen, ref, theBinding, unref, unregister } from '../addon/binding.ts';
import { startCommand } from '../job/command-job.ts';
import type { CommandSpec } from '../job/command-plan.ts';
import type { Job } from '../job/job.ts';
import { pipeStatusIn } from '../result/pipe-status.ts';
import type { Invocation } from '../result/result.ts';
import { stoppedBeforeItStarted } from '../result/result.ts';
import { pathFromShell } from '../support/paths/shell-path.ts';
import { readShared, removeShared, writeShared } from '../support/shared-files.ts';
import { newFileNumber, numberedFiles, SharedFolder } from '../support/shared-folder.ts';
import { clearTimeout, setTimeout } from '../support/timers.ts';
import type { SessionResult } from './api.ts';
import type { SessionKind, SessionRun } from './session-command.ts';
import {
  needsJob,
  runAsJob,
  runResultIn,
  SessionReference,
  sessionTask,
  startedResult,
} from './session-command.ts';
import { SessionJob } from './session-job.ts';
import type { SessionPlan } from './session-options.ts';
import type { Flavor } from './state-scripts.ts';
import { commandScript, endScript, words } from './state-scripts.ts';

/** A command, and the files by which it gets the state and saves its own. */
interface StateCommand {
  text: string;
  /** The number that names the files. */
  token: number;
  generation: number;
  files: string[];
  next: string;
  statuses: string;
  /** The number of the command at the addon. */
  number: number;
  spec: CommandSpec;
}

/**
 * A session that keeps a state, and no shell (`keep: 'state'`): for each command a fresh shell restores the
 * state, and saves its own if the command ends cleanly.
 */
class KeptState implements SessionKind {
  #plan: SessionPlan;
  #shell: string;
  /** The words that start the shell, before its flags. */
  #words: string[];
  #kind: Flavor;
  #folder = new SharedFolder();
  /** The file with the state, and the directory of the shell that saved it. */
  #state: string | null = null;
  #cwd: string | null = null;
  /** The options of that shell, as `$-` names them. */
  #flags = '';
  #initialCwd: string;
  /** The numbers of the commands that run. */
  #running = new Set<number>();
  /** Counts restarts: a command that began before a restart saves no state. */
  #generation = 0;
  #idle: (() => void)[] = [];
  /** The numbers of commands that are over and have left background processes. */
  #left = new Set<number>();
  #onNoneLeft: (() => void) | null = null;
  #reference = new SessionReference();

  constructor(plan: SessionPlan) {
    this.#plan = plan;
    this.#initialCwd = plan.spec.surroundings.cwd;
    [this.#shell] = plan.spec.surroundings.shell ?? [''];
    this.#words = [this.#shell, plan.applet].filter((word) => word !== undefined);
    this.#kind = plan.flavor;
  }

  status(): ReturnType<SessionKind['status']> {
    return { state: this.#running.size > 0 ? 'busy' : 'idle', pending: 0, cwd: this.#cwd ?? undefined };
  }

  waiting(): number {
    return 0;
  }

  async run(plan: SessionRun): Promise<SessionResult> {
    if (needsJob(plan, this.#plan)) return runAsJob(plan, (own) => this.start(own));
    const { signal, text } = plan;
    const early = this.#plan.refusal ?? (signal?.aborted ? stoppedBeforeItStarted(false) : null);
    const call = early === null ? this.#prepare(plan) : null;
    if (call === null) return runResultIn(plan, early as NativeResult, this.#invocation(text));
    const native = await this.#settled(call, signal);
    return runResultIn(plan, native, this.#adopt(call, native));
  }

  start(plan: SessionRun): Job {
    const call = this.#plan.refusal === null ? this.#prepare(plan) : null;
    const task = sessionTask(plan, this.#plan.refusal, {
      shell: this.#shell,
      start: (number, isWanted) => {
        if (call === null) return this.#plan.refusal;
        call.spec.more = { ...call.spec.more, observed: plan.spec.more.observed };
        const refusal = startCommand(number, call.spec, isWanted);
        this.#begin(call, number);
        return refusal;
      },
      sessionId: this.#plan.id,
      observers: this.#plan.observers,
      surroundings: this.#plan.spec.surroundings,
      cwd: this.#cwd ?? this.#initialCwd,
      invocation: (native) => (call === null ? this.#invocation(plan.text) : this.#adopt(call, native)),
      onLeft: (number) => this.#leave(number),
      onStart: nothing,
      onEnd: nothing,
    });
    return new SessionJob(task);
  }

  interrupt(signal: string | number): boolean | null {
    if (theBinding().signalNumber(signal) === null) return null;
    let wasRunning = false;
    for (const number of this.#running) wasRunning = theBinding().kill(number, signal) || wasRunning;
    return wasRunning;
  }

  async restart(cwd: string | undefined): Promise<void> {
    this.#generation++;
    await this.#end();
    this.#state = null;
    this.#cwd = null;
    this.#flags = '';
    this.#initialCwd = cwd ?? this.#plan.spec.surroundings.cwd;
  }

  async close(): Promise<{ stdout: string; stderr: string }> {
    await this.#end();
    await this.#endLeft();
    this.#folder.remove();
    return { stdout: '', stderr: '' };
  }

  ref(isReferenced: boolean): void {
    this.#reference.allow(isReferenced);
  }

  /** Writes the files of a command, and returns the spec for the addon. */
  #prepare({ spec, text, pipeStatus }: SessionRun): StateCommand {
    const directory = this.#folder.make();
    const token = newFileNumber();
    const path = numberedFiles(directory, token);
    const [next, statuses] = [path('next'), path('statuses')];
    const [command, end, pipe] = [path('command'), path('end'), path('pipe')];
    const hasStatuses = pipeStatus && theBinding().hasSurePipe(spec.command, this.#shell);
    const line = (hasStatuses && theBinding().statusesLine(this.#shell, pipe)) || '';
    writeShared(command, commandScript(this.#kind, spec.command, this.#flags) + line);
    if (hasStatuses) writeShared(pipe, theBinding().statusesScript(statuses));
    writeShared(end, endScript(this.#kind, { shell: this.#words, command, next, token }));
    const { surroundings } = this.#plan.spec;
    // The state changes to the session's directory. If that directory is gone, the shell stays in this one.
    const cwd = this.#state === null ? this.#initialCwd : surroundings.cwd;
    return {
      text,
      token,
      generation: this.#generation,
      files: [command, end, pipe, statuses, next, `${next}-cwd`, `${next}-flags`],
      next,
      statuses,
      number: 0,
      spec: {
        ...spec,
        // With its command, the line whose output the program shows.
        argv: [...this.#words, ...words(this.#kind, { state: this.#state, command, end })],
        surroundings: { ...surroundings, cwd, files: [...(surroundings.files ?? []), directory] },
        more: {
          ...spec.more,
          leftovers: this.#plan.spec.keepBackground ? 'keep' : 'adopt',
        },
      },
    };
  }

  #settled(call: StateCommand, signal: AbortSignal | undefined): ReturnType<typeof startedResult> {
    const start = (number: number) => {
      startCommand(number, call.spec, false);
      this.#begin(call, number);
    };
    const { text } = call;
    return startedResult(start, { text, signal, sessionId: this.#plan.id }, (number) => this.#leave(number));
  }

  #begin(call: StateCommand, number: number): void {
    call.number = number;
    this.#running.add(number);
    this.#reference.setBusy(true);
  }

  /**
   * Adopts the state of a finished command if it is complete. Returns the command and the directory for its
   * result.
   */
  #adopt(call: StateCommand, native: NativeResult): Invocation {
    this.#running.delete(call.number);
    const saved = native.status === 'exited' ? savedState(call) : undefined;
    native.shellEnded = saved === undefined;
    native.restarted = false;
    native.pipeStatus = pipeStatusIn(call.statuses);
    let keep: string | null = null;
    if (saved !== undefined && call.generation === this.#generation) {
      this.#flags = saved.flags;
      this.#cwd = saved.cwd;
      keep = call.next;
      if (this.#state !== null) removeShared(this.#state);
      this.#state = call.next;
    }
    for (const path of call.files) if (path !== keep) removeShared(path);
    this.#reference.setBusy(this.#running.size > 0);
    if (this.#running.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
    return this.#invocation(call.text);
  }

  #invocation(command: string): Invocation {
    return { command, cwd: this.#cwd ?? this.#initialCwd, shell: this.#shell };
  }

  /** Ends all commands and background processes. */
  async #end(): Promise<void> {
    for (const number of this.#running) theBinding().abort(number);
    if (this.#running.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Tracks the background processes of a command that is over, until the last of them has exited. */
  #leave(number: number): void {
    this.#left.add(number);
    listen(number, ({ kind }) => {
      if (kind !== 'end') return;
      unregister(number);
      this.#left.delete(number);
      if (this.#left.size === 0) this.#onNoneLeft?.();
    });
  }

  /**
   * Ends all background processes: by SIGTERM, and by SIGKILL after the grace of sessions. Node.js stays
   * alive until then.
   */
  async #endLeft(): Promise<void> {
    if (this.#left.size === 0) return;
    const send = (signal: string) => {
      for (const number of this.#left) theBinding().kill(number, signal);
    };
    const timer = setTimeout(send, this.#plan.backgroundGrace, 'SIGKILL');
    send('SIGTERM');
    ref();
    await new Promise<void>((resolve) => {
      this.#onNoneLeft = resolve;
    });
    unref();
    clearTimeout(timer);
  }
}

/**
 * Returns the directory and the options of the shell that has saved its state; `undefined` for half a state.
 */
function savedState({ next, token }: StateCommand): { cwd: string; flags: string } | undefined {
  const isComplete = readShared(next, 'latin1')?.endsWith(`# complete ${token}\n`);
  const cwd = readShared(`${next}-cwd`, 'utf8');
  const flags = readShared(`${next}-flags`, 'latin1');
  if (!isComplete || cwd === undefined || flags === undefined) return undefined;
  return { cwd: pathFromShell(cwd) ?? cwd, flags };
}

function nothing(): void {}

export { KeptState };
