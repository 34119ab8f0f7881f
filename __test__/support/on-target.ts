// The package with a target by default: `AGENT_BASH_TEST_TARGET=exec npx vitest run …` runs the tests of
// commands on this machine again through a supervisor, in place of `index.js`.

import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as Package from '../../index.js';

const index = pathToFileURL(fileURLToPath(new URL('../../index.js', import.meta.url))).href;
const real: typeof Package = await import(index);

const target = new real.Target({ exec: ['sh', '-c', 'exec "$@"', 'x'] });

/** Options with the target, unless they name another one. */
function there<T extends object>(options: T | undefined): T {
  return { target, ...options } as unknown as T;
}

const run = ((command: string, options?: Package.RunOptions) =>
  real.run(command, there(options))) as typeof Package.run;

class Jobs extends real.Jobs {
  override start<E extends Package.Encoding = 'utf8'>(
    command: string | readonly string[],
    options?: Package.JobOptions<E>,
  ): Package.Job<E> {
    return super.start(command, there(options));
  }
}

class ShellSession extends real.ShellSession {
  constructor(options?: Package.SessionOptions) {
    // A state without a shell is not kept on a target.
    super(options?.keep === 'state' ? options : there(options));
  }
}

class BashJob<E extends Package.Encoding = 'utf8'> extends real.BashJob<E> {
  constructor(
    args: Package.BashArgs | null | undefined,
    root: string,
    safeMode?: boolean,
    options?: Package.BashJobOptions<E>,
  ) {
    super(args, root, safeMode, there(options));
  }
}

export { BashJob, Jobs, run, ShellSession };
export const {
  bash,
  CommandError,
  changedSince,
  check,
  checkPolicy,
  diagnostics,
  explainDecision,
  findLines,
  Job,
  jobs,
  keys,
  loginEnvironment,
  nonInteractiveEnv,
  Overlay,
  policyFromClaudeSettings,
  policyFromCodexRules,
  probe,
  readLines,
  readOnly,
  Target,
  view,
} = real;
