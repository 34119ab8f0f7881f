import type { NativeResult } from '../addon/addon-types.ts';
import { theBinding, unregister } from '../addon/binding.ts';
import { errorOf } from '../addon/native-error.ts';
import { features } from '../support/features.ts';
import { observed } from './command-events.ts';
import type { CommandPlan, CommandSpec } from './command-plan.ts';
import { inside, Job } from './job.ts';

/** A command of `run()` or of a table. */
class CommandJob extends Job {
  /** Starts a command, and throws the errors of options that only the addon can check. */
  constructor(plan: CommandPlan, mayGetListeners: boolean) {
    const { spec, text, refusal, signal, mayMove = false } = plan;
    const command = observed(plan.observers ?? [], () =>
      features().factsOf(text, spec.surroundings, spec.more),
    );
    if (command !== undefined) spec.more = { ...spec.more, observed: command.takesAll ? 'all' : 'latest' };
    const { killSignal, openInput, pty, ring, forceKillAfterDelay, output, bytes } = spec.more ?? {};
    const { connect, onPrompt, redactor } = spec.surroundings;
    super({
      start: (number, isWanted) => startCommand(number, spec, isWanted),
      startsAtOnce: true,
      mayGetListeners,
      isExposed: mayGetListeners || mayMove,
      refusal,
      command: text,
      approval: plan.approval,
      invocation: (native) => ({
        command: text,
        cwd: native.cwd ?? spec.surroundings.cwd,
        decision: plan.decision,
        redactor,
      }),
      signal,
      killSignal: killSignal ?? 'SIGTERM',
      hasInput: openInput === true,
      pty,
      hasRing: ring !== undefined,
      hasBytes: bytes === true,
      isElsewhere: spec.surroundings.target !== undefined,
      target: spec.surroundings.target?.held,
      isForced: forceKillAfterDelay !== Infinity,
      output,
      isAnswered: false,
      observed: command,
      connects: connect && features().connectsOf(text, { connect, redactor }),
      prompts: onPrompt && features().promptsOf(text, { onPrompt, redactor }),
      durable: plan.durable,
    });
    const { durable } = plan;
    if (durable) inside.table(this).onEnd.push((result) => durable.note(result.durable));
    // A target that was given as plain options lives for this command alone.
    const { ownTarget } = plan;
    if (ownTarget) inside.table(this).onEnd.push(() => ownTarget.dispose());
  }
}

/** Starts the command of a registered job. If the addon refuses an option, removes the job and throws. */
function startCommand(number: number, spec: CommandSpec, isWanted: boolean | undefined): NativeResult | null {
  const refusal = theBinding().run(number, spec, isWanted);
  if (refusal === null) return null;
  unregister(number);
  throw errorOf(refusal, 'options');
}

export { CommandJob, startCommand };
