// The grants of the host to later calls of a toolset, beyond their sandbox.

import { isDeepStrictEqual } from 'node:util';
import { coversEscalation } from '../../addon/native.ts';

/**
 * The grants of a toolset. A grant widens no sandbox by itself: a later call that asks for as much or less
 * runs without another question. A grant to run without the sandbox is for the same command in the same
 * directory.
 */
class Grants {
  #all = new Set();

  add({ more }, command, cwd, reason) {
    const grant = { sandbox: more, command, cwd: cwd ?? null, reason, grantedAt: Date.now() };
    this.#all.add(Object.freeze(grant));
  }

  cover({ more }, command, cwd = null) {
    return [...this.#all].some((grant) => {
      if (!coversEscalation(JSON.stringify(grant.sandbox), JSON.stringify(more))) return false;
      return !grant.sandbox.unsandboxed || (isDeepStrictEqual(grant.command, command) && grant.cwd === cwd);
    });
  }

  list() {
    return [...this.#all];
  }

  revoke(grant) {
    return this.#all.delete(grant);
  }
}

export { Grants };
