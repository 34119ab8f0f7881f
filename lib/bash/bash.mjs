import { ref, register, theHost, unref, unregister } from '../addon/host.mjs';
import { messageOf } from '../support/message-of.mjs';
import { bashCall } from './bash-call.mjs';

function bash(args, workspaceRoot, safeMode) {
  return new Promise((resolve) => {
    try {
      const call = bashCall(args, workspaceRoot, safeMode, TIMEOUT_MS);
      const id = register(({ text }) => {
        unregister(id);
        resolve(text);
        unref();
      });
      const refusal = theHost().bash(id, call);
      if (refusal === null) {
        ref();
      } else {
        unregister(id);
        resolve(refusal);
      }
    } catch (error) {
      // Reading the arguments threw. `bash()` never rejects.
      resolve(`Error: ${messageOf(error)}`);
    }
  });
}

/** The time limit of `bash()`, and the default of `BashJob` (ms). The addon has no default of its own. */
const TIMEOUT_MS = 30_000;

export { bash, TIMEOUT_MS };
