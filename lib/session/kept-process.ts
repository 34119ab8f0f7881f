import type { EndEvent, NativeResult, NativeSession, RunSpec } from '../addon/addon-types.ts';
import { ref, register, theBinding, unref, unregister } from '../addon/binding.ts';
import { refuseOnWindows } from '../addon/missing-addon.ts';
import { answered } from '../addon/native-error.ts';
import type { Job } from '../job/job.ts';
import { stoppedBeforeItStarted } from '../result/result.ts';
import type { SessionResult } from './api.ts';
import type { SessionCall, SessionKind, SessionRun } from './session-command.ts';
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

/** A session that keeps one shell for all commands (`keep: 'process'`). The addon runs it. */
class KeptProcess implements SessionKind {
  #plan: SessionPlan;
  #native: NativeSession | null = null;
  /** The number of commands without a result. */
  #outstanding = 0;
  #reference = new SessionReference();

  constructor(plan: SessionPlan) {
    this.#plan = plan;
  }

  status(): ReturnType<SessionKind['status']> {
    return this.#native?.status() ?? { state: 'idle', pending: 0 };
  }

  /** Returns the number of commands that wait when one more is added. */
  waiting(): number {
    return this.#outstanding;
  }

  async run(plan: SessionRun): Promise<SessionResult> {
    if (needsJob(plan, this.#plan)) return runAsJob(plan, (own) => this.start(own));
    const { spec, text, signal, pipeStatus } = plan;
    const early = this.#plan.refusal ?? (signal?.aborted ? stoppedBeforeItStarted(false) : null);
    const native =
      early ?? (await this.#settled(spec, pipeStatus, { text, signal, sessionId: this.#plan.id }));
    return runResultIn(plan, native, { command: text, cwd: native.cwd || this.#plan.spec.surroundings.cwd });
  }

  start(plan: SessionRun): Job {
    const { spec, text, pipeStatus } = plan;
    const task = sessionTask(plan, this.#plan.refusal, {
      start: (number, isWanted) => {
        try {
          this.#begin(number, spec, pipeStatus, isWanted);
        } catch (error) {
          unregister(number);
          throw error;
        }
        return null;
      },
      sessionId: this.#plan.id,
      observers: this.#plan.observers,
      surroundings: this.#plan.spec.surroundings,
      cwd: this.status().cwd ?? null,
      isElsewhere: this.#plan.spec.surroundings.target !== undefined,
      invocation: (native) => ({ command: text, cwd: native.cwd || this.#plan.spec.surroundings.cwd }),
      onStart: () => this.#add(1),
      onEnd: () => this.#add(-1),
    });
    return new SessionJob(task);
  }

  interrupt(signal: string | number): boolean | null {
    if (this.#native === null) return theBinding().signalNumber(signal) === null ? null : false;
    return this.#native.interrupt(signal);
  }

  async restart(cwd: string | undefined, root: string | undefined): Promise<void> {
    if (this.#native === null && cwd === undefined) return;
    await this.#done((id) => this.#session().restart(id, cwd, root));
  }

  async close(): Promise<{ stdout: string; stderr: string }> {
    const native = this.#native;
    if (native === null) return { stdout: '', stderr: '' };
    const { stdout, stderr } = await this.#done((id) => native.close(id));
    return { stdout, stderr };
  }

  ref(isReferenced: boolean): void {
    this.#reference.allow(isReferenced);
  }

  #session(): NativeSession {
    refuseOnWindows("A session with keep: 'process'", "keep: 'state'");
    this.#native ??= answered(theBinding().openSession(this.#plan.spec));
    return this.#native;
  }

  /** Queues a command at the addon. Throws the error of an option that the addon refuses. */
  #begin(number: number, spec: RunSpec, pipeStatus: boolean, isWanted: boolean | undefined): void {
    answered(this.#session().run(number, spec, pipeStatus, isWanted));
  }

  /** Runs a command to its end, and returns the addon's result. */
  async #settled(spec: RunSpec, pipeStatus: boolean, call: SessionCall): Promise<NativeResult> {
    this.#add(1);
    try {
      return await startedResult((number) => this.#begin(number, spec, pipeStatus, false), call);
    } finally {
      this.#add(-1);
    }
  }

  /** Makes a request to the addon, and waits for the event that it is done. Node stays alive until then. */
  #done(ask: (id: number) => void): Promise<NativeResult> {
    return new Promise((resolve) => {
      const id = register((event) => {
        unregister(id);
        unref();
        resolve((event as EndEvent).result);
      });
      ref();
      ask(id);
    });
  }

  #add(count: number): void {
    this.#outstanding += count;
    this.#reference.setBusy(this.#outstanding > 0);
  }
}

export { KeptProcess };
