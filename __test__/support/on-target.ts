// The package with a target by default: `AGENT_BASH_TEST_TARGET=exec npx vitest run …` runs the tests of
// commands on this machine again through a supervisor, in place of `index.js`.

import type * as Package from '../../index.js';
import { real } from './real-package.js';

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

export * from './real-package.js';
export { BashJob, Jobs, run, ShellSession };
