// The surroundings of a command: the options that a caller sets once for all of its commands. Each entry
// point takes them whole: `run()`, `Jobs`, sessions, `check()` and the tools.

import type { SurroundingsSpec } from '../../addon/addon-types.ts';
import type { CommandScope } from '../../credentials/scope.ts';
import type { Redactor } from '../../redact/redaction.ts';
import { features } from '../../support/features.ts';
import { absolutePath } from '../../support/paths/absolute-path.ts';
import type { Target } from '../../target/target.ts';
import type { Given } from '../checks.ts';
import type { Variable } from './environment/environment.ts';
import { commandEnvironment } from './environment/environment.ts';
import { SURROUNDINGS } from './names.ts';
import { withOverlay } from './overlay-option.ts';
import type { OnPrompt } from './prompt-api.ts';
import type { ConnectDecider } from './sandbox/connect-option.ts';
import type { OR_SH } from './shell-option.ts';
import type { StartState } from './start-state.ts';
import type { OwnSurroundings } from './surroundings-options.ts';
import { ownSurroundings } from './surroundings-options.ts';
import type { TargetPlan } from './target-surroundings.ts';

/** The surroundings as a caller gave them, with what only this package gives. */
export type GivenSurroundings = Given<(typeof SURROUNDINGS)[number]> & {
  readonly [FILES]?: string[] | undefined;
  readonly [OR_SH]?: boolean | undefined;
};

/** The surroundings of a command for the addon, with what only this package reads. */
export interface SurroundingsPlan extends SurroundingsSpec {
  target?: TargetPlan | undefined;
  startState?: StartState | undefined;
  /** The variables that the caller gave, beside those that the command inherits: for a test's double. */
  variables?: readonly Variable[] | undefined;
  redactor?: Redactor | undefined;
  /** The rules of hosts and the credentials; kept, as the addon asks for values. */
  scope?: CommandScope | undefined;
  /** Decides about hosts that the sandbox does not list. */
  connect?: ConnectDecider | undefined;
  onPrompt?: OnPrompt | undefined;
}

/** The checked surroundings of a command. */
export interface CheckedSurroundings {
  /** The error of Node.js's own working directory, if that is gone, or `null`. */
  error: unknown;
  /** The target that exists for this command alone. */
  ownTarget: Target | null | undefined;
  spec: SurroundingsPlan;
}

/**
 * The key, in options, of the directories of agent-bash's own files for a command, which a sandbox leaves
 * writable. No option of users.
 */
const FILES: unique symbol = Symbol('files');

/**
 * Checks the surroundings among `options`, and converts them for the addon (`spec`). `term` is the name of
 * the command's terminal, if it has one. `error` is not `null` if Node.js's own working directory is gone.
 * With a target, the options are about the machine there.
 */
function checkSurroundings(given: GivenSurroundings, term?: string): CheckedSurroundings {
  if (given.target !== undefined) return features().onTarget(given, term);
  const { options, state } = withState(withOverlay(given));
  const own = ownSurroundings(options);
  const paths = directories(own.cwd, own.root);
  // The code for options that most commands do not have is loaded with the first one that has them.
  const isBare = own.sandbox === undefined && own.credentials === undefined;
  const ofSandbox = isBare ? undefined : features();
  const { sandbox, scope } = ofSandbox?.secretsOf(own.sandbox, own.credentials) ?? {};
  const variables = scope && [...scope.variables(), ...(own.variables ?? [])];
  const environment = commandEnvironment(variables ? { ...own, variables } : own, term, scope);
  return {
    error: paths.error,
    ownTarget: undefined,
    spec: {
      cwd: paths.cwd,
      root: paths.root,
      environment,
      shell: own.shell,
      limits: own.limits,
      sandbox: ofSandbox?.sandboxSpec(sandbox, paths.root, environment, own.variables),
      overlay: own.overlay?.native,
      files: state === undefined ? options[FILES] : [...(options[FILES] ?? []), ...state.files],
      target: undefined,
      startState: state,
      variables: own.variables,
      redactor: redactorFor(own, scope),
      connect: ofSandbox?.connectDecider(own.sandbox),
      secrets: scope?.native(),
      scope,
      prompts: own.onPrompt && askingVariables(own.variables),
      onPrompt: own.onPrompt,
    },
  };
}

/** Returns the options with what a state of the login shell stands for, and the state. */
function withState<Of extends GivenSurroundings>(
  options: Of,
): { options: Of; state: StartState | undefined } {
  return options.startState === undefined
    ? { options, state: undefined }
    : features().withStartState(options);
}

/** Returns the redactor of a command; `undefined` if there is nothing to replace. */
function redactorFor(
  { redact, variables }: OwnSurroundings,
  scope: CommandScope | undefined,
): Redactor | undefined {
  if (redact === undefined && scope === undefined) return undefined;
  return features().redactorOf(redact, variables, scope?.known());
}

/**
 * Returns `cwd` and `root` as absolute paths; with the error if Node.js's own working directory is gone,
 * which `result.error` reports.
 */
function directories(start = '', top?: string): { error: unknown; root: string | undefined; cwd: string } {
  try {
    const absoluteTop = top === undefined ? undefined : absolutePath(top);
    return { error: null, root: absoluteTop, cwd: absolutePath(start, absoluteTop) };
  } catch (error) {
    return { error, root: top, cwd: start };
  }
}

/** The variables that name the program which asks: of `sudo`, `ssh` and `git`. */
const ASKING = ['SUDO_ASKPASS', 'SSH_ASKPASS', 'GIT_ASKPASS'] as const;

/** Returns those of these variables that the caller has not set by itself. */
function askingVariables(variables: readonly Variable[] = []): string[] {
  return ASKING.filter((asking) => !variables.some(([name]) => name === asking));
}

/** Returns the surroundings among `options`. */
function surroundingsOf(options: GivenSurroundings): GivenSurroundings {
  return Object.fromEntries(SURROUNDINGS.map((name) => [name, options[name]]));
}

export { checkSurroundings, directories, FILES, SURROUNDINGS, surroundingsOf };
