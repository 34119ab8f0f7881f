// Creates the directories for the paths of internal URLs.

import { mkdir } from 'node:fs/promises';
import { messageOf } from '../../support/message-of.ts';
import type { Action } from '../actions.ts';
import { isWithin } from '../state/cwd/within.ts';
import type { ToolsetState } from '../toolset-state.ts';

/**
 * Creates the directories that an approved command needs, for this user alone. Not on a target, whose
 * directories are others, and not below the root of an overlay, which has all that a command changes.
 *
 * @throws Error `Cannot create <directory>: <reason>`
 */
async function makeParents(action: Action, { host }: ToolsetState): Promise<void> {
  const parents = action.do === 'run' ? (action.parents ?? []) : [];
  if (host.target !== undefined) return;
  for (const directory of parents) {
    if (host.overlay !== undefined && isWithin(host.overlay.root, directory)) continue;
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? messageOf(error);
      throw new Error(`Cannot create ${directory}: ${reason}`, { cause: error });
    }
  }
}

export { makeParents };
