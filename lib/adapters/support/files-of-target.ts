// The file methods of a sandbox session on a target.

import { Buffer } from 'node:buffer';
import { posix, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { fileURLToPath } from 'node:url';
import type { Target, TargetFileOptions } from 'agent-bash';
import type { SandboxPath } from '../api/ai-sdk.ts';
import { type FileMethods, linesOf } from './files-by-commands.ts';

/** The size of one piece of a stream (bytes). */
const PIECE = 1024 * 1024;

/** The directory of a session: the commands' `root` and `cwd`. */
export interface SessionDirectory {
  root?: string | URL | undefined;
  cwd?: string | URL | undefined;
}

/** Returns the file methods. A relative path is below the directory in which commands start. */
function filesOfTarget(target: Target, directory: SessionDirectory): FileMethods {
  const root = rootOf(directory);
  const at = (path: string) => pathOnTarget(path, directory);
  const bytesOf = ({ path, abortSignal }: SandboxPath) =>
    orNull(target.read(at(path), { root, signal: abortSignal }));
  const write = (file: SandboxPath, content: Uint8Array) =>
    writeWithDirectories(target, at(file.path), content, { root, signal: file.abortSignal });
  return {
    async readFile({ path, abortSignal }) {
      const read = (from: number) =>
        target.read(at(path), { root, from, maxBytes: PIECE, signal: abortSignal });
      const first = await orNull(read(0));
      if (first === null) return null;
      const stream = Readable.from(piecesOf(first, read), { objectMode: false });
      return Readable.toWeb(stream) as Awaited<ReturnType<FileMethods['readFile']>>;
    },
    readBinaryFile: bytesOf,
    async readTextFile({ encoding = 'utf-8', startLine, endLine, ...file }) {
      const bytes = await bytesOf(file);
      return bytes === null ? null : linesOf(new TextDecoder(encoding).decode(bytes), startLine, endLine);
    },
    async writeFile({ content, ...file }) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of Readable.fromWeb(content as ReadableStream)) chunks.push(chunk);
      await write(file, Buffer.concat(chunks));
    },
    writeBinaryFile: ({ content, ...file }) => write(file, content),
    writeTextFile: ({ content, encoding = 'utf-8', ...file }) =>
      write(file, Buffer.from(content, encoding as BufferEncoding)),
    async stat({ path, abortSignal }) {
      const found = await orNull(target.stat(at(path), { root, signal: abortSignal }));
      if (found === null) return null;
      return { type: found.type === 'symlink' ? 'other' : found.type, size: found.size };
    },
    async listDirectory({ path, abortSignal }) {
      const entries = await orNull(target.list(at(path), { root, signal: abortSignal }), ['ENOENT']);
      return entries === null ? null : entries.map(({ name, type }) => ({ name, type }));
    },
    async deleteFile({ path, abortSignal }) {
      const options = { root, signal: abortSignal };
      const found = await orNull(target.stat(at(path), { ...options, followLinks: false }));
      if (found === null) return false;
      if (found.isDirectory()) {
        throw Object.assign(new Error(`EISDIR: '${path}' is a directory`), { code: 'EISDIR', path });
      }
      await target.remove(at(path), options);
      return true;
    },
  };
}

/** Returns a path as an absolute one, if there is a directory that it can be relative to. */
function pathOnTarget(path: string, directory: SessionDirectory): string {
  const { cwd } = directory;
  const base = [rootOf(directory), cwd === undefined ? undefined : String(cwd)];
  const known = base.filter((part) => part !== undefined);
  return known.length === 0 ? path : posix.resolve(...known, path);
}

/** Returns the root there. A relative one, or a URL, is the workspace here of a container. */
function rootOf({ root }: SessionDirectory): string | undefined {
  if (root instanceof URL) return fileURLToPath(root);
  return root === undefined ? undefined : resolve(root);
}

/** Writes a file, and makes the directories above it. */
async function writeWithDirectories(
  target: Target,
  path: string,
  content: string | Uint8Array,
  { mode, ...options }: TargetFileOptions & { mode?: number | undefined },
): Promise<void> {
  await target.mkdir(posix.dirname(path), { ...options, recursive: true });
  await target.write(path, content, { ...options, mode });
}

/** Reads a file piece by piece. The first piece was read already. */
async function* piecesOf(
  first: Buffer,
  read: (from: number) => Promise<Buffer>,
): AsyncGenerator<Buffer, void> {
  let from = 0;
  for (let piece = first; piece.length > 0; piece = await read(from)) {
    yield piece;
    if (piece.length < PIECE) return;
    from += piece.length;
  }
}

/** Returns the result of an operation, or `null` for a missing file. */
async function orNull<Found>(
  operation: Promise<Found>,
  absent: string[] = ['ENOENT', 'ENOTDIR'],
): Promise<Found | null> {
  try {
    return await operation;
  } catch (error) {
    if (absent.includes(String((error as NodeJS.ErrnoException).code))) return null;
    throw error;
  }
}

export { filesOfTarget, pathOnTarget, writeWithDirectories };
