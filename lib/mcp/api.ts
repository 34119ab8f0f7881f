// The types of agent-bash/mcp. Its bundle contains the SDK of the Model Context Protocol, so that users
// install nothing else.

import type { Readable, Writable } from 'node:stream';
import type { Prompt } from '../options/surroundings/prompt-api.ts';
import type { ConnectAnswer, ConnectQuestion } from '../options/surroundings/sandbox-api.ts';
import type { Toolset } from '../tools/api/index.ts';

/** The options of a server. A value of `undefined` is an absent one. */
export interface McpOptions {
  /** The server's name. Default `agent-bash`. */
  name?: string | undefined;
  /** The server's version. Default that of this package. */
  version?: string | undefined;
  /** The instructions that clients may add to a system prompt. Default: the toolset's own. */
  instructions?: string | undefined;
  /**
   * The treatment of calls for which the host's `approve` says `ask`. `elicit` (default): the client asks the
   * user, and a client that can't gets a denial. `deny`: the call is denied. `allow`: the command runs.
   */
  approval?: 'elicit' | 'deny' | 'allow' | undefined;
  /**
   * The end of the reason of a denial to a client that can't ask: how commands are allowed. Default: that the
   * server's program decides with the toolset's option `approve` or its policy.
   */
  approvalHint?: string | undefined;
  /**
   * The longest result for Claude Code (characters), which puts longer ones into files. Default 100,000; at
   * most 500,000.
   */
  maxResultChars?: number | undefined;
  /**
   * The content of `structuredContent`. `text` (default): the text and the facts, without the streams.
   * `full`: all of it. `none`: there is none. Some clients show the model `structuredContent` alone, so it
   * always has the text.
   */
  structuredContent?: 'text' | 'full' | 'none' | undefined;
  /**
   * The time after which a call answers while its command goes on as a job (ms), before the timeout of the
   * client. Default 45,000; 0 for never. A shorter `timeout.yield` of the toolset counts.
   */
  yieldMs?: number | undefined;
  /** Whether Claude Code always loads the tools, in place of finding them by a search. Default false. */
  alwaysLoad?: boolean | undefined;
  /** Receives errors of connections, such as malformed messages. */
  onerror?: ((error: Error) => void) | undefined;
}

/** A transport of either version of the SDK, by its structure. */
export interface McpTransport {
  start(): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: each SDK has a type of its own for messages.
  send(message: any, options?: any): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  onmessage?: ((message: any, extra?: any) => void) | undefined;
}

/** A server for any number of connections. */
export interface McpServer {
  /** Serves a connection until its transport closes. The first message selects the era of the protocol. */
  connect(transport: McpTransport): Promise<void>;
  /** Closes all connections. The toolset stays usable. */
  close(): Promise<void>;
}

/**
 * Creates a server of the Model Context Protocol for a toolset. It serves the versions of the protocol up to
 * 2025-11-25, and 2026-07-28.
 *
 * A cancelled request ends its command. The server reports progress at most once a second while there is
 * output, and every 10 seconds without. Most clients time out after 60 seconds; see `yieldMs`.
 *
 * @example
 * const server = createMcpServer(createTools('bash'), { name: 'shell' });
 * await server.connect(new StdioServerTransport());
 */
export declare function createMcpServer(toolset: Toolset, options?: McpOptions): McpServer;

/** The options of {@link serveStdio}. */
export interface StdioOptions extends McpOptions {
  /** The stream of requests. Default `process.stdin`. */
  stdin?: Readable | undefined;
  /** The stream of responses, to which nothing else may write. Default `process.stdout`. */
  stdout?: Writable | undefined;
}

/**
 * Serves a toolset on standard input and output. When the input has ended, requests that are under way are
 * answered for at most 2 seconds. Resolves when the toolset is disposed of then.
 *
 * @example
 * await serveStdio(createTools('bash', { root: '/path/to/project' }));
 */
export declare function serveStdio(toolset: Toolset, options?: StdioOptions): Promise<void>;

/**
 * Asks the user of the client whose call has started a command whether that may connect to a host: the option
 * `sandbox.network.onConnect` of a toolset that is served. A client without elicitation can't be asked, and
 * the host is refused; so it is for a client of version 2026-07-28 of the protocol once the call has been
 * answered, and the command goes on as a job.
 *
 * @example
 * const network = { allow: ['registry.npmjs.org:443'], onConnect: elicitConnect };
 * const toolset = createTools('bash', { root, sandbox: { level: 'workspace-write', network } });
 */
export declare function elicitConnect(question: ConnectQuestion): Promise<ConnectAnswer>;

/**
 * Asks the user of the client whose call has started a command for the answer to a program's prompt: the
 * option `onPrompt` of a toolset that is served. The user answers texts and confirmations, whose clients are
 * those that {@link elicitConnect} can ask. A prompt for a password is declined, because MCP forbids forms
 * that ask for secrets, and the answer of the call says what helps.
 *
 * @example
 * const toolset = createTools('bash', { onPrompt: elicitPrompt });
 */
export declare function elicitPrompt(prompt: Prompt): Promise<string | null>;

/**
 * Adds the tools of a toolset to an `McpServer` of your own, of version 2 of the SDK. A call for which the
 * host's `approve` says `ask` is denied, unless `approval` says otherwise.
 *
 * @example
 * registerTools(server, createTools('bash')); // an McpServer of yours
 */
export declare function registerTools(
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's method is generic in each tool's schemas.
  server: { registerTool(name: string, config: any, handler: any): unknown },
  toolset: Toolset,
  options?: McpOptions,
): void;
