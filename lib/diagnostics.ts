import type { Diagnostics } from '../types/diagnostics.js';
import { theBinding } from './addon/binding.ts';

/** Returns the state of the guardian, which ends the commands of a killed host. */
function diagnostics(): Diagnostics {
  const { state, path, error } = theBinding().guardian();
  return { guardian: { state, path, error: error ?? null } };
}

export { diagnostics };
