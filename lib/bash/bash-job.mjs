import { theHost } from '../addon/host.mjs';
import { inside, Job } from '../job/job.mjs';
import { authorizeJob } from '../policy/authorize-job.mjs';
import { lineOfText } from '../policy/check.mjs';
import { refusedBecause } from '../result/result.mjs';
import { bashCall, bashSurroundings, TIMEOUT_MS } from './bash-call.mjs';
import { checkJobOptions } from './job-options.mjs';

class BashJob extends Job {
  constructor(args, workspaceRoot, safeMode = false, options = {}) {
    const checked = checkJobOptions(options);
    const { sandbox, overlay, target } = checked;
    const { spec, ownTarget } = bashSurroundings(workspaceRoot, { sandbox, overlay, target }, checked.pty);
    super(bashTask(args, spec, safeMode, checked));
    // A target that was given as plain options lives for this command alone.
    if (ownTarget !== null) inside.onEnd(this, () => ownTarget.dispose());
  }
}

function bashTask(args, surroundings, safeMode, options) {
  const { timeout = TIMEOUT_MS, signal, pty, bytes, view, authorization } = options;
  let call = {};
  let refusal = null;
  try {
    call = bashCall(args, surroundings, safeMode, timeout === 0 ? undefined : timeout, options);
  } catch (error) {
    // Arguments that throw when they are read are wrong arguments: the result has the error.
    refusal = refusedBecause(error);
  }
  const command = call.command?.trim() ? call.command : (call.cmd ?? '');
  const invocation = { command, cwd: call.surroundings?.cwd ?? '' };
  const plan = { authorization, signal, refusal, spec: call, subject: null };
  if (authorization !== null && isRunnable(call)) {
    call.keepsToBash = true;
    // The policy judges the text for bash, also in safe mode, which runs words of it without any shell.
    plan.subject = { line: lineOfText(command), surroundings: call.surroundings };
    authorizeJob(plan);
    refusal = answering(plan.refusal);
  }
  return {
    approval: plan.approval?.then(answering),
    start: (number, isWanted) => theHost().start(number, call, isWanted, view),
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
    spills: false,
    isAnswered: true,
  };
}

/** Adds the answer of the bash tool to the result of a command that may not run, if there is one. */
function answering(refusal) {
  return refusal && { ...refusal, output: refusal.output || `Error: ${refusal.error.message}` };
}

/** Returns whether a call has a command. The addon refuses any other by itself, so it needs no decision. */
function isRunnable({ command, cmd, surroundings }) {
  return Boolean(command?.trim() || cmd?.trim()) && surroundings !== undefined;
}

export { BashJob };
