// Overlays of a test. Each call is an entry of the cassette, and so are the changes that a commit makes below
// the root.

import { Buffer } from 'node:buffer';
import type * as Native from '../../../native.js';
import type { OverlayAnswer } from '../cassette/questions.ts';
import type { Scope } from '../scope.ts';
import { standFor } from './handles.ts';

type NativeOverlay = Native.NativeOverlay;
type Choice = Native.DiffChoice;

/** The overlay of a test. `create` makes the addon's, for commands that run. */
export function overlayIn(scope: Scope, create: () => NativeOverlay): NativeOverlay {
  const name = scope.overlays.next();
  const native = scope.isReplayed ? null : create();
  const ask = async (method: string, given: object, act: (own: NativeOverlay) => Promise<unknown>) => {
    const words = [name, method, ...wordsOf(given)];
    return scope.ask(words, native === null ? null : () => act(native) as Promise<OverlayAnswer>);
  };
  const overlay: Omit<NativeOverlay, 'id'> = {
    changes: (exclude) => ask('changes', { exclude: texts(exclude) }, (own) => own.changes(exclude)),
    conflicts: () => ask('conflicts', {}, (own) => own.conflicts()),
    diff: (choice: Choice) => {
      const { paths, exclude, ...others } = choice;
      const given = { paths: texts(paths), exclude: texts(exclude), ...others };
      return ask('diff', given, (own) => own.diff(choice));
    },
    commit: (paths, action) =>
      ask('commit', { paths: texts(paths), onConflict: action }, (own) => own.commit(paths, action)),
    // The dropped changes are no question of a test: nothing depends on them.
    discard: async () => (native === null ? { changes: [], conflicts: [] } : native.discard()),
  };
  const id = standFor(overlay, native);
  scope.overlays.add(id, name);
  return Object.assign(overlay, { id }) as NativeOverlay;
}

function texts(paths: Uint8Array[] | null | undefined): string[] | undefined {
  return paths?.map((path) => Buffer.from(path).toString());
}

/** Returns the given options as words, without those that are not given. */
function wordsOf(given: object): string[] {
  const fields = Object.entries(given).filter(([, value]) => {
    return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
  });
  return fields.length === 0 ? [] : [JSON.stringify(Object.fromEntries(fields))];
}
