// Mastra's `WorkspaceSandbox`, on jobs of this package.

import { randomUUID } from 'node:crypto';
import type { JobOptions, RunOptions } from 'agent-bash';
import { Jobs, run, Target } from 'agent-bash';
import { invalid, isRecord, object } from '../options/checks.ts';
import { EXIT_CODE } from '../result/exit-code.ts';
import type {
  MastraCommandOptions,
  MastraCommandResult,
  MastraFile,
  MastraProcess,
  MastraProcesses,
  MastraSandbox,
  MastraSandboxOptions,
  MastraSpawnOptions,
} from './api/mastra.ts';
import { JobProcess } from './mastra-process.ts';
import { pathOnTarget, type SessionDirectory, writeWithDirectories } from './support/files-of-target.ts';
import { withWorkspace } from './support/with-workspace.ts';

const OPTIONS = [
  'id',
  'name',
  'instructions',
  'root',
  'cwd',
  'env',
  'extendEnv',
  'nonInteractive',
  'environment',
  'shell',
  'limits',
  'sandbox',
  'overlay',
  'target',
  'timeout',
  'policy',
  'approve',
] as const;

/** Writes the file `$1`, with the permissions `$2` if there are any. */
const WRITE = 'mkdir -p -- "$(dirname -- "$1")" && cat >"$1" && { [ -z "$2" ] || chmod "$2" -- "$1"; }';

/** Creates a sandbox of Mastra's workspaces, whose commands have these options. */
function mastraSandbox(given: MastraSandboxOptions = {}): MastraSandbox {
  return new WorkspaceSandbox(object('options', given, OPTIONS) as MastraSandboxOptions);
}

type CommandDefaults = Omit<MastraSandboxOptions, 'id' | 'name' | 'instructions' | 'target'>;

class WorkspaceSandbox implements MastraSandbox {
  readonly id: string;
  readonly name: string;
  readonly provider = 'agent-bash';
  readonly processes: MastraProcesses;
  status: MastraSandbox['status'] = 'pending';
  #options: CommandDefaults;
  #instructions: string | undefined;
  #given: MastraSandboxOptions['target'];
  #target: Target | undefined;
  #jobs: Jobs | undefined;
  #processes = new Map<string, JobProcess>();
  #createdAt = new Date();
  #lastUsedAt: Date | undefined;

  constructor({ id, name, instructions, target, ...options }: MastraSandboxOptions) {
    this.id = id ?? `agent-bash-${randomUUID()}`;
    this.name = name ?? 'agent-bash';
    this.#instructions = instructions;
    this.#given = target;
    this.#options = options;
    this.processes = {
      spawn: async (command, more) => this.#spawn(command, more),
      list: async () => [...this.#processes.values()].map(infoOf),
      get: async (pid) => this.#processes.get(pid),
      kill: async (pid) => (await this.#processes.get(pid)?.kill()) ?? false,
      release: (pid) => {
        if (this.#processes.get(pid)?.exitCode !== undefined) this.#processes.delete(pid);
      },
    };
    // Wrong options throw here, and not in the first command.
    void this.#surroundings;
  }

  async start(): Promise<void> {
    if (this.status === 'destroyed') throw new Error(`The sandbox '${this.id}' is destroyed`);
    this.#jobs ??= new Jobs();
    this.status = 'running';
  }

  /** Ends all processes, and the target that belongs to the sandbox. A later command starts it again. */
  async stop(): Promise<void> {
    const [jobs, target] = [this.#jobs, this.#target];
    this.#jobs = undefined;
    this.#target = undefined;
    this.#processes.clear();
    if (this.status !== 'destroyed') this.status = 'stopped';
    await jobs?.dispose();
    if (target !== this.#given) await target?.dispose();
  }

  async destroy(): Promise<void> {
    this.status = 'destroyed';
    await this.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.destroy();
  }

  async snapshot(): Promise<void> {}

  getInfo(): ReturnType<MastraSandbox['getInfo']> {
    const { id, name, provider, status } = this;
    return { id, name, provider, status, createdAt: this.#createdAt, lastUsedAt: this.#lastUsedAt };
  }

  getInstructions(): string {
    if (this.#instructions !== undefined) return this.#instructions;
    const { root, sandbox } = this.#options;
    const level = isRecord(sandbox) ? sandbox.level : sandbox;
    const parts = [
      'Commands are lines for a shell. Each one has a shell of its own: a `cd` lasts for one command.',
      this.#given !== undefined &&
        'They run on another machine or in a container, not where this agent runs.',
      root !== undefined && this.#given === undefined && `They start in ${String(root)}.`,
      level === 'read-only' && 'They run in a sandbox, in which they can write below /tmp only.',
      (level === 'workspace-write' || level === 'isolated') &&
        'They run in a sandbox, in which they can write below that directory and /tmp only.',
    ];
    return parts.filter((part) => part !== false).join(' ');
  }

  /** Never rejects. See {@link MastraSandbox.executeCommand}. */
  async executeCommand(
    command: string,
    args: readonly string[] = [],
    options: MastraCommandOptions = {},
  ): Promise<MastraCommandResult> {
    const line = [command, ...args.map(quoted)].join(' ');
    const all = { maxRetainedBytes: Infinity, ...options, stdinMode: 'ignore' as const };
    try {
      const process = await this.#spawn(line, all);
      const result = await process.wait();
      this.processes.release(process.pid);
      return { ...result, command, args: [...args] };
    } catch (error) {
      // The command is blank, or an option is wrong. The arguments are a model's, so the answer is a result.
      const stderr = `${(error as Error).message}\n`;
      const how = { success: false, exitCode: EXIT_CODE.failed, executionTimeMs: 0 };
      return { ...how, command, args: [...args], stdout: '', stderr };
    }
  }

  /**
   * Writes files where commands find them: by commands, within the same limits, or over the connection of the
   * target.
   */
  async writeFiles(
    files: readonly MastraFile[],
    { abortSignal }: { abortSignal?: AbortSignal | undefined } = {},
  ): Promise<void> {
    await this.start();
    for (const { path, content, mode } of files) {
      if (mode !== undefined && !(Number.isInteger(mode) && mode >= 0o1 && mode <= 0o777)) {
        throw Object.assign(invalid('mode', 'an integer from 0o001 to 0o777', mode), {
          code: 'INVALID_ARGUMENT',
        });
      }
      const { target } = this.#surroundings;
      if (target instanceof Target) {
        await writeOnTarget(target, this.#options, { path, content, mode }, abortSignal);
        continue;
      }
      const { policy: _, approve: __, timeout: ___, shell: ____, ...options } = this.#surroundings;
      const words = ['sh', '-c', WRITE, 'sh', path, mode === undefined ? '' : mode.toString(8)];
      const result = await run(words, { ...options, input: content, signal: abortSignal });
      if (result.status === 'aborted') throw aborted();
      if (result.exitCode !== 0) {
        throw new Error(`Cannot write ${path}: ${result.error?.message ?? result.stderr.trim()}`);
      }
    }
  }

  async #spawn(command: string, options: MastraSpawnOptions = {}): Promise<MastraProcess & JobProcess> {
    await this.start();
    this.#lastUsedAt = new Date();
    const { env, cwd, timeout, abortSignal, stdinMode } = options;
    const own = this.#surroundings;
    const started: JobOptions = {
      ...own,
      env: { ...own.env, ...env },
      cwd: cwd ?? own.cwd,
      timeout: timeout ?? own.timeout,
      signal: abortSignal,
      stdin: stdinMode === 'ignore' ? 'empty' : 'pipe',
    };
    const job = (this.#jobs as Jobs).start(command, started);
    const process = new JobProcess(job, options);
    this.#processes.set(process.pid, process);
    return process;
  }

  /** The options of a command, with the target that all commands share. */
  get #surroundings(): CommandDefaults & Pick<RunOptions, 'target'> {
    if (this.#given === undefined) return this.#options;
    this.#target ??=
      this.#given instanceof Target
        ? this.#given
        : new Target(withWorkspace(this.#given, this.#options.root));
    return { ...this.#options, target: this.#target };
  }
}

/** Writes a file on a target, with the errors of this interface. */
async function writeOnTarget(
  target: Target,
  directory: SessionDirectory,
  { path, content, mode }: MastraFile,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await writeWithDirectories(target, pathOnTarget(path, directory), content, { mode, signal });
  } catch (error) {
    if (signal?.aborted) throw aborted();
    throw new Error(`Cannot write ${path}: ${(error as Error).message}`, { cause: error });
  }
}

function aborted(): Error {
  return Object.assign(new Error('The write was aborted'), { code: 'ABORTED' });
}

function infoOf({
  pid,
  command,
  exitCode,
}: JobProcess): Awaited<ReturnType<MastraProcesses['list']>>[number] {
  return { pid, command, running: exitCode === undefined, exitCode };
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export { mastraSandbox };
