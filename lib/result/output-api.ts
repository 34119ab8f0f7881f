// What every command has: streams, signals, and the environment for programs that nobody watches.

/** The stream that a piece of output came from. */
export type StreamName = 'stdout' | 'stderr';

/** The form of a command's output: text, decoded as UTF-8, or bytes as they were written. */
export type Encoding = 'utf8' | 'buffer';

/** Output in this form: `Uint8Array` for `'buffer'`, otherwise `string`. */
export type Output<E extends Encoding = 'utf8'> = E extends 'buffer' ? Uint8Array : string;

/** A piece of output in this form. */
export type OutputChunk<E extends Encoding = 'utf8'> = E extends 'buffer' ? ByteChunk : TextChunk;

/** A piece of text. It has whole characters only, and stands for at most about 64 KiB of bytes. */
export interface TextChunk {
  stream: StreamName;
  text: string;
}

/** A piece of output as bytes: at most 64 KiB, cut anywhere. */
export interface ByteChunk {
  stream: StreamName;
  data: Uint8Array;
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
export declare const nonInteractiveEnv: Readonly<Record<string, string>>;
