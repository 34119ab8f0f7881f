// The state of the user's login shell.

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
