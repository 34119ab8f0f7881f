import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Target, type TargetOptions } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

/** A target whose transport is a shell of this machine, with a home and an environment of its own. */
export function shellTarget(home = temporaryDirectory()): { home: string; options: TargetOptions } {
  const script = join(home, 'transport');
  mkdirSync(join(home, 'tmp'), { recursive: true });
  const variables = `PATH="$PATH" HOME='${home}' TMPDIR='${home}/tmp'`;
  writeFileSync(script, `#!/bin/sh\nexec env -i ${variables} "$@"\n`, { mode: 0o700 });
  return { home, options: { exec: [script] } };
}

/** A {@link shellTarget} that is disposed at the end of the test. */
export function newTarget(): Target {
  const target = new Target(shellTarget().options);
  onTestFinished(() => target.dispose());
  return target;
}
