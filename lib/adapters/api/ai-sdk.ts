// The types of agent-bash/ai-sdk: tools for `ai`, versions 6 and 7. Nothing here imports that package.

import type { CommandOptions } from '../../options/command/api.ts';
import type { DialectOptions, ToolData, ToolDefinition, Toolset } from '../../tools/api/index.ts';

export * from './mastra.ts';

/** The output of a tool for the AI SDK, as plain JSON: for user interfaces and `toModelOutput`. */
export interface AiToolOutput {
  /** The text for the model. While the command runs: its latest output, at most 16 KiB of it. */
  text: string;
  isError: boolean;
  /** The dialect's structured form; absent while the command runs. */
  data?: ToolData;
  /** `true` in a preliminary result, while the command runs. */
  running?: true;
}

/** The second argument of `execute`, from the AI SDK. */
export interface AiToolCall {
  toolCallId: string;
  abortSignal?: AbortSignal | undefined;
}

/** The output that the model gets. */
export type AiModelOutput = { type: 'text' | 'error-text'; value: string };

/**
 * A schema that the AI SDK takes, of both versions. It refuses nothing: the tool answers wrong arguments
 * itself.
 */
export interface AiSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    // biome-ignore lint/suspicious/noExplicitAny: the SDK's types infer the input of a tool from this.
    readonly validate: (value: unknown) => { value: any };
    readonly jsonSchema: {
      readonly input: (options: { target: string }) => Record<string, unknown>;
      readonly output: (options: { target: string }) => Record<string, unknown>;
    };
  };
}

/** A tool for `tools` of `generateText()`, `streamText()` and agents. */
export interface AiTool {
  description: string;
  inputSchema: AiSchema;
  execute(input: ToolData, call: AiToolCall): AsyncIterable<AiToolOutput> | Promise<AiToolOutput>;
  toModelOutput(result: { output: AiToolOutput }): AiModelOutput;
  needsApproval?(input: ToolData, call: { toolCallId?: string }): Promise<boolean>;
}

/** The options of tools. A value of `undefined` is an absent one. */
export interface AiToolOptions {
  /** Whether output appears while the command runs, as preliminary results. Default true. */
  updates?: boolean | undefined;
  /**
   * Whether the SDK asks the user where the host's `approve` says `ask` (`needsApproval`). Default true.
   * Version 7 has deprecated `needsApproval`; use {@link toolApproval} there. The SDK waits 3 seconds for
   * `approve`; after that the call itself waits, where an abort reaches it, and `ask` is a denial.
   */
  approval?: boolean | undefined;
}

/**
 * Returns the tools of a toolset by their names.
 *
 * The model reads `text` of a result, and an error as an error. When the SDK's `abortSignal` fires, the
 * command is ended; the SDK rejects at once, and the partial output is in the events of the toolset.
 *
 * @example
 * const tools = aiTools(createTools('bash', { root: '/path/to/project' }));
 * const prompt = 'Do the tests pass?';
 * const { text } = await generateText({ model, tools, stopWhen: stepCountIs(20), prompt });
 */
export declare function aiTools(toolset: Toolset, options?: AiToolOptions): Record<string, AiTool>;

/** A tool for `tools` of Mastra's agents, whose types ask for an id. */
export interface MastraTool extends AiTool {
  id: string;
}

/**
 * Returns the tools of a toolset by their names, for `tools` of an agent of Mastra. Where the host's
 * `approve` says `ask`, the run is suspended, and goes on after `agent.approveToolCall()` or
 * `declineToolCall()`, also in another process.
 *
 * @example
 * const agent = new Agent({ id: 'coder', name: 'coder', instructions, model, tools: mastraTools(toolset) });
 */
export declare function mastraTools(toolset: Toolset): Record<string, MastraTool>;

/**
 * Converts one tool.
 *
 * @example
 * const tool = createTool('bash');
 * await generateText({ model, tools: { bash: aiTool(tool) }, prompt });
 */
export declare function aiTool(tool: ToolDefinition, options?: AiToolOptions): AiTool;

/** The status of a call for version 7. */
export type AiApprovalStatus =
  | { type: 'approved' | 'denied' | 'user-approval'; reason?: string }
  | { type: 'not-applicable' };

/**
 * Returns the option `toolApproval` of version 7, by the names of the tools. Calls that the host's `approve`
 * allows are approved, calls that it denies are denied with its reason, and for `ask` the SDK asks the user.
 *
 * @example
 * await generateText({ model, tools: aiTools(toolset), toolApproval: toolApproval(toolset), prompt });
 */
export declare function toolApproval(
  toolset: Toolset,
): Record<string, (input: ToolData, call: { toolCallId: string }) => Promise<AiApprovalStatus>>;

/** A tool that the provider has built into its models. It is for `tools` under the provider's name of it. */
export interface AiProviderTool<Output> extends AsyncDisposable {
  type: 'provider';
  id: `${string}.${string}`;
  args: Record<string, unknown>;
  isProviderExecuted: false;
  inputSchema: AiSchema;
  execute(input: ToolData, call: AiToolCall): Promise<Output>;
  needsApproval(input: ToolData, call: { toolCallId: string }): Promise<boolean>;
}

/**
 * Creates Anthropic's `bash_20250124`. Its name in `tools` is `bash`. Unlike
 * `anthropic.tools.bash_20250124()`, it takes `{ restart: true }` alone, as the model gives it.
 *
 * @example
 * await generateText({ model, tools: { bash: anthropicBash({ session: 'cwd' }) }, prompt });
 */
export declare function anthropicBash(
  options?: DialectOptions['anthropic-bash'],
): AiProviderTool<AiToolOutput> & { toModelOutput(result: { output: AiToolOutput }): AiModelOutput };

/** The output of {@link openaiShell}, in the form of OpenAI's API. */
export interface AiShellOutput {
  output: Array<{
    stdout: string;
    stderr: string;
    outcome: { type: 'timeout' } | { type: 'exit'; exitCode: number };
  }>;
  maxOutputLength?: number;
}

/**
 * Creates OpenAI's `shell`. Its name in `tools` is `shell`.
 *
 * @example
 * await generateText({ model, tools: { shell: openaiShell() }, prompt });
 */
export declare function openaiShell(options?: DialectOptions['openai-shell']): AiProviderTool<AiShellOutput>;

/**
 * Creates OpenAI's older `local_shell`. Its name in `tools` is `local_shell`.
 *
 * @example
 * await generateText({ model, tools: { local_shell: openaiLocalShell() }, prompt });
 */
export declare function openaiLocalShell(
  options?: DialectOptions['openai-local-shell'],
): AiProviderTool<{ output: string }>;

/** The options of {@link sandbox}. */
export interface SandboxOptions
  extends Pick<
    CommandOptions,
    | 'root'
    | 'cwd'
    | 'env'
    | 'extendEnv'
    | 'nonInteractive'
    | 'shell'
    | 'limits'
    | 'timeout'
    | 'output'
    | 'sandbox'
    | 'target'
  > {
  /**
   * The description of the environment for the agent. Default: that commands run on this machine, and the
   * directory.
   */
  description?: string | undefined;
}

/** A file of a session. */
export interface SandboxPath {
  /** Relative to the session's directory, or absolute. */
  path: string;
  abortSignal?: AbortSignal | undefined;
}

/** A command of a session. */
export interface SandboxCommand {
  command: string;
  workingDirectory?: string | undefined;
  env?: Record<string, string> | undefined;
  abortSignal?: AbortSignal | undefined;
}

/** A process that {@link SandboxSession.spawn} has started. */
export interface SandboxProcess {
  readonly pid?: number;
  /** An unread stream blocks the process after 1 MiB, as a full pipe does. */
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  /** Waits for the exit. After an abort, it rejects with the reason of the abort. */
  wait(): Promise<{ exitCode: number }>;
  kill(): Promise<void>;
}

/** The AI SDK's sandbox interface, by its structure. */
export interface SandboxSession extends AsyncDisposable {
  readonly description: string;
  /**
   * Never rejects. The exit code is 124 after a timeout, 127 if the command could not start (the reason is in
   * `stderr`), and 130 after an abort.
   */
  run(options: SandboxCommand): Promise<{ exitCode: number; stdout: string; stderr: string }>;
  spawn(
    options: SandboxCommand & { stdin: true },
  ): Promise<SandboxProcess & { readonly stdin: WritableStream<Uint8Array> }>;
  spawn(options: SandboxCommand & { stdin?: false }): Promise<SandboxProcess>;
  spawn(
    options: SandboxCommand & { stdin?: boolean },
  ): Promise<SandboxProcess | (SandboxProcess & { readonly stdin: WritableStream<Uint8Array> })>;
  readFile(options: SandboxPath): Promise<ReadableStream<Uint8Array> | null>;
  readBinaryFile(options: SandboxPath): Promise<Uint8Array | null>;
  readTextFile(
    options: SandboxPath & { encoding?: string; startLine?: number; endLine?: number },
  ): Promise<string | null>;
  writeFile(options: SandboxPath & { content: ReadableStream<Uint8Array> }): Promise<void>;
  writeBinaryFile(options: SandboxPath & { content: Uint8Array }): Promise<void>;
  writeTextFile(options: SandboxPath & { content: string; encoding?: string }): Promise<void>;
  stat(options: SandboxPath): Promise<{ type: 'file' | 'directory' | 'other'; size: number } | null>;
  listDirectory(
    options: SandboxPath,
  ): Promise<Array<{ name: string; type: 'file' | 'directory' | 'symlink' | 'other' }> | null>;
  deleteFile(options: SandboxPath): Promise<boolean>;
}

/**
 * Creates the AI SDK's sandbox interface (`experimental_sandbox` of version 7). Experimental, as there.
 *
 * The name is the SDK's: without `sandbox` and `target`, commands run as this user, without isolation. With
 * `root`, working directories and paths of the file methods must lie in it, by real paths. With `sandbox`,
 * the file methods are commands too, with the same limits and the same files, and follow links as commands
 * do. With `target`, they are `target.read()` and its like. In both cases they read files of at most 64 MiB;
 * on a target, `readFile()` reads larger ones too.
 *
 * @example
 * await using here = sandbox({ root: process.cwd() });
 * const { exitCode, stdout } = await here.run({ command: 'npm test' });
 */
export declare function sandbox(options?: SandboxOptions): SandboxSession;
