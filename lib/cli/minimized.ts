// `agent-bash run --minimize`: the view of an output, and the file with all of it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobOptions, RunResult } from 'agent-bash';
import type { Encoding } from '../result/output-api.ts';

/** The output above which there is a file (bytes), as for `minimize` of the package. */
const SPILL_ABOVE = 999;

/**
 * Runs a command with `act` and a minimized output of at most `maxBytes`. The file of the output is in a
 * directory of its own, because the package removes its own files when this process ends.
 */
async function minimized<Result extends RunResult<Encoding>>(
  { merge, maxBytes }: { merge?: boolean | undefined; maxBytes?: number | undefined },
  act: (output: JobOptions['output']) => Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'agent-bash-run-'));
  let isNamed = false;
  try {
    const spill = { directory, above: SPILL_ABOVE };
    const result = await act({ minimize: true, view: { maxBytes }, merge, spill });
    isNamed = result.spillPath !== null && result.view?.complete === false;
    return isNamed ? result : { ...result, spillPath: null, spill: null };
  } finally {
    if (!isNamed) rmSync(directory, { recursive: true, force: true });
  }
}

export { minimized };
