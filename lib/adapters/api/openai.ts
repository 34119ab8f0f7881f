// The types of agent-bash/openai: for `@openai/agents` and for `openai`. Nothing here imports those packages.

import type { CallContext, DialectOptions, ToolData, Toolset } from '../../tools/api/index.ts';

export * from './agents-sandbox.ts';

/** The options of function declarations. A value of `undefined` is an absent one. */
export interface FunctionOptions {
  /**
   * Whether to use OpenAI's strict mode: every argument is required, and `null` stands for an absent one.
   * Default false.
   */
  strict?: boolean | undefined;
}

/** A shell for `shellTool({ shell })` of the Agents SDK. */
export interface AgentsShell extends AsyncDisposable {
  run(action: { commands: string[]; timeoutMs?: number; maxOutputLength?: number }): Promise<{
    output: Array<{
      stdout: string;
      stderr: string;
      outcome: { type: 'timeout' } | { type: 'exit'; exitCode: number | null };
    }>;
    maxOutputLength?: number;
  }>;
}

/**
 * Creates a shell for the Agents SDK's `shellTool()`.
 *
 * The SDK does not forward an abort to a shell. So pass the run's signal as an option here, or run inside
 * {@link withSignal}. Approval by a person is `needsApproval` of `shellTool()`; the host's `approve` counts
 * too, and its `ask` is a denial.
 *
 * @example
 * const tools = [shellTool({ shell: shell({ root: '/path/to/project' }) })];
 * const agent = new Agent({ name: 'coder', tools });
 * await withSignal(signal, () => run(agent, 'Do the tests pass?', { signal }));
 */
export declare function shell(
  options?: DialectOptions['openai-shell'] & {
    /** Ends all running and later commands when it fires. */
    signal?: AbortSignal | undefined;
  },
): AgentsShell;

/**
 * Runs `act` so that each {@link shell} that it reaches ends its commands when `signal` fires. Returns what
 * `act` returns.
 *
 * @example
 * const local = shell();
 * const agent = new Agent({ name, model, tools: [shellTool({ shell: local })] });
 * await withSignal(signal, () => run(agent, 'Test it', { signal }));
 */
export declare function withSignal<Result>(signal: AbortSignal | undefined, act: () => Result): Result;

/** A function tool of the Agents SDK, by its structure. */
export interface AgentsFunctionTool {
  type: 'function';
  name: string;
  description: string;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK takes more than its type of a JSON Schema says.
  parameters: any;
  strict: boolean;
  invoke(context: ToolData, input: string, details?: ToolData): Promise<string>;
  needsApproval(context: ToolData, input: ToolData, callId?: string): Promise<boolean>;
  isEnabled(): Promise<boolean>;
}

/**
 * Returns the tools of a toolset for `tools` of an agent. The signal of a run ends its commands.
 *
 * Where the host's `approve` says `ask`, the run stops with an interruption, and goes on after
 * `state.approve()` or `state.reject()`, also in another process. The SDK waits 3 seconds for `approve`;
 * after that the call itself waits, where an abort reaches it, and `ask` is a denial.
 *
 * @example
 * const agent = new Agent({ name: 'coder', model, tools: functionTools(createTools('bash')) });
 */
export declare function functionTools(toolset: Toolset, options?: FunctionOptions): AgentsFunctionTool[];

/** A tool of the Responses API. */
export type ResponsesTool =
  | {
      type: 'function';
      name: string;
      description: string;
      parameters: Record<string, unknown>;
      strict: boolean;
    }
  | { type: 'shell'; environment: { type: 'local' } }
  | { type: 'local_shell' };

/**
 * Returns the tools of a toolset for `tools` of `client.responses.create()`: functions, or OpenAI's own
 * `shell` and `local_shell` for the dialects of these names.
 *
 * @example
 * const response = await client.responses.create({ model, input, tools: responsesTools(toolset) });
 * const answers = await respond(toolset, response.output);
 */
export declare function responsesTools(toolset: Toolset, options?: FunctionOptions): ResponsesTool[];

/** A tool of Chat Completions. */
export interface ChatTool {
  type: 'function';
  function: { name: string; description: string; parameters: Record<string, unknown>; strict: boolean };
}

/**
 * Returns the tools of a toolset for `tools` of `client.chat.completions.create()`.
 *
 * @example
 * const { choices } = await client.chat.completions.create({ model, messages, tools: chatTools(toolset) });
 * messages.push(choices[0].message, ...(await respondChat(toolset, choices[0].message)));
 */
export declare function chatTools(toolset: Toolset, options?: FunctionOptions): ChatTool[];

/** An item that answers a call. */
export type ResponseAnswer =
  | { type: 'function_call_output'; call_id: string; output: string }
  | {
      type: 'shell_call_output';
      call_id: string;
      output: Array<{
        stdout: string;
        stderr: string;
        outcome: { type: 'timeout' } | { type: 'exit'; exit_code: number };
      }>;
      max_output_length?: number;
      // biome-ignore lint/suspicious/noExplicitAny: a copy of the call's own property.
      caller?: any;
    }
  | { type: 'local_shell_call_output'; id: string; call_id: string; output: string };

/**
 * Runs the calls among the items of a response, all at the same time, and returns the items that answer them,
 * in the order of the calls: one for each, also after an abort. Calls of other tools are left to you. Never
 * rejects.
 *
 * @example
 * const response = await client.responses.create({ model, input, tools: responsesTools(toolset) });
 * input.push(...response.output, ...(await respond(toolset, response.output)));
 */
export declare function respond(
  toolset: Toolset,
  items: ReadonlyArray<{ type: string }>,
  context?: CallContext,
): Promise<ResponseAnswer[]>;

/** A message that answers a call. */
export interface ChatAnswer {
  role: 'tool';
  tool_call_id: string;
  content: string;
}

/**
 * Answers calls as {@link respond} does, for `message.tool_calls` of a chat completion; none for a message
 * without calls.
 *
 * @example
 * messages.push(message, ...(await respondChat(toolset, message)));
 */
export declare function respondChat(
  toolset: Toolset,
  calls: ReadonlyArray<{ id: string; type: string }> | null | undefined,
  context?: CallContext,
): Promise<ChatAnswer[]>;
