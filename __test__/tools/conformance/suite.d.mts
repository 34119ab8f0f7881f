// The types of suite.mjs.

import type { Dialect } from 'agent-bash/tools';

/**
 * A step of a case: one call. In strings, `{dir}` stands for the directory of the case, `{job}` for the id of
 * its job.
 */
export interface ConformanceStep {
  /** The tool; default: the main one. */
  tool?: string;
  args?: Record<string, unknown>;
  /** Further arguments, which no schema has. */
  more?: Record<string, unknown>;
  /** The delay before the call (ms). */
  delayMs?: number;
  /** The time of the abort (ms after the start of the call); 0 for before the call. */
  abortMs?: number;
  /** The time at which the toolset is disposed of (ms after the start of the call). */
  disposeMs?: number;
  /** Disposes of the toolset, and calls nothing. */
  dispose?: boolean;
}

/**
 * The answer to a call. A text of more than 2,000 UTF-16 code units is recorded by its length, beginning and
 * end.
 */
export interface ConformanceAnswer {
  text: string | { length: number; start: string; end: string };
  isError: boolean;
}

/** A case: a command, or several that belong together, and the answers. */
export interface ConformanceCase {
  number: number;
  title: string;
  /** The options of `createTools()`, as plain data. */
  options: Record<string, unknown>;
  steps: ConformanceStep[];
  /** The answers to the steps that call a tool, after {@link normalize}. */
  expected: ConformanceAnswer[];
}

/** The part of a toolset that `play` uses, so that it can test other implementations. */
export interface PlayableToolset {
  readonly tools: readonly { readonly name: string }[];
  call(
    name: string,
    args: unknown,
    context: { signal?: AbortSignal },
  ): Promise<{ text: string; isError: boolean; data?: unknown; jobId?: string }>;
  dispose(): Promise<void>;
}

/** The cases of each dialect, at least 30. */
export const cases: Readonly<Record<Dialect, readonly ConformanceCase[]>>;

/** Replaces what differs from run to run: pids, ids, times, paths. */
export function normalize(text: string, directory?: string): string;

/**
 * Plays a case against a toolset.
 *
 * @param create makes the toolset
 * @param directory an empty directory, absolute, as `root` and `cwd`
 * @returns the answers, to be compared with `expected`
 */
export function play(
  one: Pick<ConformanceCase, 'steps' | 'options'>,
  create: (options: Record<string, unknown>) => PlayableToolset,
  directory: string,
): Promise<ConformanceAnswer[]>;
