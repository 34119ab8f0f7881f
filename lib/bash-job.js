'use strict';

const { TIMEOUT_MS } = require('./bash.js');
const { theHost } = require('./host.js');
const { Job } = require('./job.js');
const { checkJobOptions } = require('./job-options.js');
const { refusedBecause } = require('./result.js');
const { voiceCall } = require('./voice-call.js');

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

module.exports = { BashJob };
