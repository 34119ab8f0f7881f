// The option `record`, which loads what records.

import type * as LiveModule from './live/index.ts';
import type { ActiveRecording } from './live/record/recording.ts';
import type { Observers } from './observe/observers.ts';

/** Returns what `lib/live/index.ts` exports. `require` is that of the bundle, which is CommonJS. */
const live = (): typeof LiveModule => require('../bundle/live.cjs');

/** Checks the option `record` of one command, which an error calls `name`. Returns its observers. */
function commandRecorder(name: string, record: unknown): Observers {
  return new Set([live().recordCommand(name, record).observer]);
}

/**
 * Checks the option `record` of a table, a session or a toolset, and adds it to their observers. Returns the
 * recording; `null` without the option.
 */
function recordScope(record: unknown, observers: Observers, name = 'options.record'): ActiveRecording | null {
  if (record === undefined) return null;
  const active = live().recordAll(name, record);
  observers.add(active.observer);
  return active;
}

export { commandRecorder, recordScope };
