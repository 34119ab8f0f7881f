import { ref, register, theHost, unref, unregister } from '../addon/host.mjs';
import { requireAddon } from '../addon/native.mjs';
import { invalid, isRecord, wrong } from '../options/checks.mjs';
import { environmentNow } from '../options/surroundings/process-environment.mjs';
import { rest } from '../support/rest.mjs';
import { otherHelpers } from './other-helpers.mjs';

/** A place where commands run: another machine, or a container. */
class Target {
  #native;
  #json;
  #disposal = null;

  /** Checks the options. `name` is how an error names them. Nothing is started before the first command. */
  constructor(options, name = 'options') {
    if (!isRecord(options)) throw invalid(name, 'a Target or its options', options);
    // The transport, such as ssh, gets the environment of Node.js; the commands do not.
    const environment = environmentNow();
    this.#json = JSON.stringify(options);
    requireAddon();
    try {
      this.#native = theHost().createTarget(this.#json, environment, otherHelpers());
    } catch (error) {
      throw wrong(`Invalid option '${name}': ${error.message}`);
    }
  }

  /** A copy of the options. */
  get options() {
    return JSON.parse(this.#json);
  }

  /** The number by which the addon finds the target. */
  get number() {
    return this.#native.number;
  }

  get state() {
    return this.#native.state;
  }

  /** The directory there that has the files of a workspace here, or `null`. */
  get workspace() {
    return this.#native.workspace;
  }

  /** The paragraph for a model about where its commands run. */
  get paragraph() {
    return this.#native.paragraph;
  }

  /** Whether the target is a container that is made for it. */
  get isOwnContainer() {
    return this.#native.isOwnContainer;
  }

  /** Returns what a path is there: one below the workspace here has another name. */
  pathThere(path) {
    return this.#native.pathThere(path);
  }

  async probe(options) {
    return rest().probeTarget(this, options);
  }

  dispose() {
    this.#disposal ??= new Promise((resolve) => {
      const id = register(() => {
        unregister(id);
        unref();
        resolve();
      });
      ref();
      this.#native.dispose(id);
    });
    return this.#disposal;
  }

  [Symbol.asyncDispose]() {
    return this.dispose();
  }
}

export { Target };
