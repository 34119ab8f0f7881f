// The files of a target: checks the arguments, and makes promises of the addon's answers.

import { Buffer } from 'node:buffer';
import { isAbsolute, resolve } from 'node:path';
import type { FileFailure, FileState, FilesAnswer, NativeTarget, PlaceSpec } from '../addon/addon-types.ts';
import { ref, register, unref, unregister } from '../addon/binding.ts';
import { addAbortListener } from '../job/abort.ts';
import { abortSignal, boolean, bytes, callback, integer, invalid, object } from '../options/checks.ts';
import type {
  TargetStats as PublicStats,
  TargetCopyProgress,
  TargetCopyReport,
  TargetEntry,
} from './files-api.ts';

/** The most bytes that are read unless a caller says otherwise. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The highest mode: permissions alone. */
const MAX_MODE = 0o777;

type Path = string | Uint8Array;
type Options = Record<string, unknown> | undefined;

/** A call of the addon, which answers by an event with this id. */
interface Call {
  /** The name of the operation, and the path, for errors. */
  operation: string;
  path: Path;
  signal: AbortSignal | undefined;
  start: (id: number) => void;
  onProgress?: ((progress: TargetCopyProgress) => void) | undefined;
}

async function readFile(native: NativeTarget, path: Path, given: Options): Promise<Buffer> {
  const { from, maxBytes, ...options } = optionsOf(given, ['from', 'maxBytes']);
  const begin = integer('options.from', from, 0, Number.MAX_SAFE_INTEGER, 'bytes') ?? 0;
  const most = integer('options.maxBytes', maxBytes, 0, 2 ** 31 - 1, 'bytes');
  const place = placeOf(native, path, options);
  const answer = await call(native, {
    operation: 'read',
    path,
    signal: options.signal,
    start: (id) => native.readFile(id, place, begin, most ?? MAX_BYTES, most === undefined),
  });
  return answer.bytes as Buffer;
}

async function writeFile(native: NativeTarget, path: Path, data: unknown, given: Options): Promise<void> {
  const { mode, atomic, ...options } = optionsOf(given, ['mode', 'atomic']);
  const permissions = modeOf(mode);
  const isAtomic = boolean('options.atomic', atomic) ?? false;
  const place = placeOf(native, path, options);
  const content = bytes('data', data);
  await call(native, {
    operation: 'write',
    path,
    signal: options.signal,
    start: (id) => native.writeFile(id, place, content, permissions, isAtomic),
  });
}

async function statFile(native: NativeTarget, path: Path, given: Options): Promise<PublicStats> {
  const { followLinks, ...options } = optionsOf(given, ['followLinks']);
  const follows = boolean('options.followLinks', followLinks) ?? true;
  const place = placeOf(native, path, options);
  const { signal } = options;
  const start = (id: number) => native.statFile(id, place, follows);
  const { stat } = await call(native, { operation: 'stat', path, signal, start });
  return new TargetStats(stat as FileState);
}

async function listFiles(native: NativeTarget, path: Path, given: Options): Promise<TargetEntry[]> {
  const options = optionsOf(given, []);
  const place = placeOf(native, path, options);
  const start = (id: number) => native.listFiles(id, place);
  const { entries = [] } = await call(native, { operation: 'list', path, signal: options.signal, start });
  return entries.map(({ name, raw, stat, link }) =>
    Object.assign(new TargetStats(stat), { name, raw: raw ?? null, linkTarget: link ?? null }),
  );
}

async function makeDirectory(native: NativeTarget, path: Path, given: Options): Promise<void> {
  const { recursive, mode, ...options } = optionsOf(given, ['recursive', 'mode']);
  const permissions = modeOf(mode);
  const isRecursive = boolean('options.recursive', recursive) ?? false;
  const place = placeOf(native, path, options);
  const start = (id: number) => native.makeDirectory(id, place, isRecursive, permissions);
  await call(native, { operation: 'mkdir', path, signal: options.signal, start });
}

async function removeFile(native: NativeTarget, path: Path, given: Options): Promise<void> {
  const { recursive, force, ...options } = optionsOf(given, ['recursive', 'force']);
  const isRecursive = boolean('options.recursive', recursive) ?? false;
  const isForced = boolean('options.force', force) ?? false;
  const place = placeOf(native, path, options);
  const start = (id: number) => native.removeFile(id, place, isRecursive);
  try {
    await call(native, { operation: 'remove', path, signal: options.signal, start });
  } catch (error) {
    if (!(isForced && (error as NodeJS.ErrnoException).code === 'ENOENT')) throw error;
  }
}

/** Copies in either direction: `local` is a path here, `there` one on the target. */
async function copyFiles(
  native: NativeTarget,
  paths: { local: unknown; there: Path; isToTarget: boolean },
  given: Options,
): Promise<TargetCopyReport> {
  const { onProgress, ...options } = optionsOf(given, ['onProgress']);
  const { local, there, isToTarget } = paths;
  const here = { path: Buffer.from(bytesOfPath('local', local)) };
  const path = Buffer.from(here.path);
  if (path[0] !== SLASH) here.path = Buffer.from(resolve(path.toString()));
  const place = placeOf(native, there, options);
  const answer = await call(native, {
    operation: isToTarget ? 'copyTo' : 'copyFrom',
    path: there,
    signal: options.signal,
    start: (id) => native.copyFiles(id, here, place, isToTarget),
    onProgress: callback('options.onProgress', onProgress) as Call['onProgress'],
  });
  const { files, directories, links, bytes: copied, resumed, skipped } = answer.copied as Copied;
  return { files, directories, links, bytes: copied, resumedBytes: resumed, skipped };
}

type Copied = NonNullable<FilesAnswer['copied']>;

const SLASH = 0x2f;

/** Starts a call, and returns its answer, or throws its error. */
function call(
  native: NativeTarget,
  { operation, path, signal, start, onProgress }: Call,
): Promise<FilesAnswer> {
  signal?.throwIfAborted();
  return new Promise((done, failed) => {
    let forget: (() => void) | undefined;
    const isCopy = operation.startsWith('copy');
    const end = () => {
      unregister(id);
      unref();
      forget?.();
    };
    const id = register((event) => {
      if (event.kind !== 'files') return;
      const answer = event.files;
      if (answer.isProgress) {
        onProgress?.(progressOf(answer.copied as Copied));
        return;
      }
      end();
      if (answer.error === undefined) done(answer);
      else failed(answer.error.isAborted ? signal?.reason : errorOf(answer.error, operation, path));
    });
    ref();
    if (signal !== undefined) {
      forget = addAbortListener(signal, () => {
        native.cancelFiles(id);
        // A copy removes its partial copy first, which its last event reports.
        if (isCopy) return;
        end();
        failed(signal.reason);
      });
    }
    try {
      start(id);
    } catch (error) {
      end();
      failed(error);
    }
  });
}

function progressOf({ files, directories, links, bytes: copied, total }: Copied): TargetCopyProgress {
  return { files, directories, links, bytes: copied, totalBytes: total };
}

/** Returns the error of a call, with the properties that those of `node:fs` have. */
function errorOf(failure: FileFailure, operation: string, path: Path): Error {
  const { code, message, path: failed, isThere, partial, isOfFile } = failure;
  const shown = failed ?? (typeof path === 'string' ? path : Buffer.from(path).toString());
  const place = isThere ? '' : ' on this machine';
  const text = isOfFile ? `${code}: ${message}, ${operation} '${shown}'${place}` : message;
  const more = partial === undefined ? {} : { partial };
  return Object.assign(new Error(text), { code, path: shown, syscall: operation, ...more });
}

/** Checks the options that all operations have, and those of one. */
function optionsOf<Name extends string>(
  given: Options,
  names: readonly Name[],
): { [Each in Name]?: unknown } & { root: unknown; signal: AbortSignal | undefined } {
  const options = object('options', given ?? {}, ['root', 'signal', ...names]);
  const { root, signal } = options as { root?: unknown; signal?: unknown };
  return { ...options, root, signal: abortSignal('options.signal', signal) } as ReturnType<
    typeof optionsOf<Name>
  >;
}

/** Returns a path there, with the root that must contain what it leads to. */
function placeOf(native: NativeTarget, path: unknown, { root }: { root: unknown }): PlaceSpec {
  const place: PlaceSpec = { path: there(native, bytesOfPath('path', path)) };
  if (root === undefined) return place;
  const top = there(native, bytesOfPath('options.root', root));
  if (!isAbsolute(top.toString())) throw invalid('options.root', 'an absolute path on the target', root);
  return { ...place, root: top };
}

/** Returns the bytes of what a path is there: one below the workspace here has another name. */
function there(native: NativeTarget, path: Buffer): Buffer {
  const text = path.toString();
  return Buffer.from(text).equals(path) ? Buffer.from(native.pathThere(text)) : path;
}

function bytesOfPath(name: string, path: unknown): Buffer {
  const isPath = typeof path === 'string' || path instanceof Uint8Array;
  if (!isPath || path.length === 0) throw invalid(name, 'a path: a string or a Uint8Array', path);
  const found = typeof path === 'string' ? Buffer.from(path) : Buffer.from(path);
  if (found.includes(0)) throw invalid(name, 'a path without null bytes', path);
  return found;
}

function modeOf(mode: unknown): number | undefined {
  return integer('options.mode', mode, 0, MAX_MODE);
}

/** The properties of a file, as `node:fs` names them. */
class TargetStats implements PublicStats {
  readonly type: PublicStats['type'];
  readonly mode: number;
  readonly size: number;
  readonly blocks: number;
  readonly dev: number;
  readonly ino: number;
  readonly nlink: number;
  readonly uid: number;
  readonly gid: number;
  readonly atimeMs: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;

  constructor({ kind, ...stat }: FileState) {
    this.type = kind;
    this.mode = stat.mode;
    this.size = stat.size;
    this.blocks = stat.blocks;
    this.dev = stat.dev;
    this.ino = stat.ino;
    this.nlink = stat.nlink;
    this.uid = stat.uid;
    this.gid = stat.gid;
    this.atimeMs = stat.atimeMs;
    this.mtimeMs = stat.mtimeMs;
    this.ctimeMs = stat.ctimeMs;
  }

  get atime(): Date {
    return new Date(this.atimeMs);
  }

  get mtime(): Date {
    return new Date(this.mtimeMs);
  }

  get ctime(): Date {
    return new Date(this.ctimeMs);
  }

  isFile(): boolean {
    return this.type === 'file';
  }

  isDirectory(): boolean {
    return this.type === 'directory';
  }

  isSymbolicLink(): boolean {
    return this.type === 'symlink';
  }
}

export { copyFiles, listFiles, makeDirectory, readFile, removeFile, statFile, writeFile };
