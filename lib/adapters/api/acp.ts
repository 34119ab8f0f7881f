// The types of agent-bash/acp: terminals of the Agent Client Protocol, version 1. The types don't import
// `@agentclientprotocol/sdk`, and neither does the code.

import type { Job } from '../../job/api.ts';
import type { PtyOptions } from '../../options/command/api.ts';
import type { Surroundings } from '../../options/surroundings/api.ts';
import type { Approve, Policy } from '../../policy/api.ts';
import type { ClientTerminal, ClientTerminalRequest, ClientTerminals } from '../../tools/api/terminals.ts';

/**
 * Options of {@link terminalHandlers}. The {@link Surroundings} are those of all commands; the variables of a
 * request come on top of `env`, and its directory replaces `cwd`, within `root`.
 */
export interface TerminalHandlersOptions extends Surroundings {
  /** The rules by which commands may run. Default: all run. */
  policy?: Policy | undefined;
  /** Decides where the policy says `ask`. */
  approve?: Approve | undefined;
  /** The time limit of each command (ms); 0 for none. Default: none. */
  timeout?: number | undefined;
  /**
   * Whether commands run in a terminal, so that they draw and colour; agents read the output without escape
   * sequences. Default: `false`, pipes.
   */
  pty?: boolean | PtyOptions | undefined;
  /** The most terminals that are open, running or not yet released; from 1 to 10,000. Default 32. */
  maxTerminals?: number | undefined;
  /**
   * The most output of a terminal that is kept, whatever the agent asks for (bytes of UTF-8): the latest
   * stays. From 1 to 268,435,456; default 4,194,304.
   */
  maxOutputBytes?: number | undefined;
  /**
   * The reading of `command`. The protocol has a program there, but many agents send a command line. `auto`
   * (default): a command without arguments that has blanks or characters of a shell, and that names no
   * executable, is a line for the shell. `never`: it is always a program.
   */
  commandLine?: 'auto' | 'never' | undefined;
  /** Called for each command at its start, before its first output: to show it, or to type into it. */
  onTerminal?: ((terminal: OpenTerminal) => void) | undefined;
  /**
   * The class `RequestError` of the SDK. With it, agents get the codes of the protocol: -32602 for wrong
   * parameters and directories, -32002 for an unknown terminal, -32603 for the rest. Default: the SDK answers
   * all errors with -32603.
   */
  RequestError?: (new (code: number, message: string, data?: unknown) => Error) | undefined;
}

/** A terminal that is not released. */
export interface OpenTerminal {
  /** The id that the agent knows; it counts in its session alone. */
  terminalId: string;
  sessionId: string;
  job: Job;
}

/** The request of an agent for a command. */
export interface CreateTerminalRequest {
  sessionId: string;
  command: string;
  args?: string[] | null | undefined;
  env?: { name: string; value: string }[] | null | undefined;
  cwd?: string | null | undefined;
  outputByteLimit?: number | null | undefined;
}

/** A request about a terminal. */
export interface TerminalRequest {
  sessionId: string;
  terminalId: string;
}

/** The end of a command: its exit code, or the signal that ended it. */
export interface TerminalExitStatus {
  exitCode: number | null;
  signal: string | null;
}

/** The latest output of a command. */
export interface TerminalOutput {
  output: string;
  /** Whether earlier output is no longer kept. */
  truncated: boolean;
  /** `null` while the command runs. */
  exitStatus: TerminalExitStatus | null;
}

/** Handlers for an application that is a client of the Agent Client Protocol. */
export interface TerminalHandlers extends AsyncDisposable {
  /** The handlers by the method of the protocol, for `onRequest()` of the SDK's client. */
  readonly requests: {
    readonly 'terminal/create': (context: {
      params: CreateTerminalRequest;
    }) => Promise<{ terminalId: string }>;
    readonly 'terminal/output': (context: { params: TerminalRequest }) => Promise<TerminalOutput>;
    /** A cancelled request stops waiting; the command goes on. */
    readonly 'terminal/wait_for_exit': (context: {
      params: TerminalRequest;
      signal?: AbortSignal;
    }) => Promise<TerminalExitStatus>;
    /** Ends the command with everything that it has started, by SIGTERM, and SIGKILL after 5 s. */
    readonly 'terminal/kill': (context: { params: TerminalRequest }) => Promise<Record<string, never>>;
    /** The same, and forgets the terminal. */
    readonly 'terminal/release': (context: { params: TerminalRequest }) => Promise<Record<string, never>>;
  };
  /** The same as methods of the interface `Client`, for `new ClientSideConnection()`. */
  readonly client: {
    createTerminal(request: CreateTerminalRequest): Promise<{ terminalId: string }>;
    terminalOutput(request: TerminalRequest): Promise<TerminalOutput>;
    waitForTerminalExit(request: TerminalRequest): Promise<TerminalExitStatus>;
    killTerminal(request: TerminalRequest): Promise<Record<string, never>>;
    releaseTerminal(request: TerminalRequest): Promise<Record<string, never>>;
  };
  /** Returns the terminals that are not released. */
  list(): OpenTerminal[];
  /** Ends and forgets the terminals of a session. */
  releaseSession(sessionId: string): Promise<void>;
  /**
   * Ends and forgets all terminals: call it when the connection to the agent has closed. Later requests fail.
   * Idempotent.
   */
  dispose(): Promise<void>;
}

/**
 * Makes an application an ACP client whose terminals are {@link Job}s, with policy, sandbox and bounds.
 *
 * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong option, which it names
 *
 * @example
 * const terminals = terminalHandlers({ root, sandbox: { level: 'workspace-write' }, RequestError });
 * for (const [method, handler] of Object.entries(terminals.requests)) app.onRequest(method, handler);
 * connection.closed.then(() => terminals.dispose());
 */
export declare function terminalHandlers(options?: TerminalHandlersOptions): TerminalHandlers;

/** A connection to an ACP client: `AgentContext`, or `AgentSideConnection` of version 1 of the SDK. */
export interface TerminalClient {
  createTerminal(request: ClientTerminalRequest & { sessionId: string }): Promise<ClientTerminal>;
}

/**
 * Returns the terminals of an ACP client for the option `terminals` of a toolset. Only for a client whose
 * `clientCapabilities.terminal` is true. `signal` is that of the connection: without it, a command whose
 * client is gone ends with its timeout, or when the SDK rejects a request.
 *
 * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong argument, which it names
 *
 * @example
 * const terminals = clientTerminals(context.client, sessionId, { signal: connection.signal });
 * const toolset = createTools('bash', { cwd, terminals });
 */
export declare function clientTerminals(
  client: TerminalClient,
  sessionId: string,
  options?: { signal?: AbortSignal | undefined },
): ClientTerminals;
