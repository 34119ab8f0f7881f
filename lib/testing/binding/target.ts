// Targets of a test: those of recorded commands, with a note of their end, and those of commands that do not
// run.

import type { NativeResult, NativeTarget } from '../../addon/addon-types.ts';
import type { TargetOptions } from '../../target/api.ts';
import { addonNeeded } from '../play/without-addon.ts';
import { standFor } from './handles.ts';

/** Where a container that is made has the workspace. */
const WORKSPACE = '/workspace';

/** The part of a binding that its targets use. */
export interface TargetLink {
  /** Notes that the target is disposed of, for the jobs on it. Calls `done` when they are over. */
  close(target: number, done: () => void): void;
  /** Reports that a request is done. */
  done(id: number): void;
}

/** A target of a test. */
export class DoubleTarget {
  readonly id: number;
  #native: NativeTarget | null;
  #isReplayed: boolean;
  #options: TargetOptions;
  #link: TargetLink;
  #state: 'new' | 'open' | 'lost' | 'closed' = 'new';

  /**
   * @param native the addon's target, which connects to nothing before a command; `null` without the addon
   */
  constructor(native: NativeTarget | null, isReplayed: boolean, json: string, link: TargetLink) {
    this.#native = native;
    this.#isReplayed = isReplayed;
    this.#options = JSON.parse(json);
    this.#link = link;
    this.id = standFor(this, native);
  }

  get state(): string {
    return this.#isReplayed || this.#native === null ? this.#state : this.#native.state;
  }

  get workspace(): string | null {
    return this.#native === null ? this.#own().there : this.#native.workspace;
  }

  get paragraph(): string {
    if (this.#native === null) throw addonNeeded('the description of a target');
    return this.#native.paragraph;
  }

  get isOwnContainer(): boolean {
    return this.#native === null ? this.#options.container?.image !== undefined : this.#native.isOwnContainer;
  }

  pathThere(path: string): string {
    if (this.#native !== null) return this.#native.pathThere(path);
    const { here, there } = this.#own();
    const below = path.slice(here.length);
    const isBelow = there !== null && path.startsWith(here) && (below === '' || below.startsWith('/'));
    return isBelow ? there + below : path;
  }

  openPort(...call: Parameters<NativeTarget['openPort']>): ReturnType<NativeTarget['openPort']> {
    if (this.#isReplayed || this.#native === null) throw addonNeeded('a port of a target');
    return this.#native.openPort(...call);
  }

  dispose(id: number): void {
    this.#state = 'closed';
    this.#link.close(this.id, () => {
      if (this.#isReplayed || this.#native === null) this.#link.done(id);
      else this.#native.dispose(id);
    });
  }

  readFile(...given: Parameters<NativeTarget['readFile']>): void {
    this.#files().readFile(...given);
  }

  writeFile(...given: Parameters<NativeTarget['writeFile']>): void {
    this.#files().writeFile(...given);
  }

  statFile(...given: Parameters<NativeTarget['statFile']>): void {
    this.#files().statFile(...given);
  }

  listFiles(...given: Parameters<NativeTarget['listFiles']>): void {
    this.#files().listFiles(...given);
  }

  makeDirectory(...given: Parameters<NativeTarget['makeDirectory']>): void {
    this.#files().makeDirectory(...given);
  }

  removeFile(...given: Parameters<NativeTarget['removeFile']>): void {
    this.#files().removeFile(...given);
  }

  copyFiles(...given: Parameters<NativeTarget['copyFiles']>): void {
    this.#files().copyFiles(...given);
  }

  cancelFiles(id: number): void {
    this.#native?.cancelFiles(id);
  }

  /** Returns what reads and writes files: they are not recorded. */
  #files(): NativeTarget {
    if (this.#native !== null && !this.#isReplayed) return this.#native;
    const message = 'The files of a target are not recorded: a replay has none.';
    throw Object.assign(new Error(message), { code: 'ERR_FEATURE_UNAVAILABLE' });
  }

  /** Notes that a command has started, or its end. */
  note(native?: NativeResult): void {
    if (this.#state === 'closed') return;
    this.#state = native?.error?.code.startsWith('TARGET_') === true ? 'lost' : 'open';
  }

  /** Returns the directory of a container's workspace here, and there. */
  #own(): { here: string; there: string | null } {
    const { container } = this.#options;
    const workspace = container?.image === undefined ? undefined : container.workspace;
    if (typeof workspace !== 'string') return { here: '', there: null };
    return { here: workspace.replace(/\/+$/, ''), there: WORKSPACE };
  }
}
