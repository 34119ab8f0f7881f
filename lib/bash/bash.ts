import type { JobEvent } from '../addon/addon-types.ts';
import { ref, register, theBinding, unref, unregister } from '../addon/binding.ts';
import { isTraced } from '../job/command-events.ts';
import { object } from '../options/checks.ts';
import { features } from '../support/features.ts';
import { messageOf } from '../support/message-of.ts';
import type { BashArgs } from './api.ts';
import { bashCall, bashSurroundings, TIMEOUT_MS } from './bash-call.ts';
import { BashJob } from './bash-job.ts';

function bash(
  args: BashArgs | null | undefined,
  workspaceRoot: string,
  safeMode?: boolean,
  options?: unknown,
): Promise<string> {
  return new Promise((resolve) => {
    try {
      const known = ['sandbox', 'overlay', 'target'] as const;
      const { sandbox, overlay, target } = object('options', options === undefined ? {} : options, known);
      const asks = sandbox !== undefined && features().connectDecider(sandbox) !== undefined;
      if (isTraced() || asks) {
        // The answer is a text, and the events of a command need a job.
        const job = new BashJob(args, workspaceRoot, Boolean(safeMode), { sandbox, overlay, target });
        resolve(job.result.then(({ output }) => String(output)));
        return;
      }
      const { spec, ownTarget } = bashSurroundings(workspaceRoot, { sandbox, overlay, target });
      const call = bashCall(args, spec, safeMode, TIMEOUT_MS);
      const id = register((event) => {
        unregister(id);
        resolve((event as Extract<JobEvent, { kind: 'answer' }>).text);
        unref();
        ownTarget?.dispose();
      });
      const refusal = theBinding().bash(id, call);
      if (refusal === null) {
        ref();
      } else {
        unregister(id);
        resolve(`Error: ${refusal.message}`);
      }
    } catch (error) {
      // Reading the arguments threw. `bash()` never rejects.
      resolve(`Error: ${messageOf(error)}`);
    }
  });
}

export { bash };
