// Tools that a model can call, and the results of calls.

import type { Job } from '../../job/api.ts';
import type { SandboxGrant } from '../../options/surroundings/sandbox-api.ts';
import type { RunResult } from '../../result/api.ts';
import type { DialectOptions } from './dialects.ts';

/**
 * The interface of a shell tool: its name, arguments, defaults, limits and the text that a model reads.
 *
 * `bash` is the default of this package. The others follow the tools of agents and of model vendors;
 * `docs/tools.md` says which one to choose.
 */
export type Dialect = keyof DialectOptions;

/** The names of all dialects. Frozen. */
export declare const dialects: readonly Dialect[];

/** A JSON Schema (draft 2020-12 without references), as plain data. */
export interface JSONSchema {
  readonly [keyword: string]: unknown;
}

/** A fault of the arguments, as in Standard Schema. */
export interface Issue {
  readonly message: string;
  readonly path?: readonly PropertyKey[] | undefined;
}

/**
 * The `~standard` property of a tool: Standard Schema 1 (`validate`) with Standard JSON Schema 1
 * (`jsonSchema`).
 */
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
   * Checks arguments and normalizes them: `null` is an absent value, numeric strings are numbers, unknown
   * properties are dropped. `execute` does the same by itself.
   */
  parse(args: unknown): { value: Record<string, unknown>; issues?: undefined } | { issues: readonly Issue[] };
  /**
   * Decides whether the call may run, by `approve` of the options (and by the policy). Runs nothing.
   *
   * For SDKs with an approval mechanism of their own: ask with this, then call `execute` with
   * `approval: 'granted'` or `'denied'` and the {@link Approval.token}. `execute` without `approval` asks by
   * itself, and answers `ask` with a denial that says so. Never rejects.
   */
  decide(args: unknown, context?: CallContext): Promise<Approval>;
  /**
   * Runs the call. Never rejects, and its text is never empty: wrong arguments, denials, failures to start,
   * timeouts (except in `openai-shell`) and aborts are results with `isError`. After a timeout or an abort,
   * it settles when the command has ended: after 5 seconds the command gets SIGKILL.
   */
  execute(args: unknown, context?: CallContext): Promise<ToolResult<Data>>;
  /**
   * Runs the call and yields its output as updates. The last one has `done: true` and the result. Ending the
   * iteration early aborts the call.
   */
  stream(args: unknown, context?: CallContext): AsyncIterableIterator<ToolUpdate<Data>>;
}

/** The context of one call. */
export interface CallContext {
  /** Ends the command when it fires. The output so far is in the result. */
  signal?: AbortSignal | undefined;
  /** Names the call in events, such as the SDK's id of the tool call. */
  callId?: string | undefined;
  /**
   * Receives output while the command runs, at most once per `updates.intervalMs`. A listener that throws is
   * not called again.
   */
  onUpdate?: ((update: ToolUpdate) => void) | undefined;
  /**
   * Receives the job of each command that the call starts, before its first output: to show it, or to type
   * into it, as with `attach()` of `agent-bash/console`. `pty`: whether the command runs in a terminal. The
   * job is not in the table of jobs unless the command goes on after the call. A command in a terminal of the
   * client is no job. An error that it throws is an uncaught exception.
   */
  onJob?: ((job: Job, started: { pty: boolean }) => void) | undefined;
  /**
   * A decision made elsewhere, such as a person's in an SDK's own prompt. The call then skips `approve`. Any
   * other value is a denial.
   */
  approval?: 'granted' | 'denied' | undefined;
  /** The reason of a denial. */
  approvalReason?: string | undefined;
  /**
   * The token of {@link ToolDefinition.decide}: only the call that was granted runs. A call that asks for
   * more than its sandbox gives needs the token.
   */
  approvalToken?: string | undefined;
  /**
   * The time after which this call answers while its command goes on as a job (ms), for a caller with a
   * timeout of its own. As `timeout.yield`, but for one call.
   */
  yieldMs?: number | undefined;
  /** Data of the caller, which events and {@link PendingCall} pass on. */
  meta?: Record<string, unknown> | undefined;
}

/** The output of a call so far, or its result. Plain JSON, apart from `result`. */
export interface ToolUpdate<Data = ToolData> {
  /** Whether this is the last update. */
  done: boolean;
  /**
   * Until the end: the latest output with the unfinished line, at most `updates.maxBytes` of it. At the end:
   * the text of the result.
   */
  text: string;
  /** The last line that is not blank, at most 200 characters. */
  tail: string;
  /**
   * The output since the last update, at most as much; absent at the end. Chunks can be joined: of a line
   * that a program writes anew, such as a progress bar, they have the first form, and on a line of its own
   * the last.
   */
  chunk?: string;
  /**
   * After the answer that names the job (`updates.background`): the id of the job, as `jobId` of the result,
   * and its state. Only exit code 0 is `completed`.
   */
  job?: { id: string; state: 'running' | 'completed' | 'failed' };
  /**
   * The id of a terminal of the client, in the one update that says that a command runs there: to show the
   * terminal.
   */
  terminalId?: string;
  /** The result; at the end only. */
  result?: ToolResult<Data>;
}

export interface ToolResult<Data = ToolData> {
  /** The text for the model. Never empty. */
  text: string;
  /** Whether the call failed. Each dialect defines what counts as a failure. */
  isError: boolean;
  /** The dialect's structured form, as plain JSON; valid against the tool's `outputSchema`. */
  data: Data;
  /**
   * The engine's own result, where a command was run. Not enumerable, so that no prompt has it by accident.
   */
  run?: RunResult;
  /** The id of the job that goes on, or that the call was about. */
  jobId?: string;
  /** The id of the terminal of the client in which the command of the call has run. */
  terminalId?: string;
}

/** The identity of a tool in the registry of its original. */
export interface ToolIdentity {
  /** `rye/bash/bash`. */
  readonly id: string;
  /** `rye/bash/`. */
  readonly namespace: string;
  /** The version of the original whose answers the dialect gives. */
  readonly version: string;
}

/** The verdict on a call: it may run, it may not, or a person decides. */
export type Verdict = 'allow' | 'deny' | 'ask';

export interface Approval {
  verdict: Verdict;
  /** The reason of the verdict; `null` without one. */
  reason: string | null;
  /** The command that would run, for a prompt to a person; empty if none would. */
  command: string;
  /** The model's description of the command, in dialects that have one; else `null`. */
  description: string | null;
  /** Binds `execute` to exactly this call, and to what was granted. */
  token: string;
  /** The request for more than the sandbox gives, which `reason` describes too; `null` for none. */
  escalation: Escalation | null;
}

/** A request for more than the sandbox of a command gives. */
export interface Escalation {
  /** The requested rights: real paths, and nothing that the sandbox gives already. */
  readonly sandbox: SandboxGrant;
  /** The request as a sentence for the person who decides, with the quoted reason of the model. */
  readonly text: string;
  /** The model's own words, unchecked and unchanged; `null` if there are none. */
  readonly reason: string | null;
  /** Whether an earlier grant for the toolset covers the request, so that nobody has to be asked. */
  readonly isGranted: boolean;
}
