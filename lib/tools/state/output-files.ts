// The files with the whole output of commands that answers have named.

import { lstatSync } from 'node:fs';
import { joinWords } from '../../addon/native.ts';
import type { RunResult } from '../../result/api.ts';
import { removeSpill } from '../../result/result.ts';
import type { BinaryFields, OutputFile } from '../outcomes.ts';
import { binaryFields } from '../perform/outcome.ts';

/**
 * The most disk space for files that were made only for a view (bytes); the oldest ones are removed first.
 */
const MAX_BYTES = 256 * 1024 * 1024;

/** A file that an answer has named. */
export interface NamedFile {
  path: string;
  device: bigint;
  inode: bigint;
  exitCode: number | null;
  signal: string | null;
  /** The disk space that counts, which is that of files for this toolset alone (bytes). */
  bytes: number;
  isOurs: boolean;
  file: OutputFile;
  /** The fields of an outcome about binary output. */
  binary: BinaryFields & { stdoutBytes: number; stderrBytes: number };
}

/** The files of one toolset. */
class OutputFiles {
  /** path -> its file, the oldest first. */
  #files = new Map<string, NamedFile>();
  #bytes = 0;

  /**
   * Adds the file of a result, if it has one; the result of a command that is over replaces that of the same
   * command before. `isOurs` tells whether only this toolset needs the file.
   */
  add(result: RunResult, isOurs: boolean): void {
    const { spillPath, spill, exitCode, signal, totalBytes } = result;
    if (spillPath === null) return;
    const known = this.#files.get(spillPath);
    const identity = known ?? identityOf(spillPath);
    if (identity === undefined) return;
    const bytes = isOurs ? (spill?.bytes ?? 0) : 0;
    this.#bytes += bytes - (known?.bytes ?? 0);
    this.#files.set(spillPath, {
      path: spillPath,
      device: identity.device,
      inode: identity.inode,
      exitCode,
      signal,
      bytes,
      isOurs,
      file: { path: spillPath, bytes: spill?.bytes ?? 0, isPart: spill?.complete === false },
      binary: {
        ...binaryFields(result),
        stdoutBytes: totalBytes.stdout,
        stderrBytes: totalBytes.stderr,
      },
    });
    for (const file of this.#files.values()) {
      if (this.#bytes <= MAX_BYTES) break;
      if (file.isOurs && file.path !== spillPath) this.#remove(file);
    }
  }

  /**
   * Returns the file of this path, plain or quoted for a shell. Throws for any other file, also for one that
   * a command has put in place of ours: a link could lead anywhere.
   */
  get(path: string): NamedFile {
    const isSame = (file: NamedFile) => file.path === path || joinWords([file.path]) === path;
    const file = [...this.#files.values()].find(isSame);
    if (file === undefined)
      throw new Error(`'path' is not a file with output that an answer has named: ${path}`);
    const identity = identityOf(file.path);
    if (identity === undefined) throw new Error(`the output is no longer kept: ${path}`);
    if (identity.device !== file.device || identity.inode !== file.inode)
      throw new Error(`the file is not the one with the output any more: ${path}`);
    return file;
  }

  /** Removes the files that only this toolset needs. */
  async dispose(): Promise<void> {
    const all = [...this.#files.values()].filter(({ isOurs }) => isOurs);
    await Promise.all(all.map((file) => this.#remove(file)));
  }

  #remove(file: NamedFile): Promise<void> {
    this.#files.delete(file.path);
    this.#bytes -= file.bytes;
    return removeSpill({ spillPath: file.path }).catch(() => {});
  }
}

/** Returns the identity of the file at a path; `undefined` if there is none. */
function identityOf(path: string): { device: bigint; inode: bigint } | undefined {
  try {
    const status = lstatSync(path, { bigint: true });
    return status.isFile() ? { device: status.dev, inode: status.ino } : undefined;
  } catch {
    return undefined;
  }
}

export { OutputFiles };
