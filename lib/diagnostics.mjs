import { theHost } from './addon/host.mjs';

/** Returns the state of the guardian, which ends the commands of a killed host. */
function diagnostics() {
  const { state, path, error } = theHost().guardian();
  return { guardian: { state, path, error: error ?? null } };
}

export { diagnostics };
