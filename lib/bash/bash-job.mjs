import { theHost } from '../addon/host.mjs';
import { Job } from '../job/job.mjs';
import { checkJobOptions } from '../options/job-options.mjs';
import { refusedBecause } from '../result.mjs';
import { TIMEOUT_MS } from './bash.mjs';
import { bashCall } from './bash-call.mjs';

class BashJob extends Job {
  constructor(args, workspaceRoot, safeMode = false, options = {}) {
    super(bashTask(args, workspaceRoot, safeMode, checkJobOptions(options)));
  }
}

function bashTask(args, workspaceRoot, safeMode, { timeout = TIMEOUT_MS, signal, pty, view }) {
  let call = {};
  let refusal = null;
  try {
    call = bashCall(args, workspaceRoot, safeMode, timeout === 0 ? undefined : timeout, pty);
  } catch (error) {
    // Arguments that throw when they are read are wrong arguments: the result has the error.
    refusal = refusedBecause(error);
  }
  const command = call.command?.trim() ? call.command : (call.cmd ?? '');
  const place = { command, cwd: call.workspaceRoot ?? '' };
  return {
    start: (number, isWanted) => theHost().start(number, call, isWanted, view),
    startsAtOnce: false,
    isHeard: true,
    isExposed: true,
    refusal,
    command,
    place: () => place,
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

export { BashJob };
