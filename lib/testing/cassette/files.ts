// The files below the root of a test: what a command changes there, and a recorded change, made again.

import { Buffer } from 'node:buffer';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { codedError } from '../../support/coded-error.ts';
import type { FilePatch, PatchFault } from './patch.ts';
import { patched, patchOf, readPatch } from './patch.ts';

/** A change as a cassette has it: the lines of patches, and files that are no text. */
export type StoredFile = string | { path: string; base64?: string; mode?: number };

/** A file at a time. */
interface FileState {
  /** The attributes that differ when a file may have changed. */
  stamp: string;
  mode: number;
  content: Buffer;
}

/** Folders whose content no recording has: the history of git, and what a package manager installs. */
const LEFT_OUT = ['.git', 'node_modules'];

/** The largest file that is recorded (bytes). */
const MAX_BYTES = 1024 * 1024;

/** The files below a directory, and what has changed since. */
export class Workspace {
  #root: string;
  #files: Map<string, FileState>;
  /** The paths of all changes so far. */
  readonly touched: Set<string> = new Set();

  constructor(root: string) {
    this.#root = root;
    this.#files = this.#scan(new Map());
  }

  /** Takes what has changed since the last call as given: no command has changed it. */
  skip(): void {
    this.#files = this.#scan(this.#files);
  }

  /** Returns what has changed since the last call. */
  changes(): StoredFile[] {
    const [before, after] = [this.#files, this.#scan(this.#files)];
    this.#files = after;
    const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
    return paths.flatMap((path) => {
      const found = change(path, before.get(path), after.get(path));
      if (found.length > 0) this.touched.add(path);
      return found;
    });
  }

  /** Makes recorded changes again. Returns the first fault, after which no further file is changed. */
  apply(stored: StoredFile[]): PatchFault | null {
    const lines = stored.filter((each) => typeof each === 'string');
    for (const file of readPatch(lines)) {
      const fault = this.#patch(file);
      if (fault !== null) return fault;
    }
    for (const each of stored) {
      if (typeof each === 'string') continue;
      const { path, base64, mode } = each;
      const bytes = base64 === undefined ? undefined : Buffer.from(base64, 'base64');
      this.#write(path, bytes, mode);
    }
    this.#files = this.#scan(this.#files);
    return null;
  }

  #patch(file: FilePatch): PatchFault | null {
    const place = this.#place(file.path);
    const current = read(place);
    if (file.isNew === (current !== null)) {
      const [expected, actual] = file.isNew ? ['no file', 'a file'] : ['a file', 'no file'];
      return { path: file.path, line: 0, expected, actual };
    }
    const result = patched(file, current?.content.toString() ?? '');
    if (typeof result !== 'string') return result;
    if (file.isRemoved) {
      rmSync(place);
      this.touched.add(file.path);
    } else this.#write(file.path, Buffer.from(result), undefined);
    return null;
  }

  #write(path: string, bytes: Buffer | undefined, mode: number | undefined): void {
    const place = this.#place(path);
    const { O_CREAT, O_NOFOLLOW, O_RDWR, O_TRUNC } = constants;
    // Windows has no such flag, and few links.
    const file = openSync(place, O_RDWR | O_CREAT | (O_NOFOLLOW ?? 0) | (bytes === undefined ? 0 : O_TRUNC));
    try {
      if (bytes !== undefined) writeFileSync(file, bytes);
      if (mode !== undefined) fchmodSync(file, mode & 0o777);
    } finally {
      closeSync(file);
    }
    this.touched.add(path);
  }

  /**
   * Returns the place of a file below the root, through no link, and makes its folders. Throws for any other
   * path.
   */
  #place(path: string): string {
    const names = typeof path === 'string' ? path.split(/[\\/]/) : [''];
    const isPlain = names.every(
      (name) => name !== '' && name !== '.' && name !== '..' && !name.includes('\0'),
    );
    if (!isPlain || names.some((name) => name.toLowerCase() === '.git') || /^[a-z]:/i.test(path)) {
      throw outside(path);
    }
    let place = this.#root;
    for (const [index, name] of names.entries()) {
      place = join(place, name);
      const status = lstatSync(place, { throwIfNoEntry: false });
      const isLast = index === names.length - 1;
      if (status === undefined && !isLast) mkdirSync(place);
      else if (status !== undefined && !(isLast ? status.isFile() : status.isDirectory()))
        throw outside(path);
    }
    return place;
  }

  #scan(known: Map<string, FileState>): Map<string, FileState> {
    const found = new Map<string, FileState>();
    const visit = (folder: string) => {
      for (const entry of readdirSync(join(this.#root, folder), { withFileTypes: true })) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory() && !LEFT_OUT.includes(entry.name)) visit(path);
        if (!entry.isFile()) continue;
        const state = stateOf(join(this.#root, path), known.get(path));
        if (state !== null) found.set(path, state);
      }
    };
    visit('');
    return found;
  }
}

function outside(path: unknown): Error {
  const message = `CASSETTE_INVALID: a recording changes ${JSON.stringify(path)}, which is no file below the root, or is reached by a link.`;
  return codedError('CASSETTE_INVALID', message);
}

function stateOf(path: string, known: FileState | undefined): FileState | null {
  const status = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  if (!status?.isFile()) return null;
  const stamp = [status.ino, status.size, status.mtimeNs, status.ctimeNs].join(' ');
  if (stamp === known?.stamp) return known;
  return read(path, stamp);
}

function read(path: string, stamp = ''): FileState | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch {
    return null;
  }
  try {
    const { mode, size } = fstatSync(file);
    // Of a large file, only its size is compared.
    const content = size > MAX_BYTES ? Buffer.from(`${size}`) : readFileSync(file);
    return { stamp, mode: mode & 0o777, content };
  } finally {
    closeSync(file);
  }
}

/** Returns the change of one file. */
function change(path: string, before: FileState | undefined, after: FileState | undefined): StoredFile[] {
  const isSame = before !== undefined && after !== undefined && before.content.equals(after.content);
  const result: StoredFile[] = [];
  if (!isSame) {
    const isText = [before, after].every((state) => state === undefined || isUtf8(state.content));
    if (isText) {
      result.push(...patchOf(path, before?.content.toString() ?? null, after?.content.toString() ?? null));
    } else if (after !== undefined) {
      result.push({ path, base64: after.content.toString('base64') });
    } else result.push(...patchOf(path, '', null));
  }
  const usual = before?.mode ?? 0o644;
  // Only the permission to execute counts: the others follow from the umask of a machine.
  if (after !== undefined && (after.mode & 0o100) !== (usual & 0o100))
    result.push({ path, mode: after.mode });
  return result;
}

function isUtf8(bytes: Buffer): boolean {
  return !bytes.includes(0) && Buffer.from(bytes.toString()).equals(bytes);
}
