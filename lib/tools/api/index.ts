// The types of agent-bash/tools.
// Times are milliseconds, sizes are bytes, and an option of `undefined` counts as absent.

import type { Jobs } from '../../job/jobs-api.ts';
import type { Recording } from '../../live/record/api.ts';
import type { SandboxGrant } from '../../options/surroundings/sandbox-api.ts';
import type { Overlay } from '../../overlay/api.ts';
import type {
  CallContext,
  Dialect,
  JSONSchema,
  ToolDefinition,
  ToolIdentity,
  ToolResult,
} from './definition.ts';
import type { DialectOptions } from './dialects.ts';
import type { ToolEvent } from './events.ts';

export * from './definition.ts';
export * from './dialects.ts';
export * from './events.ts';
export * from './options.ts';
export * from './terminals.ts';

/**
 * The tools of a dialect, with the table of their jobs.
 *
 * A toolset is iterable: `for (const tool of toolset)`.
 */
export interface Toolset extends AsyncDisposable, Iterable<ToolDefinition> {
  readonly dialect: Dialect;
  /** The identity of the main tool in the registry of its original (`rye`); `null` for one without. */
  readonly identity: ToolIdentity | null;
  /** The main tool first, then its companions. */
  readonly tools: readonly ToolDefinition[];
  /** A paragraph for a system prompt or an MCP server: how the tools work together. */
  readonly instructions: string;
  /**
   * Whether a person may have to approve a call: the toolset has the option `approve`, a policy, or a sandbox
   * with `escalate: 'ask'`.
   */
  readonly mayAsk: boolean;
  /** The table of the toolset's jobs. */
  readonly jobs: Jobs;
  /** The grants for the toolset that `approve` has given, the oldest first. */
  readonly grants: readonly ToolsetGrant[];
  /**
   * Revokes a grant of {@link Toolset.grants}: later calls are asked about again. Running commands keep it.
   *
   * @returns whether the grant was in the list
   */
  revoke(grant: ToolsetGrant): boolean;
  /** The option `overlay`: it has what the calls have changed. */
  readonly overlay: Overlay | undefined;
  /** The recording of the toolset, which `dispose()` completes; `null` without the option `record`. */
  readonly recording: Recording | null;
  /** Whether `dispose()` was called. */
  readonly isDisposed: boolean;
  get(name: string): ToolDefinition | undefined;
  /** Calls a tool by its name. An unknown name is a result with `isError`. Never rejects. */
  call(name: string, args: unknown, context?: CallContext): Promise<ToolResult>;
  /** Adds a listener of one type of event. Returns a function that removes it. */
  on<Type extends ToolEvent['type']>(
    type: Type,
    listener: (event: Extract<ToolEvent, { type: Type }>) => void,
  ): () => void;
  /**
   * Kills all jobs of this toolset, settles every open call, and waits for both. Later calls are error
   * results. Idempotent.
   */
  dispose(): Promise<void>;
}

/** A grant of `approve` with `scope: 'toolset'`. Frozen. */
export interface ToolsetGrant {
  readonly sandbox: SandboxGrant;
  /** The command and the directory of the request; an `unsandboxed` grant covers only these. */
  readonly command: string;
  readonly cwd: string | null;
  /** The model's own words. */
  readonly reason: string | null;
  /** Milliseconds since 1970. */
  readonly grantedAt: number;
}

/**
 * Creates the tools of a dialect.
 *
 * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for an unknown dialect and for a wrong or unknown
 *   option, which it names; Error with code `ERR_FEATURE_UNAVAILABLE` for an option that this version does
 *   not implement
 *
 * @example
 * const toolset = createTools('bash', { root: '/path/to/project', timeout: 120_000 });
 * const { text, isError } = await toolset.call('bash', { command: 'npm test' });
 */
export declare function createTools<D extends Dialect>(dialect: D, options?: DialectOptions[D]): Toolset;

/**
 * Creates the main tool of a dialect alone. It moves no command to the background if reading its output needs
 * a companion tool.
 *
 * @throws as {@link createTools}
 *
 * @example
 * await using tool = createTool('bash', { timeout: 120_000 });
 * const { text } = await tool.execute({ command: 'npm test' });
 */
export declare function createTool<D extends Dialect>(
  dialect: D,
  options?: DialectOptions[D],
): ToolDefinition & AsyncDisposable;

/**
 * Returns a copy of a schema for OpenAI's strict mode: every property is required, those that were optional
 * also take `null`, objects take no others, and there are no defaults, formats or bounds. An object with any
 * names (`env`) becomes a list of `{ name, value }`. The tools take `null` as an absent value, and such a
 * list.
 *
 * @example
 * const parameters = strictSchema(tool.inputSchema); // with `strict: true` of OpenAI
 */
export declare function strictSchema(schema: JSONSchema): Record<string, unknown>;

/**
 * Returns a copy of a schema for Gemini's function declarations: without `additionalProperties`, `$schema`,
 * `default` and the like. An object with any names is a list, as in `strictSchema()`.
 *
 * @example
 * const parameters = geminiSchema(tool.inputSchema); // of a function declaration of Gemini
 */
export declare function geminiSchema(schema: JSONSchema): Record<string, unknown>;
