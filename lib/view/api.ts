// Views of an output, and reading the files that hold it.

import type { SignalName } from '../result/output-api.ts';

export interface ViewOptions {
  /**
   * The most that the text may have (bytes of UTF-8), markers included, from 200 to 1,048,576. Default
   * 16,000.
   */
  maxBytes?: number | undefined;
  /** The share of `maxBytes` that the beginning gets at least, from 0 to 0.5. Default 0.10. */
  head?: number | undefined;
  /** The share of `maxBytes` that the end gets at least, from 0 to 0.9. Default 0.15. */
  tail?: number | undefined;
  /**
   * The number of lines around an important one that rank with it, from 0 to 100 each. Default 2 before and 4
   * after.
   */
  context?: { before?: number | undefined; after?: number | undefined } | undefined;
  /**
   * Texts: a line that contains one ranks above all others. At most 100, of 1 to 1,000 characters. Case
   * counts.
   */
  important?: readonly string[] | undefined;
  /**
   * Whether a run of at least five lines of one form is folded at the beginning and at the end. Default true.
   */
  fold?: boolean | undefined;
  /**
   * Whether the last line of an incomplete view reports the size of the output and the way to read the rest.
   * Default true.
   */
  footer?: boolean | undefined;
  /**
   * Whether a line of the output that begins like a marker (`[line`, `[output`) gets a space in front.
   * Default false.
   */
  escape?: boolean | undefined;
}

/** The view of an output for a model. Lines are counted from 1, as in the file of `spill`. */
export interface View {
  /**
   * The lines that matter, in order, with markers for the rest; whole if it fits. Never longer than
   * `maxBytes`.
   */
  text: string;
  /** The number of lines of the output. */
  lines: number;
  /** The size of the output (bytes as written). */
  bytes: number;
  /** The lines that are shown, in order: first and last of each run. */
  shown: [from: number, to: number][];
  /** The lines that are left out. With `shown` they are all lines, each once. */
  leftOut: LeftOut[];
  /** Whether all lines are shown whole. */
  complete: boolean;
}

/** A run of lines that a {@link View} does not show. */
export interface LeftOut {
  from: number;
  to: number;
  lines: number;
  /** The size of the lines with their line breaks (bytes as written). */
  bytes: number;
  /** The number of the shown line before them, from which all of them differ in numbers only. */
  like?: number;
  /**
   * Why they are left out although there is room (with `minimize`): `'progress'`, `'passed tests'`,
   * `'built'`, `'repeated'`, `'generated files'`, `'notices'`, or several of these with `' and '` between
   * them.
   */
  reason?: string;
}

/** The reason for which {@link MinimizeRule} leaves out a line. */
export type MinimizeReason =
  | 'progress'
  | 'passed tests'
  | 'built'
  | 'repeated'
  | 'generated files'
  | 'notices';

/** The rules for lines of an output that are left out even if there is room for them. */
export interface MinimizeOptions {
  /**
   * The names of the rules that apply. Default: all, and `rules`. `'repeated'` is the one for equal lines.
   */
  only?: readonly string[] | undefined;
  /** The names of rules that do not apply. Default: none. */
  except?: readonly string[] | undefined;
  /** Further rules, which come before those of the package. At most 200. */
  rules?: readonly MinimizeRule[] | undefined;
}

/**
 * Rules for the output of a program. Each text has 1 to 1,000 characters, each list at most 200. A pattern is
 * for a whole line, without the blanks at its ends: `*` stands for any text, `#` for a number, a space for
 * any blanks, `+` for more of the character before it, `\` makes the next character literal.
 */
export interface MinimizeRule {
  name: string;
  /** The programs, each with arguments that it must have: `'cargo'`, `'python -m pytest'`. */
  commands: readonly string[];
  /** Patterns of lines that only this program prints: from such a line on, the rules hold in any script. */
  sign?: readonly string[] | undefined;
  lines: readonly {
    reason: MinimizeReason;
    patterns?: readonly string[] | undefined;
    /** Names of directories: lines with a path below one, unless an argument names the directory. */
    below?: readonly string[] | undefined;
    /** The pattern of the first line of a section: `patterns` are for that line, and the rest is left out. */
    section?: string | undefined;
  }[];
}

/**
 * Makes the {@link View} of an output that exists already.
 *
 * @param source the output: text, bytes, which must not change meanwhile, or a file
 * @param options how the command ended (it shifts weights; unknown counts as failed), and how the view is
 *   made
 * @throws (as a rejection) TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong option, which it names;
 *   for an unreadable file, Error with the system's code, such as `ENOENT`
 *
 * @example
 * const { text } = await view({ path: 'build.log' }, { exitCode: 2, maxBytes: 4_000 });
 */
export declare function view(
  source: string | Uint8Array | { path: string | URL },
  options?: ViewOptions & {
    exitCode?: number | null | undefined;
    signal?: SignalName | null | undefined;
    /** Whether lines are left out, as `output.minimize` of `run()`. Default false. */
    minimize?: boolean | MinimizeOptions | undefined;
    /** The command that wrote the output, for `minimize`: a line, or words. Default: unknown. */
    command?: string | readonly string[] | undefined;
  },
): Promise<View>;

export interface Lines {
  /** The lines, without a line break at the end. */
  text: string;
  /** The number of the first one. */
  from: number;
  /** The number of the last one; `from - 1` if there is none. */
  to: number;
  /** Whether the file has no line after it. */
  eof: boolean;
}

/**
 * Reads the lines `from` (default 1) to `to` (default: the last) of a file, such as one of `spill`, as text
 * without terminal sequences. If the lines are longer than `maxBytes` together, it returns as many whole
 * lines as fit; read on from `to + 1`. A first line that does not fit is cut.
 *
 * @param options `maxBytes`: 1 to 67,108,864 bytes of UTF-8, default 16,000; `plain: false`: lines as they
 *   were written
 * @throws (as a rejection) Error with the system's code: `ENOENT`, `EISDIR`, `EINVAL` for another file that
 *   is not regular, …; TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong argument
 *
 * @example
 * const { text } = await readLines(result.spillPath, 1_200, 1_240);
 */
export declare function readLines(
  path: string | URL,
  from?: number,
  to?: number,
  options?: { maxBytes?: number | undefined; plain?: boolean | undefined },
): Promise<Lines>;

/** A line that contains the text, or a line of its context. */
export interface FoundLine {
  line: number;
  text: string;
}

/**
 * Finds the lines of a file that have `text` (literally; case counts) in their plain form, however long they
 * are. `total` counts all of them from line `from` on, also those that are not returned. Of a line that does
 * not fit into `maxBytes`, or is longer than 1 MiB, it returns the first match with at most 1,000 bytes on
 * either side, between `[… N bytes …]`.
 *
 * @param options `from`: the first line, default 1; `max`: how many lines, default 50, at most 100,000;
 *   `context`: how many lines around each come with it, default 0; `maxBytes`: how much in all, default
 *   16,000
 * @throws (as a rejection) Error with the system's code: `ENOENT`, `EISDIR`, `EINVAL` for another file that
 *   is not regular, …; TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong argument
 *
 * @example
 * for (const { line, text } of await findLines(result.spillPath, 'error')) console.log(line, text);
 */
export declare function findLines(
  path: string | URL,
  text: string,
  options?: {
    from?: number | undefined;
    max?: number | undefined;
    context?: number | undefined;
    maxBytes?: number | undefined;
  },
): Promise<FoundLine[] & { total: number }>;

export interface ChangedSinceOptions {
  /**
   * Names of files and directories that are left out, wherever they are. Default `['.git', 'node_modules']`.
   */
  ignore?: readonly string[] | undefined;
  /**
   * The most entries that are inspected. Default 100,000. With more, the search stops and `complete` is
   * false.
   */
  limit?: number | undefined;
  /** Ends the search when it fires: the promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface ChangedFiles {
  /** The paths of files, directories and links, relative to `root`, in alphabetical order. */
  paths: string[];
  /** Whether all entries were inspected. */
  complete: boolean;
}
