// The types of agent-bash/tools/conformance.

import type { Dialect } from './index.js';

/** One call of a case. A string `{dir}` stands for the directory of the case, `{job}` for the id of the job it has started. */
export interface ConformanceStep {
  /** The tool; default: the main one. */
  tool?: string;
  /** The arguments. */
  args?: Record<string, unknown>;
  /** More of them, that no schema has. */
  more?: Record<string, unknown>;
  /** How long to wait before the call (ms). */
  delayMs?: number;
  /** When the call is aborted (ms after it began); 0 for before. */
  abortMs?: number;
  /** When the toolset is disposed of (ms after the call began). */
  disposeMs?: number;
  /** Disposes of the toolset, and calls nothing. */
  dispose?: boolean;
}

/** What a call answers. Texts of more than 2,000 UTF-16 code units are there as their length, beginning and end. */
export interface ConformanceAnswer {
  text: string | { length: number; start: string; end: string };
  isError: boolean;
}

/** A command, or a few that belong together, and the answers. */
export interface ConformanceCase {
  number: number;
  title: string;
  /** The options of `createTools()`, as plain data. */
  options: Record<string, unknown>;
  steps: ConformanceStep[];
  /** One answer for each step that calls a tool, after {@link normalize}. */
  expected: ConformanceAnswer[];
}

/** What `play` needs of a toolset, so that others can be played against. */
export interface PlayableToolset {
  readonly tools: readonly { readonly name: string }[];
  call(
    name: string,
    args: unknown,
    context: { signal?: AbortSignal },
  ): Promise<{ text: string; isError: boolean; data?: unknown; jobId?: string }>;
  dispose(): Promise<void>;
}

/** At least 30 cases for each dialect. */
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
