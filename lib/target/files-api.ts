// The files of a target: what its methods take and return.

/** The options of every operation on files. */
export interface TargetFileOptions {
  /**
   * The absolute path of the directory there that must contain what a path leads to, by real path: a symbolic
   * link or `..` that leads out of it fails with `PATH_OUTSIDE`. A relative path is below it. Default: none;
   * then a relative path is below the directory in which commands start. In a container of its own, it may be
   * the workspace here.
   */
  root?: string | Uint8Array | undefined;
  /** Ends the operation; the promise rejects with the signal's reason. A write may have happened by then. */
  signal?: AbortSignal | undefined;
}

/** The options of {@link Target.read}. */
export interface TargetReadOptions extends TargetFileOptions {
  /** Where to begin (bytes). Default 0. */
  from?: number | undefined;
  /**
   * The most bytes to read; fewer are the end of the file. Default: the whole file, up to 64 MiB; a larger
   * one fails with `ERR_FS_FILE_TOO_LARGE`.
   */
  maxBytes?: number | undefined;
}

/** The options of {@link Target.write}. */
export interface TargetWriteOptions extends TargetFileOptions {
  /**
   * The permissions, exactly these: `0o600`. Default: those of the file that is there, or for a new one what
   * the umask there leaves of `0o666`.
   */
  mode?: number | undefined;
  /**
   * Whether a new file takes the place of the old one when it is complete, so that a reader sees either of
   * them. Default `false`: the file is emptied and written.
   */
  atomic?: boolean | undefined;
}

/** The properties of a file, as `node:fs` has them. Times are exact to 1 µs, or to 1 s without the helper. */
export interface TargetStats {
  /** `'other'` is a pipe, a socket or a device. */
  type: 'file' | 'directory' | 'symlink' | 'other';
  /** The type and the permissions. */
  mode: number;
  /** Bytes. */
  size: number;
  /** The space that is used (units of 512 bytes). */
  blocks: number;
  dev: number;
  ino: number;
  nlink: number;
  uid: number;
  gid: number;
  /** Times (ms since 1970). */
  atimeMs: number;
  mtimeMs: number;
  ctimeMs: number;
  readonly atime: Date;
  readonly mtime: Date;
  readonly ctime: Date;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** An entry of a directory. A symbolic link is described itself. */
export interface TargetEntry extends TargetStats {
  /** The name; where it is no UTF-8, with U+FFFD in place of the wrong bytes. */
  name: string;
  /** The bytes of a name that is no UTF-8; otherwise `null`. */
  raw: Buffer | null;
  /** The target of a symbolic link, as the link has it; otherwise `null`. */
  linkTarget: string | null;
}

/** The options of {@link Target.copyTo} and {@link Target.copyFrom}. */
export interface TargetCopyOptions extends TargetFileOptions {
  /** Gets the progress, at most ten times a second. */
  onProgress?: ((progress: TargetCopyProgress) => void) | undefined;
}

/** How far a copy is. */
export interface TargetCopyProgress {
  /** The files, directories and symbolic links that are done. */
  files: number;
  directories: number;
  links: number;
  /** The bytes of files that are done, and of those that were found so far. */
  bytes: number;
  totalBytes: number;
}

/** The result of a copy. */
export interface TargetCopyReport {
  files: number;
  directories: number;
  links: number;
  /** The bytes of the files, with those of {@link TargetCopyReport.resumedBytes}. */
  bytes: number;
  /** The bytes that were there already, from a copy that was cut. */
  resumedBytes: number;
  /** The paths below the source of pipes, sockets and devices, which are not copied; at most 100. */
  skipped: string[];
}
