// The options with which a command runs: those of the dialect, combined with the host's.

import type { Jobs } from '../../jobs.ts';
import type { SpillOptions } from '../../options/command/api.ts';
import { MAX_HELD, MIN_MINIMIZED } from '../../options/output/output-options.ts';
import { placeOf } from '../../options/run-options.ts';
import { inSandbox } from '../../options/surroundings/environment/inheritance.ts';
import { connectDecider, withConnect } from '../../options/surroundings/sandbox/connect-option.ts';
import { hasRules, withoutRules, withRules } from '../../options/surroundings/sandbox/host-rules.ts';
import type { InheritanceOptions } from '../../options/surroundings/sandbox-api.ts';
import { OR_SH } from '../../options/surroundings/shell-option.ts';
import type { GivenSurroundings } from '../../options/surroundings/surroundings.ts';
import type { DECIDED } from '../../policy/authorization.ts';
import type { Decided } from '../../policy/authorize.ts';
import { absolutePath } from '../../support/paths/absolute-path.ts';
import { isWithin } from '../../support/paths/within.ts';
import type { MinimizeOptions, ViewOptions } from '../../view/api.ts';
import type { OutputPlan, Prepared, RunAction } from '../actions.ts';
import type { CommandStart } from '../state/cwd/start-directory.ts';
import { isDirectory } from '../state/cwd/start-directory.ts';
import type { ToolSurroundings, ToolsetState } from '../toolset-state.ts';

/** The file for the output of a command. */
export type SpillPlan = SpillOptions & { directory?: string | undefined };

/** The options of `run()` or `Jobs.start()` for a command of a dialect. */
export type CommandOptions = GivenSurroundings & {
  cwd?: string | undefined;
  root?: string | undefined;
  env?: Record<string, string | undefined> | undefined;
  shell?: string | string[] | undefined;
  target?: ToolSurroundings['target'];
  timeout?: number | undefined;
  backgroundTimeout?: number | undefined;
  onTimeout?: 'background';
  idleTimeout?: number | undefined;
  input?: string | undefined;
  drain?: 'end' | undefined;
  background?: ToolsetState['background'];
  pty?: { cols: number; rows: number };
  forceKillAfterDelay?: number;
  signal?: AbortSignal;
  pipeStatus?: boolean;
  jobs?: Jobs;
  policy?: unknown;
  [DECIDED]?: Decided | undefined;
  [OR_SH]?: boolean;
  output?: CommandOutput;
};

/** The option `output` of a command of a dialect. */
export interface CommandOutput {
  maxBytes: number;
  keep: 'head' | 'tail' | 'both';
  headBytes: number | undefined;
  cut: 'line' | 'character';
  merge: boolean | undefined;
  stripAnsi: boolean;
  marker: string | undefined;
  spill: SpillPlan | undefined;
  view: BudgetedView | undefined;
  minimize: boolean | MinimizeOptions | undefined;
}

/** The options of a view, with its budget. */
export type BudgetedView = ViewOptions & { maxBytes: number };

/**
 * Returns the options with which a command runs, and the place, checked. The policy and the start of a
 * command share them: between the two, nothing changes unless somebody was asked.
 */
function prepared(spec: RunAction, state: ToolsetState): Prepared {
  if (spec.prepared === undefined) {
    const options = runOptions(spec, state);
    spec.prepared = { options, place: placeOf(options) };
  }
  return spec.prepared;
}

/** Returns the options of `run()` or `Jobs.start()` for a command of the dialect. */
function runOptions(spec: RunAction, state: ToolsetState): CommandOptions & { output: CommandOutput } {
  const { surroundings } = state;
  const { output } = spec;
  const view = state.view ?? output.view;
  const hasView = view !== undefined && view !== false;
  const shown = hasView ? viewOf(view, output) : undefined;
  const minimize = hasView ? state.minimize : undefined;
  const spill = spillOf(output, shown, minimize, state);
  const options: CommandOptions & { output: CommandOutput } = {
    ...surroundings,
    ...limitsOf(spec, surroundings),
    cwd: directory(spec, state),
    root: rootOf(spec, state),
    env: environment(spec, surroundings.env),
    // A shell that the model asks for may be another one.
    startState: spec.askedShell === undefined ? surroundings.startState : undefined,
    nonInteractive: surroundings.nonInteractive ?? spec.nonInteractive,
    shell: spec.argv === undefined ? (spec.askedShell ?? surroundings.shell ?? spec.shell) : undefined,
    timeout: spec.timeoutMs,
    idleTimeout: spec.idleTimeoutMs,
    input: spec.input,
    drain: spec.waitsForOutput ? 'end' : undefined,
    background: state.background,
    output: {
      maxBytes: output.maxBytes,
      keep: output.keep,
      headBytes: output.headBytes,
      cut: output.byLine ? 'line' : 'character',
      // A terminal is one stream already.
      merge: spec.pty ? undefined : output.merge || hasView,
      stripAnsi: output.stripAnsi,
      marker: output.marker,
      spill,
      view: shown,
      minimize: spill === undefined ? undefined : minimize,
    },
  };
  options[OR_SH] = surroundings.target !== undefined && options.shell === spec.shell;
  if (spec.pty) options.pty = spec.pty;
  if (spec.killAfterMs !== undefined) options.forceKillAfterDelay = spec.killAfterMs;
  return options;
}

/**
 * Returns the options that a granted request changes. Outside of the sandbox a command inherits what it did
 * inside, without what looks like a secret: nobody was asked about these.
 */
function limitsOf(
  { grant }: RunAction,
  { sandbox, environment }: ToolSurroundings,
): Pick<GivenSurroundings, 'sandbox' | 'credentials' | 'environment'> {
  if (grant === undefined) return {};
  if (grant.more.unsandboxed) {
    return {
      sandbox: undefined,
      credentials: undefined,
      environment: inSandbox(environment as InheritanceOptions | undefined),
    };
  }
  const { sandbox: own, rules } = withoutRules(sandbox);
  const widened = withConnect({ ...(own as object), ...grant.widened }, connectDecider(sandbox));
  const ruled = withRules(widened, rules);
  // With the whole network, requests don't pass the rules, and so get no credentials.
  return hasRules(ruled) || rules === undefined
    ? { sandbox: ruled }
    : { sandbox: ruled, credentials: undefined };
}

/** Returns the option `spill`. Output that the model certainly reads in whole needs no file. */
function spillOf(
  { spill, spillAbove, spillAtOnce }: OutputPlan,
  view: BudgetedView | undefined,
  minimize: boolean | MinimizeOptions | undefined,
  state: ToolsetState,
): SpillPlan | undefined {
  if (!spill && !(view !== undefined && state.spills)) return undefined;
  if (spillAtOnce) return { ...state.spill } as SpillPlan;
  // In plain text, a byte that is not UTF-8 takes three.
  const most = view === undefined ? spillAbove : Math.floor(view.maxBytes / 3);
  const above = minimize === undefined ? most : MIN_MINIMIZED - 1;
  return { ...(state.spill as SpillPlan), above: above && Math.min(above, MAX_HELD) };
}

/** The smallest and the largest budget of a view (bytes). */
const VIEW_BYTES = [200, 1024 * 1024] as const;

/**
 * Returns the options of a view, whose budget is at most the output that the model reads; the host's own
 * budget counts for the view alone.
 */
function viewOf(view: true | ViewOptions, { maxBytes, viewBytes }: OutputPlan): BudgetedView {
  const [least, most] = VIEW_BYTES;
  const budget = Math.min(Math.max(viewBytes ?? maxBytes, least), most);
  if (view === true) return { maxBytes: budget };
  // Such a dialect cuts the text to its limit, so a longer view would be cut again.
  const own = view.maxBytes ?? budget;
  return { ...view, maxBytes: viewBytes === undefined ? own : Math.min(own, budget) };
}

/**
 * Returns the directory in which a command starts: the model's, relative to the one before, or to the host's
 * where the dialect promises that.
 */
function directory({ cwd, isContained, grant }: Partial<RunAction>, state: ToolsetState): string | undefined {
  const { surroundings, cwdMemory, start } = state;
  if (cwd === undefined) return (grant && directoryOfSession(state)) ?? startOf(state).cwd;
  const base = isContained ? surroundings.cwd : (cwdMemory?.current ?? surroundings.cwd);
  if (cwd.startsWith('/')) return cwd;
  if (base !== undefined) return absolutePath(cwd, base);
  return (surroundings.target && start.absolute(cwd)) ?? cwd;
}

/**
 * Returns the directory of the session's shell, for a command with other limits and so a shell of its own;
 * `undefined` if a sandbox may have it for itself.
 */
function directoryOfSession({ session, surroundings }: ToolsetState): string | undefined {
  const cwd = session?.cwd;
  return cwd && isWithin(surroundings.root as string, cwd) && isDirectory(cwd) ? cwd : undefined;
}

/**
 * Returns the directory in which a command starts without one of the model, and the removed one in whose
 * place it is.
 */
function startOf({ start, cwdMemory }: ToolsetState): CommandStart {
  return start.find(cwdMemory?.current);
}

/** Returns the directory that must contain that in which a command starts; `undefined` for no bound. */
function rootOf({ cwd, isContained }: RunAction, state: ToolsetState): string | undefined {
  const { surroundings, cwdMemory } = state;
  const isAsked = cwd !== undefined;
  const added = isAsked ? undefined : cwdMemory?.currentRoot;
  // Without a root, the directory of the host bounds what a model names alone.
  if (surroundings.root === undefined && !isAsked && startOf(state).gone !== undefined) return undefined;
  const isBound = isContained && (isAsked || cwdMemory?.current === undefined);
  const own = surroundings.target === undefined ? (surroundings.cwd ?? '') : state.start.path;
  return (surroundings.root && added) ?? surroundings.root ?? (isBound ? own : undefined);
}

function environment(
  { env = [], dialectEnv = [] }: RunAction,
  own: ToolSurroundings['env'],
): ToolSurroundings['env'] {
  if (env.length === 0 && dialectEnv.length === 0) return own;
  return { ...Object.fromEntries(dialectEnv), ...own, ...Object.fromEntries(env) };
}

export { directory, prepared, startOf };
