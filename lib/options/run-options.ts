import type { MoreSpec } from '../addon/addon-types.ts';
import type { CommandPlan, CommandSpec } from '../job/command-plan.ts';
import type { Jobs } from '../jobs.ts';
import type { GivenAuthorization } from '../policy/authorization.ts';
import { authorizationOf } from '../policy/authorization.ts';
import { redactedText } from '../redact/redacted.ts';
import { withoutDirectory } from '../result/result.ts';
import { features } from '../support/features.ts';
import type { Given } from './checks.ts';
import { invalid, isRecord, object } from './checks.ts';
import { commandLine } from './command/command-line.ts';
import type { Call, IsTable } from './command/command-options.ts';
import { checkCommandOptions, commandOptions } from './command/command-options.ts';
import type { Terminal } from './command/pty-options.ts';
import type { CheckedSurroundings, GivenSurroundings } from './surroundings/surroundings.ts';
import { checkSurroundings, SURROUNDINGS } from './surroundings/surroundings.ts';

type GivenOptions = GivenSurroundings & Given<string> & GivenAuthorization;

/** Where a command runs: its terminal, by whose name it has a variable, and its surroundings. */
export interface CommandPlace extends CheckedSurroundings {
  pty: Terminal | undefined;
}

/** The checked arguments of `run()`. */
export interface RunPlan extends CommandPlan {
  table: Jobs | undefined;
  isStrict: boolean;
  asksPipeStatus: boolean;
  mayMove: boolean;
}

/** The options of a command that is no session's, besides those of the table in `command-options.ts`. */
const AROUND = [...SURROUNDINGS, 'policy', 'approve', 'decision'] as const;
const RUN = [...AROUND, ...commandOptions('run')];
const START = [...AROUND, ...commandOptions('start')];

/** Checks the arguments of `run()`. `isTable` recognizes a `Jobs`. */
function checkRun(command: unknown, given: unknown = {}, isTable: IsTable): RunPlan {
  return planRun(command, object('options', given, RUN), isTable);
}

/**
 * Makes the plan of a command of `run()` whose options have known names, in a place that may be checked
 * already.
 */
function planRun(command: unknown, options: GivenOptions, isTable: IsTable, place?: CommandPlace): RunPlan {
  return checkCommand('run', command, options, place, isTable);
}

/** Checks the arguments of `Jobs.start()`. */
function checkStart(command: unknown, given: unknown = {}): RunPlan {
  return planStart(command, object('options', given, START));
}

/** Makes the plan of a command of `Jobs.start()`, as {@link planRun} does. */
function planStart(command: unknown, options: GivenOptions, place?: CommandPlace): RunPlan {
  const plan = checkCommand('start', command, options, place);
  if (options.stdin === 'pipe') {
    const { pty, input } = plan.spec.more ?? {};
    if (pty !== undefined) {
      throw invalid('options.stdin', "'empty' next to a pty, which write() types into", options.stdin);
    }
    if (input !== undefined) throw invalid('options.stdin', "'empty' next to an input", options.stdin);
  }
  return plan;
}

/**
 * Checks the options of a command. Returns the addon's part (`spec`), in which an absent option stays
 * `undefined`, as the addon has the defaults; and the rest.
 */
function checkCommand(
  call: Call,
  command: unknown,
  options: GivenOptions,
  place?: CommandPlace,
  isTable?: IsTable,
): RunPlan {
  const authorization = authorizationOf(options);
  const { text, command: forShell, argv, split } = commandLine(command, options.shell);
  const line = { command: forShell, argv, split };
  const { pty, error, spec: surroundings, ownTarget } = place ?? placeOf(options);
  if (pty !== undefined) refuseWithTerminal(options);
  const root = ownTarget === undefined ? surroundings.root : undefined;
  const chosen = checkCommandOptions(call, { options, pty, root, isTable });
  const { more, observers } = chosen;
  if (pty !== undefined) more.openInput = true;
  // Each field is named: rest and spread properties took a fifth of the time of the call.
  return {
    signal: chosen.signal,
    isStrict: chosen.isStrict,
    asksPipeStatus: chosen.asksPipeStatus,
    table: chosen.table,
    text: redactedText(text, surroundings.redactor),
    given: text,
    refusal: error === null ? null : withoutDirectory(error),
    authorization,
    ownTarget,
    subject: authorization && { line, surroundings },
    mayMove: more.movesToBackground === true || more.leftovers === 'adopt',
    observers: observers && [observers],
    spec: {
      command: forShell,
      argv,
      split,
      surroundings,
      timeout: chosen.timeout,
      given: { command, options },
      more: Object.keys(more).length === 0 ? undefined : more,
    },
  };
}

/** Checks where a command runs: its terminal and its surroundings. */
function placeOf(options: GivenSurroundings & Given<'pty'>): CommandPlace {
  const hasNone = options.pty === undefined || options.pty === false;
  const pty = hasNone ? undefined : features().ptySpec(options.pty);
  const { error, spec, ownTarget } = checkSurroundings(options, pty?.term);
  return { pty, error, spec, ownTarget };
}

/** Adds options for the addon to those of a command that most commands do not have. */
function addOptions(spec: CommandSpec, options: Omit<MoreSpec, 'pty'>): void {
  spec.more = { ...spec.more, ...options };
}

/**
 * Throws for options that contradict a terminal, which is the standard input, and both output streams in one.
 */
function refuseWithTerminal({ input, output }: GivenOptions): void {
  if (input !== undefined) {
    throw invalid('options.input', 'none next to a pty, which write() types into', input);
  }
  if (isRecord(output) && output.merge)
    throw invalid('options.output.merge', 'none next to a pty, which is one stream', true);
}

export { addOptions, checkRun, checkStart, placeOf, planRun, planStart };
