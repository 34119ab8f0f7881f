import { register, theHost, unregister } from '../addon/host.mjs';
import { onAbort } from '../job/abort.mjs';
import { commandStarted } from '../job/command-events.mjs';
import { LoopReference } from '../job/loop-reference.mjs';
import { CommandError } from '../result/command-error.mjs';
import { makeDisposable, sessionResult } from '../result/result.mjs';

/**
 * Returns the task of a job that runs a command of a session.
 *
 * @param plan the checked command and its options
 * @param refusal the native result of a command that must not start, or `null`
 * @param session the part of the task that depends on the session: `start(number, isWanted)`,
 *   `invocation(native)`, `onStart()`, `onEnd()`, and `onLeft(number)` for a command whose background
 *   processes go on under its number
 */
function sessionTask({ spec, text, signal }, refusal, session) {
  return {
    ...session,
    startsAtOnce: true,
    mayGetListeners: true,
    isExposed: true,
    refusal,
    command: text,
    signal,
    killSignal: spec.more.killSignal ?? 'SIGTERM',
    hasInput: spec.more.openInput === true,
    hasRing: false,
    isForced: spec.more.forceKillAfterDelay !== Infinity,
    spills: spec.more.output?.spill !== undefined,
    isAnswered: false,
    isInSession: true,
  };
}

/**
 * Starts a command by `start(number)`, and returns a promise of the addon's result, which {@link runResultIn}
 * converts.
 *
 * @param call the `text` of the command, its `signal`, and the `sessionId`
 * @param onLeft is called with the number of a command whose background processes go on under it
 */
function nativeResult(start, { text, signal, sessionId }, onLeft) {
  return new Promise((resolve, reject) => {
    let forgetSignal;
    let publishEnd;
    const number = register(({ kind, result }) => {
      if (kind !== 'end' && kind !== 'background') return;
      if (kind === 'end') unregister(number);
      else onLeft(number);
      forgetSignal?.();
      resolve({ ...result, publishEnd });
    });
    try {
      start(number);
      publishEnd = commandStarted({ id: `job-${number}`, sessionId }, text);
    } catch (error) {
      unregister(number);
      reject(error);
      return;
    }
    if (signal) forgetSignal = onAbort(signal, () => theHost().abort(number));
  });
}

/** Returns the result of `session.run()`, or throws the error with which it rejects. */
function runResultIn({ spec, isStrict }, native, invocation) {
  const result = sessionResult(native, invocation);
  native.publishEnd?.(result);
  if (spec.more.output?.spill !== undefined) makeDisposable(result);
  if (isStrict && !(result.status === 'exited' && result.exitCode === 0)) {
    throw new CommandError(result, { timeout: spec.timeout, idleTimeout: spec.more.idleTimeout });
  }
  return result;
}

/**
 * A session's reference to the event loop: held while commands run, unless the user gave it up by `unref()`.
 */
class SessionReference {
  #loop = new LoopReference();
  #isReferenced = true;
  #isBusy = false;

  /** Follows `session.ref()` and `session.unref()`. */
  allow(isReferenced) {
    this.#isReferenced = isReferenced;
    this.#update();
  }

  /** Follows whether commands run. */
  setBusy(isBusy) {
    this.#isBusy = isBusy;
    this.#update();
  }

  #update() {
    this.#loop.set(this.#isReferenced && this.#isBusy);
  }
}

export { nativeResult, runResultIn, SessionReference, sessionTask };
