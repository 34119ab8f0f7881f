/// <reference types="node" />
// What every command has: streams, signals, and the environment for programs that nobody watches.

/** The stream that a piece of output came from. */
export type StreamName = 'stdout' | 'stderr';

/** A piece of output. The text has whole characters only, and stands for at most about 64 KiB of bytes. */
export interface OutputChunk {
  stream: StreamName;
  text: string;
}

/**
 * The name of a signal. Real-time signals (Linux), for which Node.js has no names, are `SIG34` to `SIG64`.
 */
export type SignalName = NodeJS.Signals | `SIG${number}`;

/**
 * Environment variables that keep programs from prompting, paging, opening an editor and colouring:
 * `PAGER=cat`, `GIT_TERMINAL_PROMPT=0`, `CI=true`, `TERM=dumb`, an `EDITOR` that fails with a message, and
 * others. Frozen. The option `nonInteractive` applies them; use this constant to compose an environment
 * yourself.
 */
export const nonInteractiveEnv: Readonly<Record<string, string>>;
