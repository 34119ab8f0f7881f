import { Buffer } from 'node:buffer';
import { createReadStream, createWriteStream, constants as fsConstants } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Jobs, run as runCommand } from 'agent-bash';
import { onAbort } from '../job/abort.ts';
import { object } from '../options/checks.ts';
import { Directory } from './support/directory.mjs';

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
];

/** Exit codes for commands that did not exit by themselves. Convention: shells and `timeout(1)`. */
const EXIT_CODE = { timeout: 124, idleTimeout: 124, denied: 126, aborted: 130, failed: 127 };

/** Unread output at which a spawned command is slowed down (bytes). 1 MiB: sixteen chunks of the engine. */
const HIGH_WATER_MARK = 1_048_576;

/**
 * Creates a session of the AI SDK's sandbox interface (experimental in version 7) on this machine.
 *
 * The SDK chose the name: commands run as this user, without isolation. `root` bounds working directories and
 * the paths of the file methods, not the files that a command opens.
 */
function sandbox(given = {}) {
  const { description, root, cwd, ...options } = object('options', given, OPTIONS);
  const directory = new Directory(root, cwd);
  const optionsIn = (workingDirectory) => ({
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
    spawn: (call) => spawnIn(jobs, optionsIn(call.workingDirectory), call),
    ...fileMethods(directory),
    [Symbol.asyncDispose]: () => jobs.dispose(),
  };
}

async function runIn(options, { command, env, abortSignal }) {
  const merged = { ...options, env: { ...options.env, ...env }, signal: abortSignal };
  let result;
  try {
    result = await runCommand(command, merged);
  } catch (error) {
    // The command is blank, or an option is wrong. The arguments are a model's, so the answer is a result.
    return { exitCode: EXIT_CODE.failed, stdout: '', stderr: `${error.message}\n` };
  }
  const { stdout, error, status } = result;
  const hasReason = error !== null && (status === 'failed' || status === 'denied');
  const stderr = hasReason ? `${result.stderr}${error.message}\n` : result.stderr;
  return { exitCode: exitCodeOf(result), stdout, stderr };
}

function exitCodeOf({ exitCode, signal, status }) {
  if (exitCode !== null) return exitCode;
  if (signal !== null && EXIT_CODE[status] === undefined) return 128 + (constants.signals[signal] ?? 0);
  return EXIT_CODE[status] ?? 1;
}

async function spawnIn(jobs, options, { command, env, abortSignal, stdin }) {
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
    ...(stdin && { stdin: Writable.toWeb(job.stdin) }),
    async wait() {
      const result = await job.result;
      if (result.status !== 'aborted') return { exitCode: exitCodeOf(result) };
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
function outputStreams(job) {
  const streams = { stdout: new Readable(streamOptions()), stderr: new Readable(streamOptions()) };
  void pump(job, streams);
  return { stdout: Readable.toWeb(streams.stdout), stderr: Readable.toWeb(streams.stderr) };
}

function streamOptions() {
  return {
    read() {
      this.emit('demand');
    },
    highWaterMark: HIGH_WATER_MARK,
  };
}

async function pump(job, streams) {
  for await (const { stream, text } of job) {
    const target = streams[stream];
    if (target.destroyed) continue;
    if (!target.push(Buffer.from(text))) await waitForDemand(target, job);
  }
  for (const stream of Object.values(streams)) stream.push(null);
}

/** Waits until the reader asks for more, the reader cancels, or the job ends. */
function waitForDemand(stream, job) {
  return Promise.race([
    new Promise((resolve) => {
      stream.once('demand', resolve);
      stream.once('close', resolve);
    }),
    job.result,
  ]);
}

function fileMethods(directory) {
  const bytesOf = async ({ path, abortSignal }) =>
    orNull(async () => readFile(await directory.resolve(path), { signal: abortSignal }));
  const write = async ({ path, content, abortSignal, ...options }) => {
    const target = await directory.resolve(path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content, { signal: abortSignal, ...options });
  };
  return {
    readFile: ({ path, abortSignal }) =>
      orNull(async () => {
        const file = await open(await directory.resolve(path), fsConstants.O_RDONLY);
        return Readable.toWeb(endedBy(abortSignal, createReadStream('', { fd: file })));
      }),
    readBinaryFile: bytesOf,
    async readTextFile({ encoding = 'utf-8', startLine, endLine, ...file }) {
      const bytes = await bytesOf(file);
      return bytes === null ? null : linesOf(new TextDecoder(encoding).decode(bytes), startLine, endLine);
    },
    async writeFile({ path, content, abortSignal }) {
      const target = await directory.resolve(path);
      await mkdir(dirname(target), { recursive: true });
      await pipeline(Readable.fromWeb(content), endedBy(abortSignal, createWriteStream(target)));
    },
    writeBinaryFile: write,
    writeTextFile: ({ encoding, ...file }) => write({ ...file, encoding: encoding ?? 'utf-8' }),
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
function endedBy(signal, stream) {
  if (!signal) return stream;
  const end = () => stream.destroy(signal.reason);
  stream.once('close', onAbort(signal, end));
  // The caller has no listener yet.
  if (signal.aborted) process.nextTick(end);
  return stream;
}

/** Returns the result of a file operation, or `null` for a missing file. */
async function orNull(act, absent = ['ENOENT', 'ENOTDIR']) {
  try {
    return await act();
  } catch (error) {
    if (absent.includes(error.code)) return null;
    throw error;
  }
}

function typeOf(entry) {
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'directory' : 'other';
}

/** Returns the lines from `startLine` to `endLine`: 1-based, inclusive. */
function linesOf(text, startLine, endLine) {
  if (startLine === undefined && endLine === undefined) return text;
  return text
    .split('\n')
    .slice((startLine ?? 1) - 1, endLine)
    .join('\n');
}

export { sandbox };
