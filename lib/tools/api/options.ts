// The options of every dialect.

import type { DurableOptions } from '../../durable/api.ts';
import type { Jobs, JobsOptions } from '../../job/jobs-api.ts';
import type { RecordOptions } from '../../live/record/api.ts';
import type { SpillOptions } from '../../options/command/api.ts';
import type { Surroundings } from '../../options/surroundings/api.ts';
import type { SandboxGrant } from '../../options/surroundings/sandbox-api.ts';
import type { Decision, Policy } from '../../policy/api.ts';
import type { MinimizeOptions, ViewOptions } from '../../view/api.ts';
import type { Dialect, Escalation, Verdict } from './definition.ts';
import type { ToolEvent } from './events.ts';
import type { ClientTerminals } from './terminals.ts';

/** The options of every dialect. */
export interface ToolsOptions extends Omit<Surroundings, 'root' | 'cwd' | 'nonInteractive' | 'shell'> {
  /**
   * The directory in which every working directory must lie, by real paths. What commands may touch is the
   * option `sandbox`. Default: no bound.
   */
  root?: string | URL | undefined;
  /** The directory in which commands start. Default `root`, else `process.cwd()`. */
  cwd?: string | URL | undefined;
  /**
   * Whether commands get `nonInteractiveEnv`. Default true, except in dialects whose original has another
   * environment.
   */
  nonInteractive?: boolean | undefined;
  /**
   * The shell: `'auto'` as for `run()`, a path, or a path and flags. Default: that of the dialect. A session
   * needs bash.
   */
  shell?: string | readonly string[] | undefined;
  /** The timeout of commands (ms). A number is `{ default: number }`. */
  timeout?: number | TimeoutOptions | undefined;
  /** The limits of the output that the model reads. */
  output?: ToolOutputOptions | undefined;
  /**
   * The policy for commands, as for `run()`. It judges every call that would run a command, or write to the
   * input of a job, before any part of it runs; of several commands the strictest verdict counts for all.
   * `approve` can't allow what the policy denies. Known queries need no rule, unless `queries` is `'ask'`. In
   * a session, variables and the directory count as unknown, queries need a rule, and the mode `readOnly`
   * denies, unless a `read-only` sandbox enforces it. Default: none; then only the dialect `agentrail`
   * refuses dangerous commands.
   */
  policy?: Policy | undefined;
  /**
   * Decides about each call that would run a command or write to one; with a `policy` only about those for
   * which its verdict is `ask`. With `escalate: 'ask'` in `sandbox`, also about each call that asks for more
   * than the sandbox gives. `ask` is a denial if there is nobody to ask. An exception or a rejection is a
   * denial. The timeout of the command starts after the decision.
   */
  approve?: ((call: PendingCall) => ApproveAnswer | Promise<ApproveAnswer>) | undefined;
  /**
   * Records what the commands of all calls do as an asciicast v3, which asciinema plays: a path, or
   * {@link RecordOptions}. With the calls, questions and decisions in comments. The call throws the error of
   * the system for a file that exists, or that can't be created. Default: none.
   */
  record?: string | URL | RecordOptions | undefined;
  /**
   * The terminals of a client, such as an editor: commands run there, in its environment, and a person sees
   * them. `clientTerminals()` of `agent-bash/acp` makes them for a connection. Commands that are jobs or may
   * become one (all of `codex-exec`), and those that have input or a `pty`, still run here. `session` is
   * `none`. Not together with `sandbox`, `overlay`, `target`, `limits`, `environment`, `extendEnv: false`,
   * `startState`, `background`, `pipeStatus` and `record`: a client can't honour them. The output that the
   * client has kept, at least 1 MiB, is cut as usual; there is no file with all of it, and nothing is
   * minimized. Policy and approval come first; for the policy, the surroundings of such a command are
   * unknown, as in a session. Default: none.
   */
  terminals?: ClientTerminals | undefined;
  /** The part of the shell's state that is kept between calls. Default: that of the dialect. */
  session?: SessionMode | undefined;
  /**
   * The effect of another call that runs in the session (`carry`, `live`): with `queue`, a call waits for it;
   * with `fresh`, it runs in a shell of its own, without the session's state. Default: `fresh` in `oh-my-pi`,
   * `queue` in the others.
   */
  overlap?: 'queue' | 'fresh' | undefined;
  /**
   * The processes that a command leaves: they run on (`keep`), are ended when the command is over (`kill`),
   * or become a job of `jobs` (`adopt`), which `dispose()` ends. Default `keep`. In a session (`carry`,
   * `live`) they belong to its shell: they are ended when the toolset is disposed of, unless `keep` is given.
   */
  background?: 'keep' | 'kill' | 'adopt' | undefined;
  /**
   * Whether an answer says which parts of the command's last pipeline have failed, where the exit code does
   * not tell: `make | tail` exits with 0. For bash and zsh. Default `true` in the dialect `bash`, `false` in
   * the others.
   */
  pipeStatus?: boolean | undefined;
  /** The table for jobs, or the options of a new one. Default: a table of the toolset's own. */
  jobs?: Jobs | JobsOptions | undefined;
  /**
   * Makes the jobs that a model starts durable (Linux): they run on after `dispose()` and the end of this
   * process, and the toolset of the next session, with the same owner and root, attaches to them and says so
   * in its first answer. The root is that of the toolset, else its `cwd`. Commands that go on as a job at a
   * timeout end with the toolset. With a `sandbox`, the first input to a job of an earlier session asks
   * `approve`. Not together with a `target`, nor with a table in `jobs`, which has an option of its own.
   * Default false.
   */
  durable?: boolean | DurableOptions | undefined;
  /** The updates that `onUpdate`, `stream()` and the event `update` get. */
  updates?: UpdateOptions | undefined;
  /** Disposes of the toolset when it fires. */
  signal?: AbortSignal | undefined;
  /**
   * Another name for the main tool: up to 64 letters, digits, `_` or `-`. In the dialect `rye` also the id of
   * {@link Toolset.identity}, for hosts whose models call tools by such names.
   */
  name?: string | undefined;
  /** Another description for the main tool, or a function that returns it for the default one. */
  description?: string | ((description: string) => string) | undefined;
  /**
   * Receives every call, decision, result and end of a job, but no starts and updates: an audit. An error
   * that the listener throws is an uncaught exception, and the call goes on.
   */
  onEvent?: ((event: ToolEvent) => void) | undefined;
  /**
   * The original's text where ours improves on it, for recorded conversations: `true`, or the name of a form
   * that the dialect's page lists. Default false.
   */
  compat?: boolean | string | undefined;
  /**
   * Blocks commands for which the agent has a better tool, before `policy` and `approve`: `true` for the
   * default rules for the tools `read`, `search`, `find`, `edit` and `write`, or rules in place of them. The
   * answer is an error that names the rule's message. It advises a model; it protects nothing. Needs `tools`.
   * Default false.
   */
  interceptors?: boolean | readonly InterceptorRule[] | undefined;
  /**
   * The names of the agent's tools. The description and the instructions direct a model to those for files
   * and for search (`Read`, `edit_file`, `Grep`, `find_files`, …). For {@link InterceptorRule.tool}: rules
   * for other tools do not count.
   */
  tools?: readonly string[] | undefined;
}

/** The updates on the output of a call. */
export interface UpdateOptions {
  /**
   * The shortest time between two updates (ms). Default 100 (`oh-my-pi`: 50); a shorter time than 10 counts
   * as 10.
   */
  intervalMs?: number | undefined;
  /**
   * The most of the latest output that an update has (bytes), up to 16 MiB. Default 16 KiB (`oh-my-pi`: 50
   * KiB).
   */
  maxBytes?: number | undefined;
  /**
   * Whether updates go on when a command goes on as a job, after the answer that names it. The last one, with
   * `done: true`, has the result that the call would have had in the foreground. Default `false`; `oh-my-pi`:
   * `true` with the options `async` or `autoBackground`.
   */
  background?: boolean | undefined;
}

/** The part of the shell's state that a toolset keeps between calls. */
export type SessionMode =
  /** Each command has a shell of its own, in the directory of the options. */
  | 'none'
  /** A command starts in the directory in which the last one ended, if that is within `root`. */
  | 'cwd'
  /**
   * A new shell for each command, with the state at the end of the last one: directory, variables, functions,
   * options.
   */
  | 'carry'
  /** The same shell runs all commands. */
  | 'live';

/** A call before it runs, for {@link ToolsOptions.approve}. */
export interface PendingCall {
  readonly dialect: Dialect;
  readonly tool: string;
  /** The arguments as the model gave them. */
  readonly args: unknown;
  /** The shell command or the words that would run, or the text that would be written to a job's input. */
  readonly command: string;
  /** The model's description of the command, unchecked, in dialects that have one; else `null`. */
  readonly description: string | null;
  /**
   * The directory in which the command starts: absolute, and on a target a path there. In a session, that in
   * which the last command ended. `null` for input to a job, and before the first command on a target for
   * which no directory is given.
   */
  readonly cwd: string | null;
  /** The decision of the `policy`, with the verdict `ask`; `null` without a policy. */
  readonly decision: Decision | null;
  /** The rights that the command asks for beyond its sandbox; `null` for none. */
  readonly escalation: Escalation | null;
  readonly callId: string | undefined;
  readonly meta: Record<string, unknown> | undefined;
  /** Fires when the call is aborted. */
  readonly signal: AbortSignal;
}

/** The answer of {@link ToolsOptions.approve}: a verdict, and perhaps a reason. */
export type ApproveAnswer =
  | Verdict
  | {
      verdict: Verdict;
      reason?: string | undefined;
      /** Rules that join the policy's `allow` list, which all later calls see; only with `allow`. */
      addRule?: string | readonly string[] | undefined;
      /**
       * With `allow`, the granted part of {@link PendingCall.escalation}: all or less of it, `{}` for
       * nothing. Default: all of it. A grant of more than was asked for is a denial.
       */
      sandbox?: SandboxGrant | undefined;
      /**
       * Whether the grant is for this call (default) or for the toolset: later calls that ask for as much or
       * less are not asked about again; for `unsandboxed`, those with the same command and directory. See
       * {@link Toolset.grants}.
       */
      scope?: 'call' | 'toolset' | undefined;
    };

/** The timeouts of a toolset's commands. */
export interface TimeoutOptions {
  /** The timeout of a call that has none (ms). Default: that of the dialect. 0 is no limit. */
  default?: number | undefined;
  /**
   * The longest timeout of a call (ms); a longer one is clamped. Default: that of the dialect, else
   * 3,600,000.
   */
  max?: number | undefined;
  /** Whether the command is killed at the timeout, or goes on as a job. Default: that of the dialect. */
  on?: 'kill' | 'background' | undefined;
  /**
   * The time after which a call answers while its command goes on as a job (ms), for callers with a timeout
   * of their own. The job has the rest of the command's timeout. Default: never.
   */
  yield?: number | undefined;
}

/** The limits and the form of the output that the model reads. */
export interface ToolOutputOptions {
  /** The most output that the model reads (bytes of UTF-8). Default: that of the dialect. */
  maxBytes?: number | undefined;
  /** The most output in characters (Unicode code points). */
  maxChars?: number | undefined;
  /** The most output in tokens, each counted as 4 bytes. */
  maxTokens?: number | undefined;
  /** The kept part of longer output, for dialects that leave it open. Default `both`. */
  keep?: 'head' | 'tail' | 'both' | undefined;
  /**
   * Whether escape sequences are removed. Default: `true`, but with `compat: 'escapes'` where the original
   * keeps them.
   */
  stripAnsi?: boolean | undefined;
  /** Whether all output goes to a file that the text names when it was cut. Default: that of the dialect. */
  spill?: boolean | SpillOptions | undefined;
  /**
   * Whether the model reads a view of longer output: the lines that matter of both streams in reading order,
   * and markers for the rest; `stderr` of the structured form is empty then. Its budget is that of the
   * dialect's output, at least 200 bytes, unless it has a `maxBytes` of its own. All output goes to a file
   * that the last line of the view names, unless `spill` is false. Not together with `keep`. The output that
   * a tool reads from a job has a view too. Default: `true` in the dialect `bash`, unless `keep` or
   * `stripAnsi: false` is given; `false` in the others.
   */
  view?: boolean | ViewOptions | undefined;
  /**
   * Whether the view leaves out lines of well-known programs even if there is room, as `output.minimize` of
   * `run()` does. It implies `view`, whose file begins at 1,000 bytes then; with `spill: false`, nothing is
   * left out. The output that a tool reads from a running job is not minimized. Default false.
   */
  minimize?: boolean | MinimizeOptions | undefined;
}

/** A rule that blocks a command for which the agent has a better tool. */
export interface InterceptorRule {
  /**
   * A regular expression in the syntax of Rust's `regex-lite`: without look-around, back-references and
   * Unicode classes. Tested against the whole command, and against each part of it that begins a pipeline,
   * with and without the assignments before it.
   */
  pattern: string;
  /** Flags, of JavaScript's `i`, `m`, `s`, `u`. */
  flags?: string | undefined;
  /** The better tool. The rule counts only if it is in `tools`. */
  tool: string;
  /** The text after `Blocked: `, for the model. */
  message: string;
}
