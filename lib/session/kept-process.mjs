import { ref, register, theHost, unref, unregister } from '../addon/host.mjs';
import { refused } from '../options/checks.mjs';
import { stoppedBeforeItStarted } from '../result/result.mjs';
import { nativeResult, runResultIn, SessionReference, sessionTask } from './session-command.mjs';
import { SessionJob } from './session-job.mjs';

/** A session that keeps one shell for all commands (`keep: 'process'`). The addon runs it. */
class KeptProcess {
  #plan;
  #native = null;
  /** The number of commands without a result. */
  #outstanding = 0;
  #reference = new SessionReference();

  constructor(plan) {
    this.#plan = plan;
  }

  status() {
    return this.#native?.status() ?? { state: 'idle', pending: 0 };
  }

  /** Returns the number of commands that wait when one more is added. */
  waiting() {
    return this.#outstanding;
  }

  async run(plan) {
    const { spec, text, signal, pipeStatus } = plan;
    const early = this.#plan.refusal ?? (signal?.aborted ? stoppedBeforeItStarted(false) : null);
    const native =
      early ?? (await this.#settled(spec, pipeStatus, { text, signal, sessionId: this.#plan.id }));
    return runResultIn(plan, native, { command: text, cwd: native.cwd || this.#plan.spec.surroundings.cwd });
  }

  start(plan) {
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
      isElsewhere: this.#plan.spec.surroundings.target !== undefined,
      invocation: (native) => ({ command: text, cwd: native.cwd || this.#plan.spec.surroundings.cwd }),
      onStart: () => this.#add(1),
      onEnd: () => this.#add(-1),
    });
    return new SessionJob(task);
  }

  interrupt(signal) {
    if (this.#native === null) return theHost().signalNumber(signal) === null ? null : false;
    return this.#native.interrupt(signal);
  }

  async restart(cwd, root) {
    if (this.#native === null && cwd === undefined) return;
    await this.#done((id) => this.#session().restart(id, cwd, root));
  }

  async close() {
    if (this.#native === null) return { stdout: '', stderr: '' };
    const { stdout, stderr } = await this.#done((id) => this.#native.close(id));
    return { stdout, stderr };
  }

  ref(isReferenced) {
    this.#reference.allow(isReferenced);
  }

  #session() {
    this.#native ??= theHost().openSession(this.#plan.spec);
    return this.#native;
  }

  /** Queues a command at the addon. Throws the error of an option that the addon refuses. */
  #begin(number, spec, pipeStatus, isWanted) {
    const wrong = this.#session().run(number, spec, pipeStatus, isWanted);
    if (wrong !== null) throw refused(wrong);
  }

  /** Runs a command to its end, and returns the addon's result. */
  async #settled(spec, pipeStatus, call) {
    this.#add(1);
    try {
      return await nativeResult((number) => this.#begin(number, spec, pipeStatus, false), call);
    } finally {
      this.#add(-1);
    }
  }

  /** Makes a request to the addon, and waits for the event that it is done. Node stays alive until then. */
  #done(ask) {
    return new Promise((resolve) => {
      const id = register(({ result }) => {
        unregister(id);
        unref();
        resolve(result);
      });
      ref();
      ask(id);
    });
  }

  #add(count) {
    this.#outstanding += count;
    this.#reference.setBusy(this.#outstanding > 0);
  }
}

export { KeptProcess };
