// Terminals of a client, in which the commands of a toolset run.

/**
 * The terminals of a client, such as an editor, for {@link ToolsOptions.terminals}. `clientTerminals()` of
 * `agent-bash/acp` makes them for a connection of the Agent Client Protocol.
 */
export interface ClientTerminals {
  /** Opens a terminal in which a command runs. A rejection says why the client can't. */
  create(request: ClientTerminalRequest): Promise<ClientTerminal>;
  /** Fires when the client is gone: its commands are `failed` then, with `TERMINAL_LOST`. */
  readonly signal?: AbortSignal | undefined;
}

/** The command for a terminal. */
export interface ClientTerminalRequest {
  /** The program; for a command line, the shell. */
  command: string;
  args: string[];
  /** The variables on top of the client's environment. Nothing of `process.env` is among them. */
  env: { name: string; value: string }[];
  /** The absolute path of the directory in which the command starts. */
  cwd: string;
  /** The most output that the client has to keep (bytes of UTF-8), from 1 MiB to 16 MiB; the latest stays. */
  outputByteLimit: number;
}

/** A terminal of a client, as `TerminalHandle` of `@agentclientprotocol/sdk`. */
export interface ClientTerminal {
  readonly id: string;
  /** Returns the output so far. */
  currentOutput(): Promise<ClientTerminalOutput>;
  /** Waits for the end of the command. */
  waitForExit(): Promise<ClientTerminalExit>;
  /** Ends the command; its output stays readable. */
  kill(): Promise<unknown>;
  /** Ends the command if it still runs, and frees the terminal. Called once for each terminal. */
  release(): Promise<unknown>;
}

/** The output of a command in a terminal of a client. */
export interface ClientTerminalOutput {
  output: string;
  /** Whether the client has dropped earlier output. */
  truncated: boolean;
  exitStatus?: ClientTerminalExit | null | undefined;
}

/** The end of a command in a terminal of a client. */
export interface ClientTerminalExit {
  exitCode?: number | null | undefined;
  /** The signal that ended it: `9`, `KILL` and `SIGKILL` are the same. */
  signal?: string | null | undefined;
}
