import type { MoreSpec } from '../addon/addon-types.ts';
import type { CommandMore, CommandPlan, CommandSpec } from '../job/command-plan.ts';
import type { Jobs } from '../jobs.ts';
import { checkAuthorization } from '../policy/authorize.ts';
import { withoutDirectory } from '../result/result.ts';
import type { Given } from './checks.ts';
import { abortSignal, boolean, bytes, invalid, isRecord, object, oneOf } from './checks.ts';
import { commandLine } from './command/command-line.ts';
import { drainSpec, forceKillDelay, killSignalNumber, timeLimit } from './command/ending.ts';
import type { Terminal } from './command/pty-options.ts';
import { ptySpec } from './command/pty-options.ts';
import { keepsBytes } from './output/encoding.ts';
import { outputSpec } from './output/output-options.ts';
import type { GivenSurroundings } from './surroundings/surroundings.ts';
import { checkSurroundings, SURROUNDINGS } from './surroundings/surroundings.ts';

type Common = GivenSurroundings & Given<(typeof COMMON)[number]>;

/** The checked arguments of `run()`. */
export interface RunPlan extends CommandPlan {
  table: Jobs | undefined;
  isStrict: boolean;
  asksPipeStatus: boolean;
  mayMove: boolean;
}

/** The options that most commands do not have: {@link more} converts them. */
const MORE = [
  'input',
  'pty',
  'onWaiting',
  'idleTimeout',
  'killSignal',
  'forceKillAfterDelay',
  'background',
  'drain',
  'output',
  'encoding',
] as const;
/** The options of both `run()` and `Jobs.start()`. */
const COMMON = [...SURROUNDINGS, ...MORE, 'timeout', 'signal', 'policy', 'approve', 'decision'] as const;
const RUN = [...COMMON, 'onTimeout', 'backgroundTimeout', 'reject', 'jobs', 'pipeStatus'] as const;
const START = [...COMMON, 'stdin'] as const;

/** Checks the arguments of `run()`. `isTable` recognizes a `Jobs`. */
function checkRun(
  command: unknown,
  given: unknown = {},
  isTable: (value: unknown) => value is Jobs,
): RunPlan {
  const options = object('options', given, RUN);
  const { onTimeout, onWaiting, backgroundTimeout, reject, jobs, pipeStatus } = options;
  if (jobs !== undefined && !isTable(jobs)) throw invalid('options.jobs', 'a table of Jobs', jobs);
  const movesToBackground = oneOf('options.onTimeout', onTimeout, ['kill', 'background']) === 'background';
  const common = checkCommon(command, options, ['keep', 'kill', 'adopt'], movesToBackground);
  const plan = {
    ...common,
    table: jobs,
    isStrict: boolean('options.reject', reject) ?? false,
    asksPipeStatus: boolean('options.pipeStatus', pipeStatus) ?? false,
    mayMove: movesToBackground || common.spec.more?.leftovers === 'adopt',
  };
  const time = timeLimit('options.backgroundTimeout', backgroundTimeout);
  if (movesToBackground) addOptions(plan.spec, { movesToBackground });
  if (time !== undefined) addOptions(plan.spec, { backgroundTimeout: time });
  const action = oneOf('options.onWaiting', onWaiting, ['eof', 'kill']);
  if (action !== undefined) addOptions(plan.spec, { onWaiting: action });
  return plan;
}

/** Checks the arguments of `Jobs.start()`. */
function checkStart(command: unknown, given: unknown = {}): CommandPlan {
  const options = object('options', given, START);
  const { stdin, onWaiting } = options;
  const openInput = oneOf('options.stdin', stdin, ['empty', 'pipe']) === 'pipe';
  const plan = checkCommon(command, options, ['keep', 'kill'], false);
  const { pty, input } = plan.spec.more ?? {};
  const action = oneOf('options.onWaiting', onWaiting, ['event', 'eof', 'kill']);
  if (action !== undefined) addOptions(plan.spec, { onWaiting: action });
  if (openInput) {
    if (pty !== undefined) {
      throw invalid('options.stdin', "'empty' next to a pty, which write() types into", stdin);
    }
    if (input !== undefined) throw invalid('options.stdin', "'empty' next to an input", stdin);
    addOptions(plan.spec, { openInput });
  }
  return plan;
}

/**
 * Checks the options that all commands have. Returns the addon's part (`spec`), in which an absent option
 * stays `undefined`, as the addon has the defaults; and the rest.
 */
function checkCommon(
  command: unknown,
  options: Common,
  leftovers: NonNullable<MoreSpec['leftovers']>[],
  isZeroMeant: boolean,
): CommandPlan {
  const authorization = checkAuthorization(options);
  const { text, ...line } = commandLine(command, options.shell);
  const pty = ptySpec(options.pty);
  if (pty !== undefined) refuseWithTerminal(options);
  const { error, spec: surroundings, ownTarget } = checkSurroundings(options, pty?.term);
  const timeout = timeLimit('options.timeout', options.timeout, isZeroMeant);
  const hasMore = MORE.some((name) => options[name] !== undefined);
  return {
    text,
    refusal: error === null ? null : withoutDirectory(error),
    signal: abortSignal('options.signal', options.signal),
    authorization,
    ownTarget,
    subject: authorization && { line, surroundings },
    spec: {
      ...line,
      surroundings,
      timeout,
      given: { command, options: options as Readonly<Record<string, unknown>> },
      more: hasMore
        ? more(options, leftovers, pty, ownTarget === undefined ? surroundings.root : undefined)
        : undefined,
    },
  };
}

/** Checks the options that most commands do not have, and converts them for the addon. */
function more(
  options: Common,
  leftovers: NonNullable<MoreSpec['leftovers']>[],
  pty: Terminal | undefined,
  root: string | undefined,
): CommandMore {
  const { input, idleTimeout, killSignal, forceKillAfterDelay, background, drain, output } = options;
  return {
    input: input === undefined ? undefined : bytes('options.input', input),
    openInput: pty === undefined ? undefined : true,
    pty,
    idleTimeout: timeLimit('options.idleTimeout', idleTimeout),
    killSignal: killSignalNumber(killSignal),
    forceKillAfterDelay: forceKillDelay(forceKillAfterDelay),
    leftovers: oneOf('options.background', background, leftovers),
    drain: drainSpec(drain),
    bytes: keepsBytes(options),
    // The output is checked last, because the check may choose a spill directory, which only a valid call
    // should do.
    output: outputSpec(output, root),
  };
}

/** Adds options for the addon to those of a command that most commands do not have. */
function addOptions(spec: CommandSpec, options: Omit<MoreSpec, 'pty'>): void {
  spec.more = { ...spec.more, ...options };
}

/**
 * Throws for options that contradict a terminal, which is the standard input, and both output streams in one.
 */
function refuseWithTerminal({ input, output }: Common): void {
  if (input !== undefined) {
    throw invalid('options.input', 'none next to a pty, which write() types into', input);
  }
  if (isRecord(output) && output.merge)
    throw invalid('options.output.merge', 'none next to a pty, which is one stream', true);
}

export { addOptions, checkRun, checkStart };
