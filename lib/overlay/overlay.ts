import type * as Native from '../../native.js';
import type { NativeError } from '../addon/addon-types.ts';
import { refuseOnWindows } from '../addon/missing-addon.ts';
import { NativeOverlay, requireAddon } from '../addon/native.ts';
import { answered, errorOf } from '../addon/native-error.ts';
import { theDouble } from '../addon/seam.ts';
import { boolean, integer, invalid, object, oneOf, path, wrong } from '../options/checks.ts';
import { redactedText } from '../redact/redacted.ts';
import type { Redactor } from '../redact/redaction.ts';
import { features } from '../support/features.ts';
import { absolutePath } from '../support/paths/absolute-path.ts';
import type { OverlayChange, OverlayConflict, OverlayOptions, OverlayPath } from './api.ts';

interface DiffOptions {
  paths?: readonly OverlayPath[] | undefined;
  exclude?: readonly OverlayPath[] | undefined;
  redact?: unknown;
  binary?: boolean | undefined;
  context?: number | undefined;
  maxBytes?: number | undefined;
}

interface CommitOptions {
  paths?: readonly OverlayPath[] | undefined;
  onConflict?: 'fail' | 'skip' | 'overwrite' | undefined;
}

/** The addon's answer to a method; `error` may have changes or conflicts. */
interface OverlayAnswer {
  changes: OverlayChange[];
  conflicts: OverlayConflict[];
  diff?: string;
  error?: NativeError;
}

/** The largest number of bytes of a diff. */
const MAX_DIFF = 256 * 1024 * 1024;

/** A copy-on-write view of a directory. Its commands change the view; `commit()` changes the directory. */
class Overlay {
  #root: string;
  #native: Native.NativeOverlay;

  constructor(options: OverlayOptions) {
    const { root, directory, maxBytes } = object('options', options, ['root', 'directory', 'maxBytes']);
    const top = path('options.root', root);
    if (top === undefined) throw invalid('options.root', 'a directory', root);
    this.#root = absolutePath(top);
    const layer = path('options.directory', directory);
    const limit = integer('options.maxBytes', maxBytes, 1, Number.MAX_SAFE_INTEGER, 'bytes');
    const create = () => createNative(this.#root, layer && absolutePath(layer), limit);
    const double = theDouble();
    this.#native = double === undefined ? create() : double.overlay(create);
  }

  get root(): string {
    return this.#root;
  }

  /** The overlay as the addon takes it. */
  get native(): Native.NativeOverlay {
    return this.#native;
  }

  /** A number that no other overlay of this process has. */
  get id(): number {
    return this.#native.id;
  }

  async changes(options: { exclude?: readonly OverlayPath[] | undefined } = {}): Promise<OverlayChange[]> {
    const { exclude } = object('options', options, ['exclude']);
    const left = this.#below('exclude', exclude) ?? [];
    return (await settled(this.#native.changes(left))).changes;
  }

  async conflicts(): Promise<OverlayConflict[]> {
    return (await settled(this.#native.conflicts())).conflicts;
  }

  async diff(options: DiffOptions = {}): Promise<string> {
    const names = ['paths', 'exclude', 'context', 'maxBytes', 'binary', 'redact'] as const;
    const { paths, exclude, context, maxBytes, binary, redact } = object('options', options, names);
    const choice = {
      paths: this.#below('paths', paths),
      exclude: this.#below('exclude', exclude) ?? [],
      context: integer('options.context', context, 0, 1000, 'lines'),
      maxBytes: integer('options.maxBytes', maxBytes, 1, MAX_DIFF, 'bytes'),
      binary: boolean('options.binary', binary),
    };
    const redactor = redact === undefined ? undefined : redactorFor(redact);
    return redactedText((await settled(this.#native.diff(choice))).diff ?? '', redactor);
  }

  async commit(
    options: CommitOptions = {},
  ): Promise<{ applied: OverlayChange[]; conflicts: OverlayConflict[] }> {
    const { paths, onConflict } = object('options', options, ['paths', 'onConflict']);
    const chosen = this.#below('paths', paths);
    const action = oneOf('options.onConflict', onConflict, ['fail', 'skip', 'overwrite']);
    const { changes, conflicts } = await settled(this.#native.commit(chosen, action));
    return { applied: changes, conflicts };
  }

  async discard(): Promise<void> {
    await settled(this.#native.discard());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.discard();
  }

  /** Checks paths, and returns their bytes, relative to the root. */
  #below(option: string, paths: unknown): Uint8Array[] | undefined {
    if (paths === undefined) return undefined;
    if (!Array.isArray(paths)) throw invalid(`options.${option}`, 'an array of paths', paths);
    return paths.map((each, index) => {
      const name = `options.${option}[${index}]`;
      const isBytes = each instanceof Uint8Array;
      // Each byte is a character here, so that a name of any bytes can be split as text.
      const bytes = (isBytes ? Buffer.from(each) : Buffer.from(path(name, each) ?? '')).toString('latin1');
      const root = Buffer.from(this.#root).toString('latin1');
      const inside = bytes.startsWith(`${root}/`) ? bytes.slice(root.length + 1) : bytes;
      const parts = inside.split('/').filter((part) => part !== '' && part !== '.');
      if (bytes === '' || bytes.includes('\0') || inside.startsWith('/') || parts.includes('..')) {
        throw invalid(name, 'a path below the root', each);
      }
      return Buffer.from(parts.join('/'), 'latin1');
    });
  }
}

function redactorFor(redact: unknown): Redactor | undefined {
  const { redactChoice, redactorOf } = features();
  return redactorOf(redactChoice('options.redact', redact));
}

function createNative(
  root: string,
  layer: string | undefined,
  limit: number | undefined,
): Native.NativeOverlay {
  requireAddon();
  if (NativeOverlay.create === undefined) {
    refuseOnWindows('An overlay');
    throw wrong('Overlays are available on Linux only', 'ERR_FEATURE_UNAVAILABLE');
  }
  return answered(NativeOverlay.create(root, layer, limit));
}

/** Resolves with the addon's answer, or throws if the answer is an error. */
async function settled(asked: Promise<unknown>): Promise<OverlayAnswer> {
  const answer = (await asked) as OverlayAnswer;
  for (const each of [...answer.changes, ...answer.conflicts]) {
    if (each.pathBytes) each.pathBytes = Buffer.from(each.pathBytes);
  }
  const { error, changes, conflicts } = answer;
  if (error === undefined) return answer;
  const facts =
    error.code === 'OVERLAY_CONFLICT'
      ? { conflicts }
      : error.code === 'OVERLAY_FAILED' && { applied: changes };
  throw Object.assign(errorOf(error, 'options'), facts);
}

export { Overlay };
