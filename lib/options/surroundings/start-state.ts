// The state that a shell takes over from the user's login shell before its command.

import { programName } from '../../support/paths/program-name.ts';
import type { Given } from '../checks.ts';
import { invalid, isRecord, wrong } from '../checks.ts';

/** A state of `loginState()`. */
export interface StartState {
  shell: string;
  flavor: 'bash' | 'zsh';
  /** The file that has the state. */
  file: string;
  /**
   * The variables that make a shell read the state: each shell of this flavor has one for a file of its own.
   */
  variables: Readonly<Record<string, string>>;
  /** The files that a sandbox must show. */
  files: string[];
  /** The words that the state defines. */
  names: ReadonlySet<string>;
}

/** The state behind each object of `loginState()`. */
const states = new WeakMap<object, StartState>();

/** Makes an object of the package stand for a state. */
function addStartState<State extends object>(state: State, plan: StartState): State {
  states.set(state, plan);
  return state;
}

/** Checks the option `startState`. */
function startStateOf(name: string, value: unknown): StartState {
  const state = isRecord(value) ? states.get(value) : undefined;
  if (state === undefined) throw invalid(name, 'a state of loginState()', value);
  return state;
}

/** Checks `options.startState`, which may be absent. */
function startStateIn({ startState }: Given<'startState'>): StartState | undefined {
  return startState === undefined ? undefined : startStateOf('options.startState', startState);
}

type StateOptions = Given<'startState' | 'shell' | 'env' | 'target'>;

/**
 * Returns the options with which a shell reads the state: its file, and the shell of the state where none is
 * given.
 */
function withStartState<Of extends StateOptions>(
  options: Of,
): { options: Of; state: StartState | undefined } {
  const state = startStateIn(options);
  if (state === undefined) return { options, state };
  const { shell, env } = options;
  const [program] = shell === undefined ? [state.shell] : [shell === 'auto' ? 'bash' : shell].flat();
  if (program === false || programName(String(program)) !== state.flavor) {
    throw invalid(
      'options.startState',
      `a state of the option shell, not of ${state.flavor}`,
      options.startState,
    );
  }
  for (const name of Object.keys(state.variables)) {
    if (isRecord(env) && env[name] !== undefined) {
      throw wrong(`Invalid option 'options.env.${name}': expected none next to startState`);
    }
  }
  const own = isRecord(env) ? env : {};
  return { options: { ...options, shell: shell ?? state.shell, env: { ...own, ...state.variables } }, state };
}

/** Returns options whose shell is that of the state, where they name none. */
function withShellOfState<Of extends Given<'startState' | 'shell'>>(options: Of): Of {
  const state = startStateIn(options);
  return state === undefined || options.shell !== undefined ? options : { ...options, shell: state.shell };
}

export { addStartState, startStateIn, startStateOf, withShellOfState, withStartState };
