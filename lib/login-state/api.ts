// The state of the user's login shell.

import type { LoginEnvironmentOptions } from '../options/surroundings/api.ts';

/** A part of a login shell's state that commands do not take over. */
export interface DroppedState {
  kind: 'option' | 'variable' | 'function' | 'alias';
  name: string;
  /** A sentence for people. May change. */
  reason: string;
}

/** The state of a login shell, for {@link Surroundings.startState}. Frozen. */
export interface LoginState {
  /** The path of the shell. */
  readonly shell: string;
  /**
   * The functions and aliases that commands have. With a policy, a command that uses one has the verdict
   * `ask`.
   */
  readonly names: readonly string[];
  /** The differences from a shell without start files that are not taken over. */
  readonly dropped: readonly DroppedState[];
}

/**
 * Reads the aliases, functions, options and plain variables that the user's login shell has at a terminal,
 * for the option `startState` of later commands. For bash and zsh. The shell reads its start files as for
 * {@link loginEnvironment}, which has the exported variables.
 *
 * Taken over is what differs from a shell without start files and what such a shell reads silently; `dropped`
 * names the rest. Variables whose names look like secrets stay out. The state is a file of this process for
 * this user alone, of at most 1 MiB, which the end of the process removes.
 *
 * @throws an error with the code `LOGIN_STATE` if the shell is missing or another one, or prints no state in
 * time
 *
 * @example
 * const startState = await loginState();
 * await run('ll', { startState });
 */
export declare function loginState(options?: LoginEnvironmentOptions): Promise<LoginState>;
