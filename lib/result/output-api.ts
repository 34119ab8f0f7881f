// Streams and signals of commands, and the environment for programs that nobody watches.

/** The stream that a piece of output came from. */
export type StreamName = 'stdout' | 'stderr';

/**
 * The form of a command's output: text, decoded as UTF-8 or from a {@link CodePage}, or bytes as they were
 * written.
 */
export type Encoding = 'utf8' | 'buffer' | CodePage;

/**
 * An encoding of text other than UTF-8. The names are those of the Encoding Standard, apart from `'latin1'`
 * (ISO 8859-1), and those that begin with `cp`, which Windows' consoles have by country: `'cp437'` in the
 * United States, `'cp850'` in Western Europe.
 */
export type CodePage =
  | `cp${437 | 737 | 775 | 850 | 852 | 857 | 858 | 866}`
  | `windows-${874 | 1250 | 1251 | 1252 | 1253 | 1254 | 1255 | 1256 | 1257 | 1258}`
  | `iso-8859-${2 | 3 | 4 | 5 | 6 | 7 | 8 | 10 | 13 | 14 | 15 | 16}`
  | 'latin1'
  | 'koi8-r'
  | 'koi8-u'
  | 'shift_jis'
  | 'gbk'
  | 'big5'
  | 'euc-kr'
  | 'utf-16le';

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
