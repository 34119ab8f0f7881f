// The types of agent-bash/langchain: for LangChain and LangGraph. The types don't import `@langchain/core`,
// so that they compile without it; the code does.

import type { ToolData, Toolset } from '../../tools/api/index.ts';

/** The options of tools. A value of `undefined` is an absent one. */
export interface LangchainOptions {
  /**
   * The form of an error result: a tool message of status `error` (default), or an exception with its text.
   */
  errors?: 'message' | 'throw' | undefined;
  /** Whether to declare the provider's built-in tool, for the dialects of such tools. Default false. */
  providerTool?: boolean | undefined;
  /** The treatment of calls for which the host's `approve` says `ask`: a denial (default), or `interrupt`. */
  onAsk?: 'deny' | 'interrupt' | undefined;
  /**
   * LangGraph's function `interrupt`. It gets `{ tool, command, reason, args }`, and the same as
   * `actionRequests` and `reviewConfigs`, the form of LangChain's middleware for approvals. The graph is
   * resumed with that middleware's `{ decisions: [{ type: 'approve' }] }`, with `true`, `{ approved: true }`
   * or `{ type: 'approve' }` to run the command, and with anything else for a denial, such as `{ approved:
   * false, reason }` or `{ decisions: [{ type: 'reject', message }] }`.
   */
  interrupt?: ((value: ToolData) => unknown) | undefined;
}

/** A `DynamicStructuredTool` of `@langchain/core`, by its structure. */
export interface LangchainTool {
  name: string;
  description: string;
  // biome-ignore lint/suspicious/noExplicitAny: a class of LangChain's, whose types this file can't import.
  [member: string]: any;
}

/**
 * Returns the tools of a toolset, for `tools` of `createAgent()`, `ToolNode` and `model.bindTools()`.
 *
 * The text is the content of the tool message, and the dialect's structured form its artifact. The signal of
 * the configuration ends the command, and its output so far is the answer.
 *
 * @example
 * const agent = createAgent({ model, tools: langchainTools(createTools('bash')) });
 */
export declare function langchainTools(
  toolset: Toolset,
  options?: LangchainOptions,
  // biome-ignore lint/suspicious/noExplicitAny: see LangchainTool.
): Array<LangchainTool & any>;
