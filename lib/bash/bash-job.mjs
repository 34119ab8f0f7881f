import { theHost } from '../addon/host.mjs';
import { Job } from '../job/job.mjs';
import { checkJobOptions } from '../options/job-options.mjs';
import { refusedBecause } from '../result.mjs';
import { TIMEOUT_MS } from './bash.mjs';
import { voiceCall } from './voice-call.mjs';

class BashJob extends Job {
  constructor(args, workspaceRoot, safeMode = false, options = {}) {
    super(voiceTask(args, workspaceRoot, safeMode, checkJobOptions(options)));
  }
}

function voiceTask(args, workspaceRoot, safeMode, { timeout = TIMEOUT_MS, signal }) {
  let call = {};
  let refusal = null;
  try {
    call = voiceCall(args, workspaceRoot, safeMode, timeout === 0 ? undefined : timeout);
  } catch (error) {
    // Arguments that throw when they are looked at are wrong arguments like any other.
    refusal = refusedBecause(error);
  }
  const command = call.command?.trim() ? call.command : (call.cmd ?? '');
  const place = { command, cwd: call.workspaceRoot ?? '' };
  return {
    start: (number, isWanted) => theHost().start(number, call, isWanted),
    startsAtOnce: false,
    isHeard: true,
    isExposed: true,
    refusal,
    command,
    place: () => place,
    signal,
    killSignal: 'SIGTERM',
    hasInput: false,
    hasRing: false,
    isForced: true,
    spills: false,
    isAnswered: true,
  };
}

export { BashJob };
