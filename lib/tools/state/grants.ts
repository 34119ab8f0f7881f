// The grants of the host to later calls of a toolset, beyond their sandbox.

import { isDeepStrictEqual } from 'node:util';
import { coversEscalation } from '../../addon/native.ts';
import type { Grant } from '../actions.ts';
import type { ToolsetGrant } from '../api/index.ts';

/**
 * The grants of a toolset. A grant widens no sandbox by itself: a later call that asks for as much or less
 * runs without another question. A grant to run without the sandbox is for the same command in the same
 * directory.
 */
class Grants {
  #all = new Set<ToolsetGrant>();

  add({ more }: Grant, command: string, cwd: string | null, reason: string | null): void {
    const grant: ToolsetGrant = { sandbox: more, command, cwd, reason, grantedAt: Date.now() };
    this.#all.add(Object.freeze(grant));
  }

  cover({ more }: Grant, command: string, cwd: string | null): boolean {
    return [...this.#all].some((grant) => {
      if (!coversEscalation(JSON.stringify(grant.sandbox), JSON.stringify(more))) return false;
      return !grant.sandbox.unsandboxed || (isDeepStrictEqual(grant.command, command) && grant.cwd === cwd);
    });
  }

  list(): ToolsetGrant[] {
    return [...this.#all];
  }

  revoke(grant: ToolsetGrant): boolean {
    return this.#all.delete(grant);
  }
}

export { Grants };
