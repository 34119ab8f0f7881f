import { theHost } from './addon/host.mjs';

/** What works and what does not, in this process. */
function diagnostics() {
  const { state, path, error } = theHost().guardian();
  return { guardian: { state, path, error: error ?? null } };
}

export { diagnostics };
