import { ref, register, theHost, unref, unregister } from '../addon/host.mjs';
import { onAbort } from '../job/abort.mjs';
import { refused } from '../job/command-job.mjs';
import { CommandError } from '../result/command-error.mjs';
import { makeDisposable, sessionResult, stoppedBeforeItStarted } from '../result/result.mjs';
import { SessionJob } from './session-job.mjs';

/** A session whose shell lives on from command to command (`keep: 'process'`). */
class LiveShell {
  #plan;
  #native = null;
  /** Commands that have no result yet. */
  #outstanding = 0;
  #isReferenced = true;
  #holdsNode = false;

  constructor(plan) {
    this.#plan = plan;
  }

  status() {
    return this.#native?.status() ?? { state: 'idle', pending: 0 };
  }

  /** How many commands would wait if one more came. */
  waiting() {
    return this.#outstanding;
  }

  async run(plan) {
    const { spec, text, signal, pipeStatus, isStrict } = plan;
    const early = this.#plan.refusal ?? (signal?.aborted ? stoppedBeforeItStarted(false) : null);
    const native = early ?? (await this.#settled(spec, pipeStatus, signal));
    const result = sessionResult(native, { command: text, cwd: native.cwd || this.#plan.spec.cwd });
    if (spec.more.output?.spill !== undefined) makeDisposable(result);
    if (isStrict && !(result.status === 'exited' && result.exitCode === 0))
      throw new CommandError(result, timesOf(spec));
    return result;
  }

  start({ spec, text, signal, pipeStatus }) {
    return new SessionJob({
      start: (number, isWanted) => {
        const wrong = this.#session().run(number, spec, pipeStatus, isWanted);
        if (wrong !== null) {
          unregister(number);
          throw refused(wrong);
        }
        return null;
      },
      startsAtOnce: true,
      isHeard: true,
      isExposed: true,
      refusal: this.#plan.refusal,
      command: text,
      place: (native) => ({ command: text, cwd: native.cwd || this.#plan.spec.cwd }),
      signal,
      killSignal: spec.more.killSignal ?? 'SIGTERM',
      hasInput: spec.more.openInput === true,
      hasRing: false,
      isForced: spec.more.forceKillAfterDelay !== Infinity,
      spills: spec.more.output?.spill !== undefined,
      isAnswered: false,
      isInSession: true,
      onStart: () => this.#add(1),
      onEnd: () => this.#add(-1),
    });
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
    this.#isReferenced = isReferenced;
    this.#hold();
  }

  #session() {
    this.#native ??= theHost().openSession(this.#plan.spec);
    return this.#native;
  }

  /** Runs a command to its end, and gives the addon's result. */
  #settled(spec, pipeStatus, signal) {
    return new Promise((resolve, reject) => {
      let forgetSignal;
      const id = register(({ kind, result }) => {
        if (kind !== 'end') return;
        unregister(id);
        forgetSignal?.();
        this.#add(-1);
        resolve(result);
      });
      const wrong = this.#session().run(id, spec, pipeStatus, false);
      if (wrong !== null) {
        unregister(id);
        reject(refused(wrong));
        return;
      }
      this.#add(1);
      if (signal) forgetSignal = onAbort(signal, () => theHost().abort(id));
    });
  }

  /** Waits for the event by which the addon says that something is done. Node lives until then. */
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
    this.#hold();
  }

  #hold() {
    const isNeeded = this.#isReferenced && this.#outstanding > 0;
    if (isNeeded === this.#holdsNode) return;
    this.#holdsNode = isNeeded;
    if (isNeeded) ref();
    else unref();
  }
}

/** What an error tells of the limits of time. */
function timesOf({ timeout, more }) {
  return { timeout, idleTimeout: more.idleTimeout };
}

export { LiveShell, timesOf };
