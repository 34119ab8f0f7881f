import { ref, register, theHost, unref, unregister } from '../addon/host.mjs';
import { isTraced } from '../job/command-events.mjs';
import { object } from '../options/checks.mjs';
import { messageOf } from '../support/message-of.ts';
import { bashCall, bashSurroundings, TIMEOUT_MS } from './bash-call.mjs';
import { BashJob } from './bash-job.mjs';

function bash(args, workspaceRoot, safeMode, options) {
  return new Promise((resolve) => {
    try {
      const known = ['sandbox', 'overlay', 'target'];
      const { sandbox, overlay, target } = options === undefined ? {} : object('options', options, known);
      if (isTraced()) {
        // The answer is a text, and the events of a command need its result.
        const job = new BashJob(args, workspaceRoot, Boolean(safeMode), { sandbox, overlay, target });
        resolve(job.result.then(({ output }) => output));
        return;
      }
      const { spec, ownTarget } = bashSurroundings(workspaceRoot, { sandbox, overlay, target });
      const call = bashCall(args, spec, safeMode, TIMEOUT_MS);
      const id = register(({ text }) => {
        unregister(id);
        resolve(text);
        unref();
        ownTarget?.dispose();
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
