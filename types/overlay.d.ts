/// <reference types="node" />
// Overlays: changes of commands, kept apart from the workspace until somebody accepts them (Linux).

/** The options of an {@link Overlay}. */
export interface OverlayOptions {
  /** The directory that commands see: their `root`. A path or a `file:` URL. It must exist. */
  root: string | URL;
  /**
   * A directory for the layer, which has what the commands write. It is made with mode 0700 if it is missing; an
   * existing one must be empty or have a layer, and be closed to others. It must lie beside `root`, on a file
   * system with user attributes. The layer outlives Node.js until `commit()` or `discard()`: an overlay of a later
   * process continues it, and repeats a commit that was interrupted. Default: a private directory below
   * `/var/tmp`, which goes with Node.js.
   */
  directory?: string | URL | undefined;
  /**
   * The most that commands may write (bytes of disk space). Looked at when a command starts: beyond it, commands
   * fail with `OVERLAY_FULL`. Default: no limit.
   */
  maxBytes?: number | undefined;
}

/** The change of one path. */
export interface OverlayChange {
  /** Relative to the root. */
  path: string;
  /**
   * `mode`: its permissions alone differ. `renamed`: a file with the content of a deleted one, which is `from`. A
   * directory that is created or deleted has a change for each path in it too.
   */
  type: 'created' | 'modified' | 'deleted' | 'renamed' | 'mode';
  /** What it is; of a deleted path, what it was. */
  kind: 'file' | 'directory' | 'link' | 'fifo';
  from?: string;
  /** The permissions; absent for deleted paths and links. */
  mode?: number;
  /** The size; for files that are not deleted. */
  bytes?: number;
}

/** A change of a path that somebody else has changed too, since a command did. */
export interface OverlayConflict {
  path: string;
  /** What the other one did. */
  reason: 'changed' | 'deleted' | 'created';
}

/**
 * A copy-on-write view of a directory, for any number of commands: the option `overlay` of `run()`, `Jobs`,
 * sessions and tools. What commands change is in the view alone. `commit()` gives it to the directory, and
 * `discard()` drops it. See docs/overlays.md.
 *
 * @example
 * await using overlay = new Overlay({ root: '.' });
 * await run('npx codemod src', { overlay });
 * console.log(await overlay.diff());
 * await overlay.commit({ paths: ['src'] });
 *
 * @throws a TypeError of the constructor for options that can't be used
 */
export class Overlay implements AsyncDisposable {
  constructor(options: OverlayOptions);
  /** The root, as an absolute path. */
  readonly root: string;
  /** Returns what the commands have changed: directories before what is in them, in the order of names. */
  changes(): Promise<OverlayChange[]>;
  /** Returns the changes of paths that somebody else has changed too. */
  conflicts(): Promise<OverlayConflict[]>;
  /**
   * Returns the changes as a patch in git's format, which `git apply` takes: of files and links, since git knows
   * nothing else. Binary files have git's line. Bytes that are not UTF-8 are replaced.
   */
  diff(options?: {
    /** Files, or directories with all that is in them: relative to the root, or absolute. Default: all. */
    paths?: readonly string[] | undefined;
    /** The number of equal lines around a difference. Default 3. */
    context?: number | undefined;
    /** The largest size (bytes). Files beyond it are counted in a last line. Default 1 MiB. */
    maxBytes?: number | undefined;
  }): Promise<string>;
  /**
   * Applies changes to the directory, beneath the root and through no symbolic link. Objects of git come before
   * what refers to them. It can be repeated after an error or a crash. What a command writes meanwhile is
   * another change. When nothing is left, and no command or session uses the overlay, the next command begins
   * with the directory as it is then.
   *
   * @throws an error with the code `OVERLAY_CONFLICT` and its `conflicts`, `OVERLAY_PROTECTED` for paths that the
   * sandbox of a command protects: nothing was applied; `OVERLAY_FAILED` for a path that can't be written: those
   * before are applied
   */
  commit(options?: {
    /** As of `diff()`. The directories that they need are applied too. */
    paths?: readonly string[] | undefined;
    /** What happens about conflicts: nothing is applied (`'fail'`, default), all else is, or all is. */
    onConflict?: 'fail' | 'skip' | 'overwrite' | undefined;
  }): Promise<{ applied: OverlayChange[]; conflicts: OverlayConflict[] }>;
  /**
   * Drops all changes, and leaves nothing. The overlay can be used again.
   *
   * @throws an error with the code `OVERLAY_BUSY` while a command or session uses it
   */
  discard(): Promise<void>;
  /** As `discard()`. */
  [Symbol.asyncDispose](): Promise<void>;
}
