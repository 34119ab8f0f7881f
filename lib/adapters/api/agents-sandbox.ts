// The sandbox clients of the Agents SDK, by their structure.

import type { ToolsOptions } from '../../tools/api/index.ts';

/** The options of {@link agentsSandbox}: those of a toolset that the commands of a session have. */
export interface AgentsSandboxOptions
  extends Pick<
    ToolsOptions,
    | 'env'
    | 'extendEnv'
    | 'nonInteractive'
    | 'environment'
    | 'shell'
    | 'limits'
    | 'sandbox'
    | 'overlay'
    | 'policy'
    | 'approve'
    | 'timeout'
    | 'compat'
  > {}

/** The arguments of a session's commands. */
export interface AgentsExecArgs {
  cmd: string;
  workdir?: string;
  shell?: string;
  login?: boolean;
  tty?: boolean;
  yieldTimeMs?: number;
  maxOutputTokens?: number;
  runAs?: string;
}

/** The result of a session's `exec()`, which waits for the end of the command. */
export interface AgentsExecResult {
  output: string;
  stdout: string;
  stderr: string;
  wallTimeSeconds: number;
  exitCode?: number | null;
}

/** The part of a session that is replaced or used. */
export interface AgentsSandboxSession {
  state: { workspaceRootPath?: unknown; environment?: Record<string, string> };
  stop?(...args: unknown[]): Promise<void>;
  close?(...args: unknown[]): Promise<void>;
  assertSessionUsable?(): void;
  resolveCommandWorkdir?(path?: string): string;
  translateCommandInput?(command: string): string;
  translateCommandOutput?(output: string): string;
}

/** The part of a client that is replaced. */
export interface AgentsSandboxClient {
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's arguments and sessions have types of its own.
  create?(...args: any[]): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  resume?(...args: any[]): Promise<any>;
}

/**
 * Wraps a sandbox client of the Agents SDK whose sessions have their workspace on this machine, so that this
 * package runs the commands of its sessions, within `sandbox`, `overlay`, `limits` and `policy`: the tools of
 * the capability `shell()` are those of the dialect `codex-exec`, with terminals. Manifests, snapshots,
 * editors and ports stay the client's; these write as this process does. Another user (`runAs`) is an error.
 *
 * @example
 * const client = agentsSandbox(new UnixLocalSandboxClient(), { sandbox: 'workspace-write' });
 * await new Runner({ sandbox: { client } }).run(agent, 'Run the tests.');
 */
export declare function agentsSandbox<Client extends AgentsSandboxClient>(
  client: Client,
  options?: AgentsSandboxOptions,
): Client;
