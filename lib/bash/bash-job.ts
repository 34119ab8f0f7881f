import type { BashSpec, NativeResult } from '../addon/addon-types.ts';
import { theBinding } from '../addon/binding.ts';
import { inside, Job } from '../job/job.ts';
import type { Task } from '../job/task.ts';
import { lineOfText } from '../options/command/command-line.ts';
import type { SurroundingsPlan } from '../options/surroundings/surroundings.ts';
import type { JobPlan } from '../policy/authorize-job.ts';
import { authorizeJob } from '../policy/authorize-job.ts';
import { refusedBecause, refusedCall } from '../result/result.ts';
import { features } from '../support/features.ts';
import type { BashArgs } from './api.ts';
import { bashCall, bashSurroundings, TIMEOUT_MS } from './bash-call.ts';
import type { BashJobOptions } from './job-options.ts';
import { checkJobOptions } from './job-options.ts';

/** The arguments for the addon, with what keeps the surroundings alive. */
type JobSpec = BashSpec & { surroundings?: SurroundingsPlan | undefined };

class BashJob extends Job {
  constructor(
    args: BashArgs | null | undefined,
    workspaceRoot: string,
    safeMode = false,
    options: unknown = {},
  ) {
    const checked = checkJobOptions(options);
    const { sandbox, overlay, target } = checked;
    const { spec, ownTarget } = bashSurroundings(workspaceRoot, { sandbox, overlay, target }, checked.pty);
    super(bashTask(args, spec, safeMode, checked));
    // A target that was given as plain options lives for this command alone.
    if (ownTarget) inside.table(this).onEnd.push(() => ownTarget.dispose());
  }
}

function bashTask(
  args: BashArgs | null | undefined,
  surroundings: SurroundingsPlan | undefined,
  safeMode: boolean,
  options: BashJobOptions,
): Task {
  const { timeout = TIMEOUT_MS, signal, pty, bytes, view, authorization } = options;
  let call: JobSpec = { safeMode };
  let refusal: NativeResult | null = null;
  try {
    call = bashCall(args, surroundings, safeMode, timeout === 0 ? undefined : timeout, options);
  } catch (error) {
    // Arguments that throw when they are read are wrong arguments: the result has the error.
    refusal = refusedBecause(error);
  }
  const command = call.command?.trim() ? call.command : (call.cmd ?? '');
  const invocation = { command, cwd: call.surroundings?.cwd ?? '' };
  const plan: JobPlan = { authorization, signal, refusal, spec: call, subject: null, text: command };
  if (authorization !== null && call.surroundings !== undefined && isRunnable(call)) {
    call.keepsToBash = true;
    // The policy judges the text for bash, also in safe mode, which runs words of it without any shell.
    plan.subject = { line: lineOfText(command), surroundings: call.surroundings };
    authorizeJob(plan);
    refusal = answering(plan.refusal);
  }
  return {
    approval: plan.approval?.then(answering),
    start: (number, isWanted) => refusedCall(theBinding().start(number, call, isWanted, view)),
    startsAtOnce: false,
    mayGetListeners: true,
    isExposed: true,
    refusal,
    command,
    invocation: () => ({ ...invocation, decision: plan.decision }),
    signal,
    killSignal: 'SIGTERM',
    hasInput: pty !== undefined,
    pty,
    hasRing: false,
    hasBytes: bytes === true,
    isElsewhere: surroundings?.target !== undefined,
    isForced: true,
    isAnswered: true,
    connects: surroundings?.connect && features().connectsOf(command, surroundings),
  };
}

/** Adds the answer of the bash tool to the result of a command that may not run, if there is one. */
function answering(refusal: NativeResult | null): NativeResult | null {
  return refusal && { ...refusal, output: refusal.output || `Error: ${refusal.error?.message}` };
}

/** Returns whether a call has a command. The addon refuses any other by itself, so it needs no decision. */
function isRunnable({ command, cmd }: BashSpec): boolean {
  return Boolean(command?.trim() || cmd?.trim());
}

export { BashJob };
