import { ref, register, theHost, unref, unregister } from '../addon/host.mjs';
import { isTraced } from '../job/command-events.mjs';
import { messageOf } from '../support/message-of.mjs';
import { bashCall, TIMEOUT_MS } from './bash-call.mjs';
import { BashJob } from './bash-job.mjs';

function bash(args, workspaceRoot, safeMode) {
  return new Promise((resolve) => {
    try {
      if (isTraced()) {
        // The answer is a text, and the events of a command need its result.
        resolve(new BashJob(args, workspaceRoot, Boolean(safeMode)).result.then(({ output }) => output));
        return;
      }
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

export { bash };
