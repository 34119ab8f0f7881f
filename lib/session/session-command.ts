import type { NativeResult } from '../addon/addon-types.ts';
import { register, theBinding, unregister } from '../addon/binding.ts';
import { addAbortListener } from '../job/abort.ts';
import type { PublishEnd } from '../job/command-events.ts';
import { commandStarted, isObserved, observed } from '../job/command-events.ts';
import type { CommandMore, CommandSpec } from '../job/command-plan.ts';
import { connectsOf } from '../job/events/connects.ts';
import { promptsOf } from '../job/events/prompts.ts';
import type { Job } from '../job/job.ts';
import { inside } from '../job/job.ts';
import { LoopReference } from '../job/loop-reference.ts';
import { factsOf } from '../job/observed-facts.ts';
import type { Task } from '../job/task.ts';
import type { Observers } from '../observe/observers.ts';
import type { SurroundingsPlan } from '../options/surroundings/surroundings.ts';
import type { Redactor } from '../redact/redaction.ts';
import { CommandError } from '../result/command-error.ts';
import { withoutFileNames } from '../result/error-names.ts';
import type { Invocation, Result } from '../result/result.ts';
import { settleSpill } from '../result/result.ts';
import { sessionResult } from '../result/session-result.ts';
import type { SessionResult } from './api.ts';
import type { SessionPlan } from './session-options.ts';

/** A checked command of a session. */
export interface SessionRun {
  /** The command for people, in which secret values are marks. */
  text: string;
  redactor?: Redactor | undefined;
  signal: AbortSignal | undefined;
  pipeStatus: boolean;
  /** Whether a failed command rejects. */
  isStrict?: boolean;
  /** The observers of this command alone. */
  observers?: Observers | undefined;
  spec: CommandSpec & { more: CommandMore };
}

/** The start of a command of a session, besides its spec. */
export interface SessionCall {
  text: string;
  signal: AbortSignal | undefined;
  sessionId: string;
}

/** A session, by the way in which it keeps its state between commands. */
export interface SessionKind {
  status(): { state: string; pending: number; pid?: number | undefined; cwd?: string | undefined };
  /** Returns the number of commands that wait when one more is added. */
  waiting(): number;
  run(plan: SessionRun): Promise<SessionResult>;
  start(plan: SessionRun): Job;
  interrupt(signal: string | number): boolean | null;
  restart(cwd: string | undefined, root: string | undefined): Promise<void>;
  close(): Promise<{ stdout: string; stderr: string }>;
  ref(isReferenced: boolean): void;
}

/** The part of a task that depends on the session. */
export type OfSession = Pick<Task, 'start' | 'invocation' | 'onLeft' | 'sessionId' | 'shell'> & {
  isElsewhere?: boolean;
  /** The observers of the session. */
  observers: Observers;
  surroundings: SurroundingsPlan;
  /** The directory of the shell; `null` before the first command. */
  cwd: string | null;
  onStart: () => void;
  onEnd: () => void;
};

/** The task of a command of a session. */
export interface SessionTask extends Task {
  onStart: () => void;
  onEnd: () => void;
}

/**
 * Returns the task of a job that runs a command of a session.
 *
 * @param plan the checked command and its options
 * @param refusal the native result of a command that must not start, or `null`
 * @param session the part of the task that depends on the session
 */
function sessionTask(
  { spec, text, redactor, signal, observers }: SessionRun,
  refusal: NativeResult | null,
  { observers: ofSession, surroundings, cwd, ...session }: OfSession,
): SessionTask {
  const { sessionId = null, shell } = session;
  const command = observed([observers, ofSession], () => ({
    ...factsOf(text, surroundings, spec.more),
    cwd: cwd ?? surroundings.cwd,
    session: sessionId,
    clean: (output) => withoutFileNames(output, shell),
  }));
  if (command !== undefined) spec.more.observed = command.takesAll ? 'all' : 'latest';
  return {
    ...session,
    invocation: (native) => ({ ...session.invocation(native), redactor }),
    observed: command,
    connects: connectsOf(text, surroundings),
    prompts: promptsOf(text, surroundings),
    isElsewhere: session.isElsewhere ?? false,
    startsAtOnce: true,
    mayGetListeners: true,
    isExposed: true,
    refusal,
    command: text,
    signal,
    killSignal: spec.more.killSignal ?? 'SIGTERM',
    hasInput: spec.more.openInput === true,
    hasRing: false,
    hasBytes: false,
    isForced: spec.more.forceKillAfterDelay !== Infinity,
    output: spec.more.output,
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
function startedResult(
  start: (number: number) => void,
  { text, signal, sessionId }: SessionCall,
  onLeft?: (number: number) => void,
): Promise<NativeResult & { publishEnd?: PublishEnd | undefined }> {
  return new Promise((resolve, reject) => {
    let forgetSignal: (() => void) | undefined;
    let publishEnd: PublishEnd | undefined;
    const number = register((event) => {
      if (event.kind !== 'end' && event.kind !== 'background') return;
      if (event.kind === 'end') unregister(number);
      else onLeft?.(number);
      forgetSignal?.();
      resolve({ ...event.result, publishEnd });
    });
    try {
      start(number);
      publishEnd = commandStarted({ id: `job-${number}`, sessionId }, text);
    } catch (error) {
      unregister(number);
      reject(error);
      return;
    }
    if (signal) forgetSignal = addAbortListener(signal, () => theBinding().abort(number));
  });
}

/** Returns the result of `session.run()`, or throws the error with which it rejects. */
function runResultIn(
  plan: SessionRun,
  native: NativeResult & { publishEnd?: PublishEnd | undefined },
  invocation: Invocation,
): SessionResult {
  const result = sessionResult(native, { ...invocation, redactor: plan.redactor });
  native.publishEnd?.(result);
  settleSpill(result, plan.spec.more.output);
  return settledIn(plan, result as SessionResult);
}

/** Returns whether a command of a session has events before its end: for observers, and to ask a person. */
function needsJob({ observers }: SessionRun, session: Pick<SessionPlan, 'observers' | 'spec'>): boolean {
  const { connect, onPrompt } = session.spec.surroundings;
  return connect !== undefined || onPrompt !== undefined || isObserved([observers, session.observers]);
}

/** Runs a command as `session.run()` does, by its job, which gets all events. */
async function runAsJob(plan: SessionRun, start: (plan: SessionRun) => Job): Promise<SessionResult> {
  const job = start(plan);
  // The session's own reference keeps Node.js alive, unless the user gave that up.
  job.unref();
  return settledIn(plan, (await inside.written(job)) as Result as SessionResult);
}

/** Returns a result, or throws the error with which `session.run()` rejects. */
function settledIn({ spec, isStrict }: SessionRun, result: SessionResult): SessionResult {
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
  allow(isReferenced: boolean): void {
    this.#isReferenced = isReferenced;
    this.#update();
  }

  /** Follows whether commands run. */
  setBusy(isBusy: boolean): void {
    this.#isBusy = isBusy;
    this.#update();
  }

  #update(): void {
    this.#loop.set(this.#isReferenced && this.#isBusy);
  }
}

export { needsJob, runAsJob, runResultIn, SessionReference, sessionTask, startedResult };
