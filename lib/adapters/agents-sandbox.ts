// A sandbox client of the Agents SDK whose commands are run by this package.

import { userInfo } from 'node:os';
import type { RunOptions } from 'agent-bash';
import { run } from 'agent-bash';
import type { ToolData, Toolset } from 'agent-bash/tools';
import { createTools } from 'agent-bash/tools';
import { invalid, isRecord, object } from '../options/checks.ts';
import type {
  AgentsExecArgs,
  AgentsExecResult,
  AgentsSandboxClient,
  AgentsSandboxOptions,
  AgentsSandboxSession,
} from './api/agents-sandbox.ts';
import { sdkExitCode } from './support/exit-code.ts';

const OPTIONS = [
  'env',
  'extendEnv',
  'nonInteractive',
  'environment',
  'shell',
  'limits',
  'sandbox',
  'overlay',
  'policy',
  'approve',
  'timeout',
  'compat',
] as const;

/** The most output of each stream of `exec()` (bytes): the SDK reads data of its own by it. */
const EXEC_BYTES = 16 * 1024 * 1024;

/**
 * Wraps a client whose sessions have their workspace on this machine, such as `UnixLocalSandboxClient`.
 * Manifests, snapshots, editors and ports stay the client's.
 */
function agentsSandbox<Client extends AgentsSandboxClient>(
  client: Client,
  given: AgentsSandboxOptions = {},
): Client {
  if (!isRecord(client) || typeof client.create !== 'function') {
    throw invalid('client', 'a sandbox client of the Agents SDK', client);
  }
  const options = object('options', given, OPTIONS) as AgentsSandboxOptions;
  const wrapped = (name: 'create' | 'resume') => {
    const own = client[name];
    if (own === undefined) return undefined;
    return async (...args: never[]) => withCommands(await own.apply(client, args), options);
  };
  const replaced: Record<PropertyKey, unknown> = { create: wrapped('create'), resume: wrapped('resume') };
  return new Proxy(client, {
    get(target, name) {
      if (name in replaced) return replaced[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Replaces the methods of a session by which commands run, and those that end it. */
function withCommands(session: AgentsSandboxSession, options: AgentsSandboxOptions): AgentsSandboxSession {
  const root = session.state.workspaceRootPath;
  if (typeof root !== 'string') {
    throw invalid('client', 'a client with workspaces on this machine', session.state);
  }
  let toolset: Toolset | undefined;
  // As in the client's own, the workspace is the home; a sandbox has a private one instead.
  const isConfined = Boolean(options.sandbox) || options.overlay !== undefined;
  const home = isConfined ? {} : { HOME: root };
  const surroundings = () => ({
    ...options,
    root,
    cwd: root,
    env: { ...home, ...session.state.environment, ...options.env },
  });
  const tools = () => {
    session.assertSessionUsable?.();
    toolset ??= createTools('codex-exec', surroundings());
    return toolset;
  };
  const end = async () => {
    const ended = toolset;
    toolset = undefined;
    await ended?.dispose();
  };
  const directoryOf = (workdir: string | undefined) =>
    session.resolveCommandWorkdir?.(workdir) ?? workdir ?? root;
  const lineOf = (cmd: string) => session.translateCommandInput?.(cmd) ?? cmd;
  const shown = (text: string) => session.translateCommandOutput?.(text) ?? text;
  const textOf = async (name: string, args: ToolData) => shown((await tools().call(name, args)).text);
  const endedBefore = (name: 'stop' | 'close') => {
    const own = session[name]?.bind(session);
    return async (...args: unknown[]) => {
      await end();
      await own?.(...args);
    };
  };
  return Object.assign(session, {
    supportsPty: () => true,
    async execCommand({
      cmd,
      workdir,
      shell,
      login,
      tty,
      yieldTimeMs,
      maxOutputTokens,
      runAs,
    }: AgentsExecArgs) {
      refuseOthers(runAs);
      return textOf('exec_command', {
        cmd: lineOf(cmd),
        workdir: directoryOf(workdir),
        shell,
        login,
        tty,
        yield_time_ms: yieldTimeMs,
        max_output_tokens: maxOutputTokens,
      });
    },
    async writeStdin(args: {
      sessionId: number;
      chars?: string;
      yieldTimeMs?: number;
      maxOutputTokens?: number;
    }) {
      return textOf('write_stdin', {
        session_id: args.sessionId,
        chars: args.chars,
        yield_time_ms: args.yieldTimeMs,
        max_output_tokens: args.maxOutputTokens,
      });
    },
    async exec({ cmd, workdir, shell, login = true, runAs }: AgentsExecArgs): Promise<AgentsExecResult> {
      refuseOthers(runAs);
      session.assertSessionUsable?.();
      const { compat: _, approve: __, timeout, ...own } = surroundings();
      const asked = shell === undefined ? own.shell : [shell, login ? '-lc' : '-c'];
      const all: RunOptions = {
        ...own,
        shell: asked,
        timeout: typeof timeout === 'number' ? timeout : timeout?.default,
        cwd: directoryOf(workdir),
        output: { maxBytes: EXEC_BYTES, keep: 'head' },
      };
      const result = await run(lineOf(cmd), all);
      const reason =
        result.status === 'failed' || result.status === 'denied' ? `${result.error?.message}\n` : '';
      return {
        output: shown(result.output + reason),
        stdout: shown(result.stdout),
        stderr: shown(result.stderr + reason),
        wallTimeSeconds: result.durationMs / 1000,
        exitCode: sdkExitCode(result),
      };
    },
    stop: endedBefore('stop'),
    close: endedBefore('close'),
  });
}

/** Refuses another user than the one of this process. */
function refuseOthers(runAs: string | undefined): void {
  if (runAs === undefined || runAs.trim() === '') return;
  const { username, uid } = userInfo();
  if (runAs !== username && runAs !== String(uid)) {
    throw new Error(`Commands run as '${username}'; runAs '${runAs}' is not possible`);
  }
}

export { agentsSandbox };
