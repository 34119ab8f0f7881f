import { NativeOverlay, requireAddon } from '../addon/native.mjs';
import { integer, invalid, object, oneOf, path, wrong } from '../options/checks.mjs';
import { absolutePath } from '../options/surroundings/absolute-path.mjs';

/** The largest number of bytes of a diff. */
const MAX_DIFF = 256 * 1024 * 1024;

/** A copy-on-write view of a directory. Its commands change the view; `commit()` changes the directory. */
class Overlay {
  #root;
  #native;

  constructor(options) {
    const { root, directory, maxBytes } = object('options', options, ['root', 'directory', 'maxBytes']);
    const top = path('options.root', root);
    if (top === undefined) throw invalid('options.root', 'a directory', root);
    this.#root = absolutePath(top);
    const layer = path('options.directory', directory);
    const limit = integer('options.maxBytes', maxBytes, 1, Number.MAX_SAFE_INTEGER, 'bytes');
    requireAddon();
    if (NativeOverlay === undefined) {
      throw wrong('Overlays are available on Linux only', 'ERR_FEATURE_UNAVAILABLE');
    }
    try {
      this.#native = NativeOverlay.create(this.#root, layer && absolutePath(layer), limit);
    } catch (error) {
      throw wrong(error.message);
    }
  }

  get root() {
    return this.#root;
  }

  /** The number by which the addon finds the overlay. */
  get number() {
    return this.#native.number;
  }

  async changes() {
    return (await answered(this.#native.changes())).changes;
  }

  async conflicts() {
    return (await answered(this.#native.conflicts())).conflicts;
  }

  async diff(options = {}) {
    const { paths, context, maxBytes } = object('options', options, ['paths', 'context', 'maxBytes']);
    const chosen = this.#below(paths);
    const lines = integer('options.context', context, 0, 1000, 'lines');
    const most = integer('options.maxBytes', maxBytes, 1, MAX_DIFF, 'bytes');
    return (await answered(this.#native.diff(chosen, lines, most))).diff;
  }

  async commit(options = {}) {
    const { paths, onConflict } = object('options', options, ['paths', 'onConflict']);
    const chosen = this.#below(paths);
    oneOf('options.onConflict', onConflict, ['fail', 'skip', 'overwrite']);
    const { changes, conflicts } = await answered(this.#native.commit(chosen, onConflict));
    return { applied: changes, conflicts };
  }

  async discard() {
    await answered(this.#native.discard());
  }

  [Symbol.asyncDispose]() {
    return this.discard();
  }

  /** Checks paths, and returns them relative to the root. */
  #below(paths) {
    if (paths === undefined) return undefined;
    if (!Array.isArray(paths)) throw invalid('options.paths', 'an array of paths', paths);
    return paths.map((each, index) => {
      const name = `options.paths[${index}]`;
      const parts = [];
      const whole = path(name, each) ?? '';
      const inside = whole.startsWith(`${this.#root}/`) ? whole.slice(this.#root.length + 1) : whole;
      for (const part of inside.split('/')) if (part !== '' && part !== '.') parts.push(part);
      if (whole === '' || inside.startsWith('/') || parts.includes('..')) {
        throw invalid(name, 'a path below the root', each);
      }
      return parts.join('/');
    });
  }
}

/** Resolves with the addon's answer, or throws if the answer is an error. */
async function answered(asked) {
  const answer = await asked;
  if (answer.code === undefined || answer.code === null) return answer;
  const { code, message, conflicts } = answer;
  const error = new Error(message);
  throw Object.assign(error, code === 'OVERLAY_CONFLICT' ? { code, conflicts } : { code });
}

export { Overlay };
