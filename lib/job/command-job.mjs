import { theHost, unregister } from '../addon/host.mjs';
import { wrong } from '../options/checks.mjs';
import { Job } from './job.mjs';

/** A command of `run()` or of a table. */
class CommandJob extends Job {
  /**
   * Starts a command, and throws the errors of options that only the addon can check.
   *
   * @param taken for a running command that the job takes over: its `number`, and `publishEnd`
   */
  constructor(plan, mayGetListeners, { number, publishEnd } = {}) {
    const { spec, text, refusal, signal, mayMove = false } = plan;
    const { killSignal, openInput, pty, ring, forceKillAfterDelay, output } = spec.more ?? {};
    super({
      number,
      publishEnd,
      start: (own, isWanted) => (number === undefined ? startCommand(own, spec, isWanted) : null),
      startsAtOnce: true,
      mayGetListeners,
      isExposed: mayGetListeners || mayMove,
      refusal,
      command: text,
      approval: plan.approval,
      invocation: (native) => ({ command: text, cwd: native.cwd ?? spec.cwd, decision: plan.decision }),
      // The caller of a running command has its answer already, so its signal no longer counts.
      signal: number === undefined ? signal : undefined,
      killSignal: killSignal ?? 'SIGTERM',
      hasInput: openInput === true,
      pty,
      hasRing: ring !== undefined,
      isForced: forceKillAfterDelay !== Infinity,
      spills: output?.spill !== undefined,
      isAnswered: false,
    });
  }
}

/** Starts the command of a registered job. If the addon refuses an option, removes the job and throws. */
function startCommand(number, spec, isWanted) {
  const refusal = theHost().run(number, spec, isWanted);
  if (refusal === null) return null;
  unregister(number);
  throw refused(refusal);
}

/** Returns the error of an option that the addon refused. */
function refused({ code, message, option }) {
  const subject = option === 'command' ? 'Invalid command' : `Invalid option 'options.${option}'`;
  return wrong(`${subject}: ${message}`, code);
}

export { CommandJob, refused, startCommand };
