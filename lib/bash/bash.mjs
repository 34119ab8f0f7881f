import { ref, register, theHost, unref, unregister } from '../addon/host.mjs';
import { messageOf, voiceCall } from './voice-call.mjs';

function bash(args, workspaceRoot, safeMode) {
  return new Promise((resolve) => {
    try {
      const call = voiceCall(args, workspaceRoot, safeMode, TIMEOUT_MS);
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
      // Arguments that throw when they are looked at. The contract: `bash()` never rejects.
      resolve(`Error: ${messageOf(error)}`);
    }
  });
}

/** How long a command of `bash()` may take, and by default one of `BashJob` (ms). The addon has no default of its own. */
const TIMEOUT_MS = 30_000;

export { bash, TIMEOUT_MS };
