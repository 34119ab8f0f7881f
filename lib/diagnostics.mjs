import { theHost } from './addon/host.mjs';

/** Reports the state of what commands rely on in this process. */
function diagnostics() {
  const { state, path, error } = theHost().guardian();
  return { guardian: { state, path, error: error ?? null } };
}

export { diagnostics };
