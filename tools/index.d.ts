/// <reference types="node" />
// The types of agent-bash/tools. Times are milliseconds, sizes are bytes, unless a name says otherwise.

import type {
  Decision,
  Jobs,
  JobsOptions,
  LimitOptions,
  Policy,
  RunResult,
  SpillOptions,
  ViewOptions,
} from '../index.js';

/**
 * The interface of a shell tool: its name, arguments, defaults, limits and the text that a model reads.
 *
 * `bash` is the default of this package. The others follow the tools of agents and of model vendors; `docs/tools.md` says
 * which one to choose.
 */
export type Dialect = keyof DialectOptions;

/** The names of all dialects. Frozen. */
export const dialects: readonly Dialect[];

/** A JSON Schema (draft 2020-12 without references), as plain data. */
export interface JSONSchema {
  readonly [keyword: string]: unknown;
}

/** A fault of the arguments, as in Standard Schema. */
export interface Issue {
  readonly message: string;
  readonly path?: readonly PropertyKey[] | undefined;
}

/** The `~standard` property of a tool: Standard Schema 1 (`validate`) with Standard JSON Schema 1 (`jsonSchema`). */
export interface StandardProps<Args = unknown> {
  readonly version: 1;
  readonly vendor: 'agent-bash';
  validate(value: unknown): { value: Args; issues?: undefined } | { issues: readonly Issue[] };
  readonly jsonSchema: {
    input(options?: { target?: string }): Record<string, unknown>;
    output(options?: { target?: string }): Record<string, unknown>;
  };
  readonly types?: { readonly input: Args; readonly output: Args } | undefined;
}

/** The hints about a tool that a client may rely on, as in the Model Context Protocol. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Arguments as a model gives them: checked by the tool, never trusted. */
// biome-ignore lint/suspicious/noExplicitAny: each dialect has its own, and callers narrow it.
export type ToolData = any;

/** A tool that a model can call. */
export interface ToolDefinition<Data = ToolData> {
  /** The name that the model calls. Unique within its toolset. */
  readonly name: string;
  /** A name for people. */
  readonly title: string;
  /** The description of the tool, for the model. */
  readonly description: string;
  /** The arguments. `additionalProperties` is false; {@link ToolDefinition.parse} is more lenient. */
  readonly inputSchema: JSONSchema;
  /** The form of {@link ToolResult.data}. */
  readonly outputSchema: JSONSchema;
  readonly annotations: ToolAnnotations;
  readonly '~standard': StandardProps;
  /**
   * Checks arguments and normalizes them: `null` is an absent value, numeric strings are numbers, unknown properties are
   * dropped. `execute` does the same by itself.
   */
  parse(args: unknown): { value: Record<string, unknown>; issues?: undefined } | { issues: readonly Issue[] };
  /**
   * Decides whether the call may run, by `approve` of the options (and by the policy). Runs nothing.
   *
   * For SDKs with an approval mechanism of their own: ask with this, then call `execute` with `approval: 'granted'` or
   * `'denied'` and the {@link Approval.token}. `execute` without `approval` asks by itself, and answers `ask` with a denial
   * that says so. Never rejects.
   */
  decide(args: unknown, context?: CallContext): Promise<Approval>;
  /**
   * Runs the call. Never rejects, and its text is never empty: wrong arguments, denials, failures to start, timeouts (except in
   * `openai-shell`) and aborts are results with `isError`. After a timeout or an abort, it settles when the command has ended:
   * after 5 seconds the command gets SIGKILL.
   */
  execute(args: unknown, context?: CallContext): Promise<ToolResult<Data>>;
  /**
   * Runs the call and yields its output as updates. The last one has `done: true` and the result. Ending the iteration early
   * aborts the call.
   */
  stream(args: unknown, context?: CallContext): AsyncIterableIterator<ToolUpdate<Data>>;
}

/** The context of one call. A value of `undefined` is an absent one. */
export interface CallContext {
  /** Ends the command when it fires. The output so far is in the result. */
  signal?: AbortSignal | undefined;
  /** Names the call in events, such as the SDK's id of the tool call. */
  callId?: string | undefined;
  /**
   * Receives output while the command runs, at most once per `updates.intervalMs`. A listener that throws is not called again.
   */
  onUpdate?: ((update: ToolUpdate) => void) | undefined;
  /**
   * A decision made elsewhere, such as a person's in an SDK's own prompt. The call then skips `approve`. Any other value is a
   * denial.
   */
  approval?: 'granted' | 'denied' | undefined;
  /** The reason of a denial. */
  approvalReason?: string | undefined;
  /** The token of {@link ToolDefinition.decide}: only the call that was granted runs. */
  approvalToken?: string | undefined;
  /**
   * The time after which this call answers while its command goes on as a job (ms), for a caller with a timeout of its own.
   * As `timeout.yield`, but for one call.
   */
  yieldMs?: number | undefined;
  /** Data of the caller, which events and {@link PendingCall} pass on. */
  meta?: Record<string, unknown> | undefined;
}

/** The output of a call so far, or its result. Plain JSON, apart from `result`. */
export interface ToolUpdate<Data = ToolData> {
  /** Whether this is the last update. */
  done: boolean;
  /** Until the end: the latest output, at most 16 KiB of it. At the end: the text of the result. */
  text: string;
  /** The last line that is not blank, at most 200 characters. */
  tail: string;
  /** The output since the last update, at most 16 KiB of it; absent at the end. */
  chunk?: string;
  /** The result; at the end only. */
  result?: ToolResult<Data>;
}

/** The result of a call. */
export interface ToolResult<Data = ToolData> {
  /** The text for the model. Never empty. */
  text: string;
  /** Whether the call failed. Each dialect defines what counts as a failure. */
  isError: boolean;
  /** The dialect's structured form, as plain JSON; valid against the tool's `outputSchema`. */
  data: Data;
  /** The engine's own result, where a command was run. Not enumerable, so that no prompt has it by accident. */
  run?: RunResult;
  /** The id of the job that goes on, or that the call was about. */
  jobId?: string;
}

/** A call before it runs, for {@link ToolsOptions.approve}. */
export interface PendingCall {
  readonly dialect: Dialect;
  /** The name of the tool. */
  readonly tool: string;
  /** The arguments as the model gave them. */
  readonly args: unknown;
  /** The shell command or the words that would run, or the text that would be written to a job's input. */
  readonly command: string;
  /** The working directory: absolute, or as given if that is not known. `null` for input to a job. */
  readonly cwd: string | null;
  /** The decision of the `policy`, with the verdict `ask`; `null` without a policy. */
  readonly decision: Decision | null;
  readonly callId: string | undefined;
  readonly meta: Record<string, unknown> | undefined;
  /** Fires when the call is aborted. */
  readonly signal: AbortSignal;
}

/** The verdict on a call: it may run, it may not, or a person decides. */
export type Verdict = 'allow' | 'deny' | 'ask';

/**
 * The answer of {@link ToolsOptions.approve}: a verdict, and perhaps a reason. The rules of `addRule` join the policy's `allow` list,
 * which all later calls see; only together with `allow`.
 */
export type ApproveAnswer =
  | Verdict
  | { verdict: Verdict; reason?: string | undefined; addRule?: string | readonly string[] | undefined };

/** The result of {@link ToolDefinition.decide}. */
export interface Approval {
  verdict: Verdict;
  /** The reason, or `null`. */
  reason: string | null;
  /** The command that would run, for a prompt to a person; empty if none would. */
  command: string;
  /** Binds `execute` to exactly this call. */
  token: string;
}

/** The part of the shell's state that a toolset keeps between calls. */
export type SessionMode =
  /** Each command has a shell of its own, in the directory of the options. */
  | 'none'
  /** A command starts in the directory in which the last one ended, if that is within `root`. */
  | 'cwd'
  /** A new shell for each command, with the state at the end of the last one: directory, variables, functions, options. */
  | 'carry'
  /** The same shell runs all commands. */
  | 'live';

/** The options of every dialect. A value of `undefined` is an absent one. */
export interface ToolsOptions {
  /** The directory in which every working directory must lie, by real paths. It is not a sandbox. Default: no bound. */
  root?: string | URL | undefined;
  /** The directory in which commands start. Default `root`, else `process.cwd()`. */
  cwd?: string | URL | undefined;
  /** Environment variables, in addition to the others. `undefined` removes a variable. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Whether commands inherit `process.env`. Default true. */
  extendEnv?: boolean | undefined;
  /** Whether commands get `nonInteractiveEnv`. Default true, except in dialects whose original has another environment. */
  nonInteractive?: boolean | undefined;
  /** The shell: a path, or a path and flags. Default: that of the dialect. */
  shell?: string | readonly string[] | undefined;
  /** Limits of the kernel for each process of a command. */
  limits?: LimitOptions | undefined;
  /** The timeout of commands (ms). A number is `{ default: number }`. */
  timeout?: number | TimeoutOptions | undefined;
  /** The limits of the output that the model reads. */
  output?: ToolOutputOptions | undefined;
  /**
   * The policy for commands, as for `run()`. It judges every call that would run a command, or write to the input of a job,
   * before anything of it runs; of several commands the strictest verdict counts for all. `approve` can't allow what the
   * policy denies. Known queries need no rule, unless `queries` is `'ask'`. In a session, variables and the directory count as
   * unknown, queries need a rule, and the mode `readOnly` denies. Default: none;
   * only the dialect `agentrail` refuses dangerous commands without one.
   */
  policy?: Policy | undefined;
  /**
   * Decides about each call that would run a command or write to one; with a `policy` only about those for which its verdict
   * is `ask`. `ask` is a denial if there is nobody to ask. A throw or a rejection is a denial. The timeout of the command starts
   * after it.
   */
  approve?: ((call: PendingCall) => ApproveAnswer | Promise<ApproveAnswer>) | undefined;
  /** Not part of this version: anything but `undefined` or `false` is an error, never a run without it. */
  sandbox?: unknown;
  /** The part of the shell's state that is kept between calls. Default: that of the dialect. */
  session?: SessionMode | undefined;
  /**
   * The effect of another call that runs in the session (`carry`, `live`): with `queue`, a call waits for it; with `fresh`, it
   * runs in a shell of its own, without the session's state. Default: `fresh` in `oh-my-pi`, `queue` in the others.
   */
  overlap?: 'queue' | 'fresh' | undefined;
  /**
   * The processes that a command leaves: they run on (`keep`), are ended when the command is over (`kill`), or become a job of
   * `jobs` (`adopt`), which `dispose()` ends. Default `keep`. In a session (`carry`, `live`) they belong to its shell: `keep` leaves
   * them when the toolset is disposed of, anything else, also no value, ends them then.
   */
  background?: 'keep' | 'kill' | 'adopt' | undefined;
  /**
   * Whether an answer says which parts of the command's last pipeline have failed, where the exit code does not tell: `make | tail`
   * exits with 0. For bash and zsh. Default `true` in the dialect `bash`, `false` in the others.
   */
  pipeStatus?: boolean | undefined;
  /** The table for jobs, or the options of a new one. Default: a table of the toolset's own. */
  jobs?: Jobs | JobsOptions | undefined;
  /** The shortest time between two calls of `onUpdate` (ms). Default 100; a shorter time than 10 counts as 10. */
  updates?: { intervalMs?: number | undefined } | undefined;
  /** Disposes of the toolset when it fires. */
  signal?: AbortSignal | undefined;
  /** Another name for the main tool. */
  name?: string | undefined;
  /** Another description for the main tool, or a function that returns it for the default one. */
  description?: string | ((description: string) => string) | undefined;
  /**
   * Receives every call, decision, result and end of a job, but no updates: an audit. An error that the listener throws is an
   * uncaught exception, and the call goes on.
   */
  onEvent?: ((event: ToolEvent) => void) | undefined;
  /**
   * The original's text where ours improves on it, for recorded conversations: `true`, or the name of a form that the
   * dialect's page lists. Default false.
   */
  compat?: boolean | string | undefined;
  /**
   * Blocks commands for which the agent has a better tool, before `policy` and `approve`: `true` for the default rules for
   * the tools `read`, `search`, `find`, `edit` and `write`, or rules in place of them. The answer is an error that names the
   * rule's message. It advises a model; it protects nothing. Needs `tools`. Default false.
   */
  interceptors?: boolean | readonly InterceptorRule[] | undefined;
  /** The names of the agent's tools, for {@link InterceptorRule.tool}: rules for other tools do not count. */
  tools?: readonly string[] | undefined;
}

/** The timeouts of a toolset's commands. A value of `undefined` is an absent one. */
export interface TimeoutOptions {
  /** The timeout of a call that has none (ms). Default: that of the dialect. 0 is no limit. */
  default?: number | undefined;
  /** The longest timeout of a call (ms); a longer one is clamped. Default: that of the dialect, else 3,600,000. */
  max?: number | undefined;
  /** Whether the command is killed at the timeout, or goes on as a job. Default: that of the dialect. */
  on?: 'kill' | 'background' | undefined;
  /**
   * The time after which a call answers while its command goes on as a job (ms), for callers with a timeout of their own. The
   * job has the rest of the command's timeout. Default: never.
   */
  yield?: number | undefined;
}

/** The limits and the form of the output that the model reads. A value of `undefined` is an absent one. */
export interface ToolOutputOptions {
  /** The most output that the model reads (bytes of UTF-8). Default: that of the dialect. */
  maxBytes?: number | undefined;
  /** The most output in characters (Unicode code points). */
  maxChars?: number | undefined;
  /** The most output in tokens, each counted as 4 bytes. */
  maxTokens?: number | undefined;
  /** The kept part of longer output, for dialects that leave it open. Default `both`. */
  keep?: 'head' | 'tail' | 'both' | undefined;
  /** Whether escape sequences are removed. Default: `true`, but with `compat: 'escapes'` where the original keeps them. */
  stripAnsi?: boolean | undefined;
  /** Whether all output goes to a file that the text names when it was cut. Default: that of the dialect. */
  spill?: boolean | SpillOptions | undefined;
  /**
   * Whether the model reads a view of longer output: the lines that matter of both streams in reading order, and markers for
   * the rest; `stderr` of the structured form is empty then. Its budget is that of the dialect's output, at least 200 bytes,
   * unless it has a `maxBytes` of its own. All output goes to a file that the last line of the view names, unless `spill` is
   * false. Not together with `keep`. The output that a tool reads from a job has a view too. Default: `true` in the dialect
   * `bash`, unless `keep` or `stripAnsi: false` is given; `false` in the others.
   */
  view?: boolean | ViewOptions | undefined;
}

/** Options of single dialects. */
export interface DialectOptions {
  bash: ToolsOptions;
  voice: ToolsOptions & {
    /** Whether only programs of the allow list may run, without a shell. Default false. */
    safeMode?: boolean | undefined;
  };
  rye: ToolsOptions;
  agentrail: ToolsOptions & {
    /**
     * Permission modes and rules, as AgentRail has them: another form of `policy`. Not together with `policy`.
     * Default: no rules; only the check for dangerous commands.
     */
    permissions?: AgentRailPermissions | undefined;
  };
  execute_bash_command: ToolsOptions;
  'oh-my-pi': ToolsOptions & OhMyPiOptions;
  'anthropic-bash': ToolsOptions & {
    /** The results that are errors: any end but exit code 0 (default), or only commands that did not exit by themselves. */
    errorOn?: 'nonzero' | 'failure' | undefined;
    /** Whether the schema has `timeout_ms` too: not for the tool that is declared to the API as built in. Default false. */
    timeoutArgument?: boolean | undefined;
  };
  'claude-code': ToolsOptions & {
    /** The tools: `Bash`, `BashOutput`, `KillShell` (`classic`, default), or `Bash`, `TaskOutput`, `TaskStop` (`current`). */
    form?: 'classic' | 'current' | undefined;
    /** Whether lines that a `filter` leaves out can't be read any more, as in the original. Default true. */
    filterConsumes?: boolean | undefined;
    /** Whether there is a fourth tool, `BashList`. Default false. */
    listTool?: boolean | undefined;
    /** Whether exit code 1 of `grep`, `rg`, `diff`, `cmp`, `test` and `find` is explained and is no error. Default false. */
    interpretExitCodes?: boolean | undefined;
    /**
     * Directories besides `root` (or else `cwd`) in which a `cd` stays from call to call. Default: none; then
     * `cd` is bound by `root` alone.
     */
    additionalDirectories?: readonly string[] | undefined;
    /**
     * The longest `sleep` with which a foreground command may begin (ms); a longer one is refused, with advice. The original
     * refuses 2 to 25 s, depending on its version. Default 0: no limit.
     */
    maxSleepMs?: number | undefined;
  };
  'openai-shell': ToolsOptions & {
    /** The number of commands of a call that run at the same time. Default 4. */
    concurrency?: number | undefined;
  };
  'openai-local-shell': ToolsOptions;
  'codex-shell': ToolsOptions & {
    /** The form of the text: free (default), or one line of JSON. */
    form?: 'text' | 'json' | undefined;
    /** The main tool: `shell` (words; default) or `shell_command` (text). Both are in the toolset. */
    main?: 'shell' | 'shell_command' | undefined;
  };
  'codex-exec': ToolsOptions & {
    /** Whether there is a third tool, `list_sessions`. Default false. */
    listTool?: boolean | undefined;
  };
  gemini: ToolsOptions & {
    /** The lines of the text: of now (default), of the versions between, or of the first version. */
    form?: 'current' | 'middle' | 'seed' | undefined;
    /** Whether the text stands between `<untrusted_context>` tags. Default true with the current form. */
    wrap?: boolean | undefined;
    /** Whether `$( )`, backticks, `<( )` and `>( )` are refused, as in the original. Default false. */
    refuseSubstitution?: boolean | undefined;
  };
}

/** The modes and rules of AgentRail's permissions. */
export interface AgentRailPermissions {
  /** The verdict on commands without a rule. Default `default`. */
  mode?: 'default' | 'acceptEdits' | 'bypassPermissions' | 'dontAsk' | 'strict' | undefined;
  /** Rules such as `Bash`, `Bash(git:*)`, `Bash(npm test)`. */
  allow?: readonly string[] | undefined;
  ask?: readonly string[] | undefined;
  deny?: readonly string[] | undefined;
}

/** A rule that blocks a command for which the agent has a better tool. */
export interface InterceptorRule {
  /**
   * A regular expression in the syntax of Rust's `regex-lite`: without look-around, back-references and Unicode classes.
   * Tested against the whole command, and against each part of it that begins a pipeline, with and without the assignments
   * before it.
   */
  pattern: string;
  /** Flags, of JavaScript's `i`, `m`, `s`, `u`. */
  flags?: string | undefined;
  /** The better tool. The rule counts only if it is in `tools`. */
  tool: string;
  /** The text after `Blocked: `, for the model. */
  message: string;
}

/** Options of the dialect `oh-my-pi`. */
export interface OhMyPiOptions {
  /** Whether the schema has `async`, and calls with it start jobs. Default false. */
  async?: boolean | undefined;
  /** Whether a command goes on as a job after `thresholdMs` (ms, default 60,000). Default false. */
  autoBackground?: boolean | { thresholdMs?: number | undefined } | undefined;
  /** Whether `pty: true` of a call gives the command a terminal (120 columns, 40 rows) or is ignored. Default false. */
  hasUI?: boolean | undefined;
  /**
   * Returns the path for an internal URL such as `skill://name/file`. URLs with a scheme of {@link OhMyPiOptions.urlSchemes}
   * are expanded in `command`, `env` and `cwd`. If it throws, the call has an error result.
   */
  resolveUrl?: ((url: string, context: { ensureParent: boolean }) => string | Promise<string>) | undefined;
  /** The schemes of internal URLs. Default `skill`, `agent`, `artifact`, `memory`, `rule`, `local`, `plan`. */
  urlSchemes?: readonly string[] | undefined;
}

/** An event of a toolset, for an audit. Plain JSON, apart from `result.run`. */
export type ToolEvent =
  | {
      type: 'call';
      /** Milliseconds since 1970. */
      time: number;
      dialect: Dialect;
      tool: string;
      callId: string | undefined;
      args: unknown;
      meta: Record<string, unknown> | undefined;
    }
  | {
      type: 'decision';
      time: number;
      dialect: Dialect;
      tool: string;
      callId: string | undefined;
      command: string;
      verdict: Verdict;
      reason: string | null;
      /** The decision of the policy; `null` without a policy. */
      decision: Decision | null;
    }
  | { type: 'update'; time: number; tool: string; callId: string | undefined; update: ToolUpdate }
  | {
      type: 'result';
      time: number;
      dialect: Dialect;
      tool: string;
      callId: string | undefined;
      durationMs: number;
      result: ToolResult;
    }
  | {
      /** A job of this toolset has ended. */
      type: 'job';
      time: number;
      jobId: string;
      /** The `callId` of the call that has started it. */
      callId: string | undefined;
      command: string;
      /**
       * The text for the model, for dialects whose answers promise a notice: `<task-notification>` of `claude-code` in the
       * form `current`; `null` for the others.
       */
      notice: string | null;
      result: RunResult;
    };

/**
 * The tools of a dialect, with the table of their jobs.
 *
 * It is iterable: `for (const tool of toolset)`.
 */
export interface Toolset extends AsyncDisposable, Iterable<ToolDefinition> {
  readonly dialect: Dialect;
  /** The main tool first, then its companions. */
  readonly tools: readonly ToolDefinition[];
  /** A paragraph for a system prompt or an MCP server: how the tools work together. */
  readonly instructions: string;
  /** Whether a person may have to approve a call: the toolset has the option `approve` or a policy. */
  readonly mayAsk: boolean;
  /** The table of the toolset's jobs. */
  readonly jobs: Jobs;
  /** Whether `dispose()` was called. */
  readonly isDisposed: boolean;
  /** Returns the tool of this name. */
  get(name: string): ToolDefinition | undefined;
  /** Calls a tool by its name. An unknown name is a result with `isError`. Never rejects. */
  call(name: string, args: unknown, context?: CallContext): Promise<ToolResult>;
  /** Adds a listener of one type of event. Returns a function that removes it. */
  on<Type extends ToolEvent['type']>(
    type: Type,
    listener: (event: Extract<ToolEvent, { type: Type }>) => void,
  ): () => void;
  /** Kills all jobs of this toolset, settles every open call, and waits for both. Later calls are error results. Idempotent. */
  dispose(): Promise<void>;
}

/**
 * Creates the tools of a dialect.
 *
 * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for an unknown dialect and for a wrong or unknown option, which it
 *   names; Error with code `ERR_FEATURE_UNAVAILABLE` for an option that this version does not implement
 *
 * @example
 * const toolset = createTools('bash', { root: '/path/to/project', timeout: 120_000 });
 * const { text, isError } = await toolset.call('bash', { command: 'npm test' });
 */
export function createTools<D extends Dialect>(dialect: D, options?: DialectOptions[D]): Toolset;

/**
 * Creates the main tool of a dialect alone. It moves no command to the background if reading its output needs a companion tool.
 *
 * @throws as {@link createTools}
 */
export function createTool<D extends Dialect>(
  dialect: D,
  options?: DialectOptions[D],
): ToolDefinition & AsyncDisposable;

/**
 * Returns a copy of a schema for OpenAI's strict mode: every property is required, those that were optional also take `null`,
 * objects take no others, and there are no defaults, formats or bounds. The tools take `null` as an absent value.
 */
export function strictSchema(schema: JSONSchema): Record<string, unknown>;

/**
 * Returns a copy of a schema for Gemini's function declarations: without `additionalProperties`, `$schema`, `default` and the
 * like.
 */
export function geminiSchema(schema: JSONSchema): Record<string, unknown>;
