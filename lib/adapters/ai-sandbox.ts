import { Buffer } from 'node:buffer';
import type { EventEmitter } from 'node:events';
import type { Dirent, ReadStream, Stats, WriteStream } from 'node:fs';
import { createReadStream, createWriteStream, constants as fsConstants } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { Readable, type ReadableOptions, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Job, RunOptions, RunResult } from 'agent-bash';
import { Jobs, run as runCommand, Target, type TargetOptions } from 'agent-bash';
import { addAbortListener } from '../job/abort.ts';
import { object } from '../options/checks.ts';
import { EXIT_CODE } from '../result/exit-code.ts';
import type {
  SandboxCommand,
  SandboxOptions,
  SandboxPath,
  SandboxProcess,
  SandboxSession,
} from './api/ai-sdk.ts';
import { Directory } from './support/directory.ts';
import { sdkExitCode } from './support/exit-code.ts';
import { type FileMethods, filesByCommands, linesOf } from './support/files-by-commands.ts';
import { filesOfTarget } from './support/files-of-target.ts';
import { withWorkspace } from './support/with-workspace.ts';

/** The checked options of a session that its commands get. */
type CommandDefaults = Omit<SandboxOptions, 'description'>;
type Streams = { stdout: Readable; stderr: Readable };

type SpawnCall = SandboxCommand & { stdin?: boolean };

type WriteCall = SandboxPath & { content: string | Uint8Array; encoding?: BufferEncoding };

const OPTIONS = [
  'description',
  'root',
  'cwd',
  'env',
  'extendEnv',
  'nonInteractive',
  'shell',
  'limits',
  'timeout',
  'output',
  'sandbox',
  'target',
] as const;

/** Unread output at which a spawned command is slowed down (bytes). 1 MiB: sixteen chunks of the engine. */
const HIGH_WATER_MARK = 1_048_576;

/**
 * Creates a session of the AI SDK's sandbox interface (experimental in version 7).
 *
 * The SDK chose the name: without the options `sandbox` and `target`, commands run as this user, without
 * isolation. Then `root` bounds working directories and the paths of the file methods, not the files that a
 * command opens. In a sandbox, the file methods are commands too; on a target, they use its connection.
 */
function sandbox(given: SandboxOptions = {}): SandboxSession {
  const options = object('options', given, OPTIONS) as SandboxOptions;
  if (options.target !== undefined) return onTarget(options);
  return onThisMachine(options);
}

/** A session whose commands and file methods are carried out on a target. */
function onTarget({ description, target: given, ...options }: SandboxOptions): SandboxSession {
  const target =
    given instanceof Target ? given : new Target(withWorkspace(given as TargetOptions, options.root));
  const jobs = new Jobs();
  const optionsIn = (workingDirectory: string | undefined): CommandDefaults => ({
    ...options,
    target,
    ...(workingDirectory !== undefined && { cwd: workingDirectory }),
  });
  return {
    description:
      description ??
      'Commands run on another machine or in a container, by a POSIX shell; a `cd` lasts for one command.',
    run: async (call) => runIn(optionsIn(call.workingDirectory), call),
    spawn: ((call: SpawnCall) =>
      spawnIn(jobs, optionsIn(call.workingDirectory), call)) as SandboxSession['spawn'],
    ...filesOfTarget(target, options),
    async [Symbol.asyncDispose]() {
      await jobs.dispose();
      if (target !== given) await target.dispose();
    },
  };
}

/** A session on this machine: its file methods are Node.js's own, or commands within the sandbox. */
function onThisMachine({ description, root, cwd, ...options }: SandboxOptions): SandboxSession {
  const directory = new Directory(root, cwd);
  const optionsIn = (workingDirectory: string | undefined): CommandDefaults => ({
    ...options,
    root: directory.root,
    cwd: workingDirectory === undefined ? directory.base : directory.absolute(workingDirectory),
  });
  const jobs = new Jobs();
  return {
    description:
      description ??
      `Commands run on this machine by a POSIX shell. The working directory is ${directory.base}; a \`cd\` lasts for one command.`,
    run: async (call) => runIn(optionsIn(call.workingDirectory), call),
    // Whether there is an input depends on the call, as the type of the method says.
    spawn: ((call: SpawnCall) =>
      spawnIn(jobs, optionsIn(call.workingDirectory), call)) as SandboxSession['spawn'],
    ...(options.sandbox ? filesByCommands(optionsIn(undefined)) : fileMethods(directory)),
    [Symbol.asyncDispose]: () => jobs.dispose(),
  };
}

async function runIn(
  options: CommandDefaults,
  { command, env, abortSignal }: SandboxCommand,
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const merged: RunOptions = { ...options, env: { ...options.env, ...env }, signal: abortSignal };
  let result: RunResult;
  try {
    result = await runCommand(command, merged);
  } catch (error) {
    // The command is blank, or an option is wrong. The arguments are a model's, so the answer is a result.
    return { exitCode: EXIT_CODE.failed, stdout: '', stderr: `${(error as Error).message}\n` };
  }
  const { stdout, error, status } = result;
  const hasReason = error !== null && (status === 'failed' || status === 'denied');
  const stderr = hasReason ? `${result.stderr}${error.message}\n` : result.stderr;
  return { exitCode: sdkExitCode(result), stdout, stderr };
}

async function spawnIn(
  jobs: Jobs,
  options: CommandDefaults,
  { command, env, abortSignal, stdin }: SpawnCall,
): Promise<SandboxProcess> {
  const job = jobs.start(command, {
    ...options,
    env: { ...options.env, ...env },
    signal: abortSignal,
    stdin: stdin ? 'pipe' : 'empty',
  });
  const streams = outputStreams(job);
  return {
    get pid() {
      return job.pid ?? undefined;
    },
    ...streams,
    ...(job.stdin !== null && { stdin: Writable.toWeb(job.stdin) }),
    async wait() {
      const result = await job.result;
      if (result.status !== 'aborted') return { exitCode: sdkExitCode(result) };
      if (abortSignal?.aborted) throw abortSignal.reason;
      // `kill()` was called before the process was started.
      return { exitCode: 128 + constants.signals.SIGTERM };
    },
    async kill() {
      job.kill();
      await job.result;
    },
  };
}

/**
 * Returns both streams of a job as web streams. A full stream that nobody reads blocks the command, as a pipe
 * does.
 */
function outputStreams(job: Job): Pick<SandboxProcess, 'stdout' | 'stderr'> {
  const streams = { stdout: new Readable(streamOptions()), stderr: new Readable(streamOptions()) };
  void pump(job, streams);
  return { stdout: webStream(streams.stdout), stderr: webStream(streams.stderr) };
}

function webStream(stream: Readable): SandboxProcess['stdout'] {
  return Readable.toWeb(stream) as SandboxProcess['stdout'];
}

function streamOptions(): ReadableOptions {
  return {
    read(this: Readable) {
      this.emit('demand');
    },
    highWaterMark: HIGH_WATER_MARK,
  };
}

async function pump(job: Job, streams: Streams): Promise<void> {
  for await (const { stream, text } of job) {
    const target = streams[stream];
    if (target.destroyed) continue;
    if (!target.push(Buffer.from(text))) await waitForDemand(target, job);
  }
  for (const stream of Object.values(streams)) stream.push(null);
}

/** Waits until the reader asks for more, the reader cancels, or the job ends. */
function waitForDemand(stream: Readable, job: Job): Promise<unknown> {
  return Promise.race([
    new Promise((resolve) => {
      stream.once('demand', resolve);
      stream.once('close', resolve);
    }),
    job.result,
  ]);
}

function fileMethods(directory: Directory): FileMethods {
  const bytesOf = async ({ path, abortSignal }: SandboxPath) =>
    orNull(async () => readFile(await directory.resolve(path), { signal: abortSignal }));
  const write = async ({ path, content, abortSignal, ...options }: WriteCall) => {
    const target = await directory.resolve(path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content, { signal: abortSignal, ...options });
  };
  return {
    readFile: ({ path, abortSignal }) =>
      orNull(async () => {
        const file = await open(await directory.resolve(path), fsConstants.O_RDONLY);
        return webStream(endedBy(abortSignal, createReadStream('', { fd: file })));
      }),
    readBinaryFile: bytesOf,
    async readTextFile({ encoding = 'utf-8', startLine, endLine, ...file }) {
      const bytes = await bytesOf(file);
      return bytes === null ? null : linesOf(new TextDecoder(encoding).decode(bytes), startLine, endLine);
    },
    async writeFile({ path, content, abortSignal }) {
      const target = await directory.resolve(path);
      await mkdir(dirname(target), { recursive: true });
      await pipeline(
        Readable.fromWeb(content as ReadableStream),
        endedBy(abortSignal, createWriteStream(target)),
      );
    },
    writeBinaryFile: write,
    writeTextFile: ({ encoding, ...file }) =>
      write({ ...file, encoding: (encoding ?? 'utf-8') as BufferEncoding }),
    stat: ({ path }) =>
      orNull(async () => {
        const found = await stat(await directory.resolve(path));
        return { type: typeOf(found), size: found.size };
      }),
    listDirectory: ({ path }) =>
      orNull(async () => {
        const entries = await readdir(await directory.resolve(path), { withFileTypes: true });
        return entries.map((entry) => ({
          name: entry.name,
          type: entry.isSymbolicLink() ? 'symlink' : typeOf(entry),
        }));
      }, ['ENOENT']),
    async deleteFile({ path }) {
      const target = await directory.resolve(path, { followsLast: false });
      const found = await orNull(() => lstat(target));
      if (found === null) return false;
      await unlink(target);
      return true;
    },
  };
}

/**
 * Ends a stream when the signal fires. Given the signal, each stream would add a listener of its own, and
 * Node.js warns of a leak from the eleventh on.
 */
function endedBy<Stream extends ReadStream | WriteStream>(
  signal: AbortSignal | undefined,
  stream: Stream,
): Stream {
  if (!signal) return stream;
  const end = () => stream.destroy(signal.reason);
  const events: EventEmitter = stream;
  events.once('close', addAbortListener(signal, end));
  // The caller has no listener yet.
  if (signal.aborted) process.nextTick(end);
  return stream;
}

/** Returns the result of a file operation, or `null` for a missing file. */
async function orNull<Found>(
  act: () => Promise<Found>,
  absent: string[] = ['ENOENT', 'ENOTDIR'],
): Promise<Found | null> {
  try {
    return await act();
  } catch (error) {
    if (absent.includes(String((error as NodeJS.ErrnoException).code))) return null;
    throw error;
  }
}

function typeOf(entry: Dirent | Stats): 'file' | 'directory' | 'other' {
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'directory' : 'other';
}

export { sandbox };
