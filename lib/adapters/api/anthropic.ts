// The types of agent-bash/anthropic: for `@anthropic-ai/sdk` and `@anthropic-ai/claude-agent-sdk`. Nothing
// here imports those packages.

import type { McpOptions } from '../../mcp/api.ts';
import type { CallContext, DialectOptions, ToolData, Toolset } from '../../tools/api/index.ts';

/** The declaration of a tool for the API: the tool that is built into the models, or one of this package. */
export type MessageTool =
  | { type: 'bash_20250124'; name: 'bash' }
  | {
      name: string;
      description: string;
      input_schema: { type: 'object'; properties?: unknown; required?: string[]; [keyword: string]: unknown };
    };

/** A tool for `client.beta.messages.toolRunner({ tools })`. */
export type RunnableTool = MessageTool & {
  /** Runs a call. Throws the SDK's `ToolError` for an error result, by which the runner recognizes it. */
  run(args: ToolData, context?: ToolData): Promise<string>;
  parse(input: unknown): ToolData;
};

/**
 * Creates Anthropic's bash tool for the tool runner. `session` selects the part of the shell's state that is
 * kept between calls.
 *
 * @example
 * await using bash = bashTool({ root: '/path/to/project', session: 'cwd' });
 * const runner = client.beta.messages.toolRunner({ model, max_tokens: 4096, messages, tools: [bash] });
 */
export declare function bashTool(
  options?: DialectOptions['anthropic-bash'] & {
    /**
     * Whether to declare the tool that is built into the models (default), or one with a description and a
     * schema.
     */
    declare?: 'builtin' | 'custom' | undefined;
  },
): RunnableTool & AsyncDisposable & { close(): Promise<void> };

/**
 * Returns the tools of a toolset for the tool runner. The runner's signal ends the commands. It has no
 * approval of its own: the host's `approve` decides, and `ask` is a denial.
 *
 * @example
 * await client.beta.messages.toolRunner({ model, max_tokens, messages, tools: runnableTools(toolset) });
 */
export declare function runnableTools(toolset: Toolset): RunnableTool[];

/**
 * Returns the tools of a toolset for `tools` of `client.messages.create()`.
 *
 * @example
 * const { content } = await
 * client.messages.create({ model, max_tokens, messages, tools: messageTools(toolset) }); const answers =
 * await respond(toolset, content);
 */
export declare function messageTools(toolset: Toolset): MessageTool[];

/** A block that answers a call. Its content is never empty. */
export interface ToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content: string;
  is_error?: true;
}

/**
 * Runs the tool calls in the content of a message, all at the same time, and returns the blocks that answer
 * them, in the order of the calls: one for each, also after an abort. Calls of other tools are left to you.
 * Never rejects.
 *
 * @example
 * const tools = messageTools(toolset);
 * const message = await client.messages.create({ model, max_tokens: 4096, messages, tools });
 * messages.push(message, { role: 'user', content: await respond(toolset, message.content) });
 */
export declare function respond(
  toolset: Toolset,
  content: ReadonlyArray<{ type: string }>,
  context?: CallContext,
): Promise<ToolResultBlock[]>;

/** The options of {@link sdkMcpServer}. */
export interface SdkMcpServerOptions extends McpOptions {
  /** The SDK's timeout of a call (ms). */
  timeout?: number | undefined;
  /** Whether the model has the tools without finding them by a search first. Default true. */
  alwaysLoad?: boolean | undefined;
}

/**
 * Creates a server in this process for `mcpServers` of the Claude Agent SDK. Its tools are called
 * `mcp__NAME__TOOL`. `disallowedTools: ['Bash']` turns the built-in tool off. Where the host's `approve` says
 * `ask`, the SDK gets an elicitation, which its option `onElicitation` answers.
 *
 * @example
 * const allowedTools = toolset.tools.map(({ name }) => `mcp__shell__${name}`);
 * const mcpServers = { shell: sdkMcpServer(toolset) };
 * query({ prompt, options: { mcpServers, allowedTools, disallowedTools: ['Bash'] } });
 */
export declare function sdkMcpServer(
  toolset: Toolset,
  options?: SdkMcpServerOptions,
): {
  type: 'sdk';
  name: string;
  timeout?: number;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK declares a class here, and only calls `connect()`.
  instance: any;
};
