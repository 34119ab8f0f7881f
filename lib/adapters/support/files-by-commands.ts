// The file methods of a sandbox session by commands, so that they reach the files that commands reach.

import { posix } from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { RunOptions } from 'agent-bash';
import { run } from 'agent-bash';
import type { SandboxPath, SandboxSession } from '../api/ai-sdk.ts';

export type FileMethods = Omit<SandboxSession, 'description' | 'run' | 'spawn' | typeof Symbol.asyncDispose>;

/** The largest file that is read (bytes): its content is held in memory. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The exit code by which a command says that there is no such file. */
const MISSING = 44;

const READ = `[ -e "$1" ] || exit ${MISSING}; cat -- "$1"`;
const WRITE = 'mkdir -p -- "$(dirname -- "$1")" && cat >"$1"';
const STAT = `[ -e "$1" ] || exit ${MISSING}
if [ -f "$1" ]; then echo file; wc -c <"$1"; elif [ -d "$1" ]; then echo directory; else echo other; fi`;
// A name may have a line break.
const LIST = `[ -e "$1" ] || exit ${MISSING}; cd -- "$1" || exit
for name in .* *; do case $name in .|..) continue;; esac
if [ -L "$name" ]; then kind=symlink; elif [ -f "$name" ]; then kind=file
elif [ -d "$name" ]; then kind=directory; elif [ -e "$name" ]; then kind=other; else continue; fi
printf '%s/%s\\0' "$kind" "$name"; done`;
const DELETE = `[ -e "$1" ] || [ -L "$1" ] || exit ${MISSING}; rm -- "$1"`;

type DirectoryEntry = { name: string; type: 'file' | 'directory' | 'symlink' | 'other' };

/**
 * Returns the file methods. `options` are those of the commands, with their directory and root. Paths outside
 * of the root are refused by their text; what they reach by links is up to the sandbox and the target.
 */
function filesByCommands(options: RunOptions): FileMethods {
  const { timeout: _, output: __, shell: ___, ...surroundings } = options;

  /** Runs a script with a path; resolves with its output, or with `null` where there is no such file. */
  async function act(
    script: string,
    { path, abortSignal }: SandboxPath,
    input?: string | Uint8Array,
  ): Promise<Uint8Array | null> {
    const result = await run(['sh', '-c', script, 'sh', inRoot(path, surroundings)], {
      ...surroundings,
      encoding: 'buffer',
      input,
      signal: abortSignal,
      output: { maxBytes: MAX_BYTES, keep: 'head' },
    });
    if (abortSignal?.aborted) throw abortSignal.reason;
    if (result.exitCode === MISSING) return null;
    if (result.exitCode !== 0) {
      throw new Error(`'${path}': ${result.error?.message ?? Buffer.from(result.stderr).toString().trim()}`);
    }
    if (result.totalBytes.stdout > MAX_BYTES) throw new Error(`'${path}': the file has more than 64 MiB`);
    return result.stdout;
  }

  const textOf = async (script: string, file: SandboxPath) => {
    const bytes = await act(script, file);
    return bytes && Buffer.from(bytes).toString();
  };
  return {
    async readFile(file) {
      const bytes = await act(READ, file);
      return (
        bytes && (Readable.toWeb(Readable.from([bytes])) as Awaited<ReturnType<FileMethods['readFile']>>)
      );
    },
    readBinaryFile: (file) => act(READ, file),
    async readTextFile({ encoding = 'utf-8', startLine, endLine, ...file }) {
      const bytes = await act(READ, file);
      if (bytes === null) return null;
      return linesOf(new TextDecoder(encoding).decode(bytes), startLine, endLine);
    },
    async writeFile({ content, ...file }) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of Readable.fromWeb(content as ReadableStream)) chunks.push(chunk);
      await act(WRITE, file, Buffer.concat(chunks));
    },
    async writeBinaryFile({ content, ...file }) {
      await act(WRITE, file, content);
    },
    async writeTextFile({ content, encoding = 'utf-8', ...file }) {
      await act(WRITE, file, Buffer.from(content, encoding as BufferEncoding));
    },
    async stat(file) {
      const text = await textOf(STAT, file);
      if (text === null) return null;
      const [type, size = '0'] = text.trim().split(/\s+/);
      return { type: type as 'file' | 'directory' | 'other', size: Number(size) };
    },
    async listDirectory(file) {
      const text = await textOf(LIST, file);
      if (text === null) return null;
      const entries = text.split('\0').slice(0, -1);
      return entries.map((entry): DirectoryEntry => {
        const slash = entry.indexOf('/');
        return { name: entry.slice(slash + 1), type: entry.slice(0, slash) as DirectoryEntry['type'] };
      });
    },
    deleteFile: async (file) => (await act(DELETE, file)) !== null,
  };
}

/** Returns a path as an absolute one, if there is a directory that it can be relative to. */
function inRoot(path: string, { root, cwd }: RunOptions): string {
  const base = cwd ?? root;
  const absolute = base === undefined ? path : posix.resolve(String(base), path);
  const top = root === undefined ? undefined : posix.resolve(String(root));
  if (top === undefined || absolute === top || absolute.startsWith(top === '/' ? top : `${top}/`))
    return absolute;
  throw Object.assign(new Error(`EACCES: '${path}' is outside of ${top}`), { code: 'EACCES', path });
}

/** Returns the lines of a text from `startLine` to `endLine`: 1-based, inclusive. */
function linesOf(text: string, startLine: number | undefined, endLine: number | undefined): string {
  if (startLine === undefined && endLine === undefined) return text;
  return text
    .split('\n')
    .slice((startLine ?? 1) - 1, endLine)
    .join('\n');
}

export { filesByCommands, linesOf };
