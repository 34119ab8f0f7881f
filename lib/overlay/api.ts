// Overlays: copy-on-write views of a directory, whose changes stay apart until they are accepted (Linux).

import type { RedactOptions } from '../options/surroundings/api.ts';

/** The options of an {@link Overlay}. */
export interface OverlayOptions {
  /** The directory that commands see: their `root`. A path or a `file:` URL. It must exist. */
  root: string | URL;
  /**
   * A directory for the layer, which has what the commands write. A missing one is created with mode 0700; an
   * existing one must be empty or have a layer, and be closed to other users. It must neither lie in `root`
   * nor contain it, and its file system must support extended attributes of users. The layer outlives Node.js
   * until `commit()` or `discard()`: an overlay of a later process continues it, and repeats a commit that
   * was interrupted. Default: a private directory below `/var/tmp`, which is removed when Node.js ends.
   */
  directory?: string | URL | undefined;
  /**
   * The most that commands may write (bytes of disk space). Checked when a command starts: beyond it,
   * commands fail with `OVERLAY_FULL`. Default: no limit.
   */
  maxBytes?: number | undefined;
}

/**
 * A path below the root: relative to it, or absolute. As bytes, it can have a name that is not UTF-8. A text
 * with U+FFFD means each path that `changes()` shows so.
 */
export type OverlayPath = string | URL | Uint8Array;

/** The change of one path. */
export interface OverlayChange {
  /** Relative to the root. Bytes that are not UTF-8 are U+FFFD. */
  path: string;
  /** The bytes of `path`, if they are not UTF-8. */
  pathBytes?: Buffer;
  /**
   * `mode`: its permissions (mode or access control list) alone differ. `renamed`: a file with the content of
   * a deleted one, which is `from`. A directory that is created or deleted has a change for each path in it
   * too.
   */
  type: 'created' | 'modified' | 'deleted' | 'renamed' | 'mode';
  /** The kind of the file; of a deleted path, its former kind. No socket and no device is created. */
  kind: 'file' | 'directory' | 'link' | 'fifo' | 'socket' | 'device';
  /** The former path of a renamed file. */
  from?: string;
  /** The permissions; absent for deleted paths and links. */
  mode?: number;
  /** The size; for files that are not deleted. */
  bytes?: number;
}

/** A change of a path that has also changed in the directory, since a command changed it. */
export interface OverlayConflict {
  path: string;
  /** The bytes of `path`, if they are not UTF-8. */
  pathBytes?: Buffer;
  /** The change of the path in the directory. */
  reason: 'changed' | 'deleted' | 'created';
}

/**
 * A copy-on-write view of a directory, for any number of commands: the option `overlay` of `run()`, `Jobs`,
 * sessions and tools. The view alone has what commands change. `commit()` applies the changes to the
 * directory, and `discard()` drops them. See docs/overlays.md.
 *
 * @example
 * await using overlay = new Overlay({ root: '.' });
 * await run('npx codemod src', { overlay });
 * console.log(await overlay.diff());
 * await overlay.commit({ paths: ['src'] });
 *
 * @throws a TypeError of the constructor for options that can't be used
 */
export declare class Overlay implements AsyncDisposable {
  constructor(options: OverlayOptions);
  /** The root, as an absolute path. */
  readonly root: string;
  /** Returns what the commands have changed: directories before what is in them, in the order of names. */
  changes(options?: {
    /** Files, or directories with all that is in them, to leave out. Default: none. */
    exclude?: readonly OverlayPath[] | undefined;
  }): Promise<OverlayChange[]>;
  /** Returns the changes whose paths have also changed in the directory. */
  conflicts(): Promise<OverlayConflict[]>;
  /**
   * Returns the changes of files and links as a patch in git's format, which `git apply` takes. Git knows no
   * other kinds of files.
   *
   * @throws (as a rejection) an error with the code `OVERLAY_PATH` for `paths` where nothing is
   */
  diff(options?: {
    /** Files, or directories with all that is in them. Default: all. */
    paths?: readonly OverlayPath[] | undefined;
    /** The paths to leave out, written as `paths`. Default: none. */
    exclude?: readonly OverlayPath[] | undefined;
    /**
     * Whether the patch has the content of binary files, of text that is not UTF-8, and of text over 16 MiB
     * (`GIT binary patch`). `false` is for readers: text has its lines, with U+FFFD for bytes that are not
     * UTF-8, and a binary file has a line that it differs. `git apply` then needs `--exclude` for these
     * files. Default `true`.
     */
    binary?: boolean | undefined;
    /** The number of equal lines around a difference. Default 3. */
    context?: number | undefined;
    /** The largest size (bytes). Files beyond it are counted in a last line. Default 1 MiB. */
    maxBytes?: number | undefined;
    /** The secret values that are replaced in the patch, which then can't be applied. Default: none. */
    redact?: RedactOptions | undefined;
  }): Promise<string>;
  /**
   * Applies changes to the directory, beneath the root and through no symbolic link. Objects of git are
   * written before the references to them. A commit can be repeated after an error or a crash. What a command
   * writes during the commit is a new change. When no change is left, and no command or session uses the
   * overlay, the next command begins with the directory as it is then.
   *
   * @throws (as a rejection) an error with the code `OVERLAY_CONFLICT` and its `conflicts`, or
   *   `OVERLAY_PROTECTED` for paths that the sandbox of a command protects, `OVERLAY_PATH` for `paths` where
   *   nothing is, or `OVERLAY_ROOT` if the root is no longer the same directory: nothing was applied;
   *   `OVERLAY_FAILED` for a path that can't be written, or that others have changed during the commit: its
   *   `applied` has the changes that were applied
   */
  commit(options?: {
    /** The paths to apply, as in `diff()`. The directories that contain them are applied too. */
    paths?: readonly OverlayPath[] | undefined;
    /**
     * The effect of conflicts: nothing is applied (`'fail'`, default), the other changes are (`'skip'`), or
     * all are (`'overwrite'`).
     */
    onConflict?: 'fail' | 'skip' | 'overwrite' | undefined;
  }): Promise<{ applied: OverlayChange[]; conflicts: OverlayConflict[] }>;
  /**
   * Drops all changes, and leaves no file behind. The overlay can be used again.
   *
   * @throws an error with the code `OVERLAY_BUSY` while a command or session uses it
   */
  discard(): Promise<void>;
  /** Drops the changes, as `discard()` does. */
  [Symbol.asyncDispose](): Promise<void>;
}
