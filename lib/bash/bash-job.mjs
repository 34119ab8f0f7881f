import { theHost } from '../addon/host.mjs';
import { Job } from '../job/job.mjs';
import { checkJobOptions } from '../options/job-options.mjs';
import { authorizeJob } from '../policy/authorize-job.mjs';
import { policyShell } from '../policy/shell.mjs';
import { refusedBecause } from '../result/result.mjs';
import { bashCall, TIMEOUT_MS } from './bash-call.mjs';

class BashJob extends Job {
  constructor(args, workspaceRoot, safeMode = false, options = {}) {
    super(bashTask(args, workspaceRoot, safeMode, checkJobOptions(options)));
  }
}

function bashTask(args, workspaceRoot, safeMode, options) {
  const { timeout = TIMEOUT_MS, signal, pty, view, authorization } = options;
  let call = {};
  let refusal = null;
  try {
    call = bashCall(args, workspaceRoot, safeMode, timeout === 0 ? undefined : timeout, pty);
  } catch (error) {
    // Arguments that throw when they are read are wrong arguments: the result has the error.
    refusal = refusedBecause(error);
  }
  const command = call.command?.trim() ? call.command : (call.cmd ?? '');
  const invocation = { command, cwd: call.workspaceRoot ?? '' };
  const plan = { authorization, signal, refusal, spec: call, subject: null };
  if (authorization !== null && isRunnable(call)) {
    call.keepsToBash = true;
    plan.subject = subjectOf(command, call);
    authorizeJob(plan);
    refusal = plan.refusal && { ...plan.refusal, output: `Error: ${plan.refusal.error.message}` };
  }
  return {
    approval: plan.approval,
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
    isForced: true,
    spills: false,
    isAnswered: true,
  };
}

/** Returns whether a call has a command. The addon refuses any other by itself, so it needs no decision. */
function isRunnable({ command, cmd, workspaceRoot }) {
  return Boolean(command?.trim() || cmd?.trim()) && workspaceRoot !== undefined;
}

/** Returns the text that the policy judges: for bash, also in safe mode, which runs words of it without any shell. */
function subjectOf(command, { workspaceRoot, environment }) {
  const line = { text: command, command, argv: undefined, split: false, shell: policyShell() };
  return { line, cwd: workspaceRoot, root: undefined, environment };
}

export { BashJob };
