// The targets and overlays of tests, and those of the addon that they stand for.

import type { RunSpec } from '../../addon/addon-types.ts';
import { invalid } from '../../options/checks.ts';

type Surroundings = RunSpec['surroundings'];

/** The addon's handle of each double of one; `null` where commands do not run. */
const natives = new WeakMap<object, object | null>();

/** The id of the next double whose handle the addon does not have. */
let nextId = 2 ** 31;

/** Notes what a double stands for, and returns its id. */
export function standFor(double: object, native: { id: number } | null): number {
  natives.set(double, native);
  return native?.id ?? nextId++;
}

/** Returns a spec for the addon: with its own target and overlay in place of their doubles. */
export function forAddon<Spec extends { surroundings?: Surroundings | undefined }>(spec: Spec): Spec {
  const { surroundings } = spec;
  if (surroundings === undefined) return spec;
  const { overlay, target: place } = surroundings;
  const target = place && { ...place, target: nativeOf(place.target, 'target') };
  return { ...spec, surroundings: { ...surroundings, overlay: nativeOf(overlay, 'overlay'), target } };
}

function nativeOf<Handle>(handle: Handle, option: string): Handle {
  const native = natives.get(handle as object);
  if (native === undefined) return handle;
  if (native !== null) return native as Handle;
  throw invalid(`options.${option}`, `one that was made where commands run`, handle);
}
