// The types of agent-bash/testing.

import type { SandboxLevel, SandboxOptions } from '../options/surroundings/sandbox-api.ts';
import type { RunError, RunResult } from '../result/api.ts';
import type { SignalName, StreamName } from '../result/output-api.ts';

/**
 * The treatment of the commands of a test:
 *
 * - `auto` (the default): a test without a recording runs its commands and records them; the others are
 *   replayed.
 * - `record`: every test that runs is recorded again.
 * - `replay` (the default where the variable `CI` is set, or the addon is missing): nothing runs.
 * - `fakes`: nothing runs, and there is no cassette.
 * - `live`: all commands run, and nothing is stored.
 *
 * The variable `AGENT_BASH_CASSETTES` overrides all but `fakes`.
 */
export type Mode = 'auto' | 'record' | 'replay' | 'fakes' | 'live';

/** The options of {@link withShell} and `useShell()`. */
export interface ShellOptions {
  mode?: Mode | undefined;
  /** The cassette. Default of `useShell()`: `__cassettes__/<test file>.json`, beside the test file. */
  file?: string | undefined;
  /** A directory whose copy is the `root` of each test. By default, `root` is `process.cwd()`, uncopied. */
  project?: string | undefined;
  /**
   * Records what commands change below `root`, and makes the same changes in a replay. Needs `project`. Not
   * recorded are `.git`, `node_modules`, links, empty directories and files of more than 1 MiB.
   */
  files?: boolean | undefined;
  /**
   * `each` (default): equal commands are answered in the recorded order, others in any. `strict`: all are
   * answered in the recorded order.
   */
  order?: 'each' | 'strict' | undefined;
  /** The effect on the test of recorded commands that did not run. Default: `fail`. */
  unused?: 'fail' | 'allow' | undefined;
  /** Values that change between runs, by name: the first group of a match, or else the match. */
  holes?: Record<string, RegExp> | undefined;
  /** Changes every stored text, after secrets were replaced. */
  redact?: ((text: string) => string) | undefined;
  /**
   * The time of replayed commands. `virtual` (default): nothing waits; the clock jumps to the next event when
   * the test waits. `timers`: the global timers, which may be fake.
   */
  time?: 'virtual' | 'timers' | undefined;
  /** The sandbox of recorded commands without one. */
  sandbox?: SandboxLevel | SandboxOptions | undefined;
}

/** The shell of a test. */
export interface TestShell {
  /** The directory of the test: the copy of `project`, or `process.cwd()`. */
  readonly root: string;
  /** The commands so far, in the order of their starts. `result` is `null` while a command runs. */
  readonly commands: { command: string; cwd: string; result: RunResult | null }[];
  /**
   * Answers commands by a script, before the cassette. One answer serves all calls; of several, each serves
   * one.
   *
   * A string matches as the pattern of a rule `Bash(…)` in a policy; each command of the line must match.
   */
  fake(match: Match, ...answers: Answer[]): void;
  /**
   * Returns the variable for the environment of a child process that uses agent-bash, such as an MCP server:
   * its commands are recorded and answered in a section of their own, `test [child name]`. Fakes, and the
   * option `redact`, do not reach it. Worker threads need no variable.
   */
  childEnv(name: string): Record<string, string>;
}

/** A pattern, an expression for the text, or a function. */
export type Match = string | RegExp | ((call: FakeCall) => boolean);

/** A command that asks for an answer. */
export interface FakeCall {
  command: string;
  cwd: string;
  /** The variables that the caller gave. */
  env: Record<string, string>;
  /** The standard input that the caller gave. */
  input: string;
}

/** An answer. Text is standard output. */
export type Answer = string | FakeEnd | ((call: FakeCall) => Answer | Promise<Answer>);

/** The behaviour of a command that does not run. */
export interface FakeEnd {
  /** Output: its time (ms), its stream, and text or bytes. */
  chunks?: [number, StreamName, string | Uint8Array][] | undefined;
  /** Default: 0. */
  exitCode?: number | undefined;
  signal?: SignalName | undefined;
  /** The command fails with this error; with the code `DENIED` it is denied. */
  error?: RunError | undefined;
  /**
   * The time of the end (ms); by default that of the last output. `never`: by a timeout, a signal or an
   * abort.
   */
  at?: number | 'never' | undefined;
  /** A patch for `root`, in the format of `diff -u`. Needs the option `files`. */
  files?: string | undefined;
}

/** Ends of commands that are hard to bring about with real ones. */
export declare const faults: {
  /** Writes the output, and ends only by a timeout, a signal or an abort. */
  hang(output?: string): FakeEnd;
  /** Dies by a signal. */
  signal(name: SignalName): FakeEnd;
  /** Can't be started: `ENOENT`, `EACCES`, `EAGAIN`. */
  spawnError(code: string): FakeEnd;
  /** Writes one line at a time. */
  slow(text: string, everyMs: number): FakeEnd;
  /** Writes this much output (bytes). */
  flood(bytes: number): FakeEnd;
  /** Loses the connection to its target. */
  targetLost(): FakeEnd;
  /** Ends with the status `denied`, and this reason as the message of the error. */
  denied(reason: string): FakeEnd;
};

/**
 * Runs `act` with a shell of its own: for concurrent tests, and for runners without a `useShell()`. Other
 * calls at the same time are not affected.
 *
 * @param name the name of the section in the cassette
 * @throws the failure of the shell: an error with a code such as `CASSETTE_MISS`
 *
 * @example
 * await withShell('a clean tree', { mode: 'fakes' }, async (shell) => {
 *   shell.fake('git status *', 'clean\n');
 *   assert.equal((await run('git status -s')).stdout, 'clean\n');
 * });
 */
export declare function withShell<T>(
  name: string,
  options: ShellOptions | undefined,
  act: (shell: TestShell) => Promise<T>,
): Promise<T>;

/** Matchers for `expect.extend()`. */
export declare const matchers: {
  /** Some simple command matches; with `times`, that many command lines. */
  toHaveRun(shell: unknown, match: Match, options?: { times?: number }): { pass: boolean; message(): string };
  /** Commands match in this order; others may run between them. */
  toHaveRunInOrder(shell: unknown, matches: Match[]): { pass: boolean; message(): string };
  /** Exactly these files below `root` changed. Needs the option `files`. */
  toHaveTouched(shell: unknown, paths: string[]): { pass: boolean; message(): string };
};

/** A serializer for snapshots, which hides pids, times, usage and the paths of this machine. */
export declare const resultSerializer: {
  test(value: unknown): boolean;
  serialize(...given: unknown[]): string;
};
