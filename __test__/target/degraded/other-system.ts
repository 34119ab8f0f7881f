import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Target, type TargetOptions } from '../../../index.js';
import { temporaryDirectory } from '../../support/directory.js';

/** The shells that these tests use as `sh` there, as far as this machine has them. */
export const SHELLS = ['dash', 'bash', 'busybox', 'mksh', 'zsh']
  .map((name) => [name, ['/bin', '/usr/bin'].map((folder) => join(folder, name)).find(existsSync)] as const)
  .filter((found): found is [string, string] => found[1] !== undefined);

export const REASON = 'There is no helper for FreeBSD amd64.';

/** The reason of a shell with a `uname` of its own: on another processor. */
export const reasonOf = (shell: string) =>
  shell.endsWith('busybox') ? 'There is no helper for Linux i686.' : REASON;

/** Writes a directory of programs: a `uname` of another system, and a shell as `sh`. */
export function programsOfOtherSystem(shell = '/bin/sh', directory = temporaryDirectory()): string {
  writeFileSync(join(directory, 'uname'), '#!/bin/sh\necho FreeBSD amd64\n', { mode: 0o755 });
  if (shell !== '/bin/sh') symlinkSync(shell, join(directory, 'sh'));
  return directory;
}

/** The system behind a transport, as a test knows it. */
export interface OtherSystem {
  home: string;
  options: TargetOptions;
  target: Target;
  /** Returns the number of transports that were started. */
  transports(): number;
}

/**
 * A target whose transport is a shell of this machine, as on another system. `line` carries the words `"$@"`
 * there.
 */
export function otherSystem({ shell = '/bin/sh', line = 'exec "$@"', path = '' } = {}): OtherSystem {
  const home = temporaryDirectory();
  const log = join(home, 'log');
  const transport = join(home, 'transport');
  mkdirSync(join(home, 'bin'));
  mkdirSync(join(home, 'tmp'));
  programsOfOtherSystem(shell, join(home, 'bin'));
  const variables = `PATH='${home}/bin:${path || '/usr/bin:/bin'}' HOME='${home}' TMPDIR='${home}/tmp'`;
  const machine = shell.endsWith('busybox') ? 'setarch i686' : '';
  const script = `#!/bin/bash\necho started >>'${log}'\nset -- ${machine} env -i ${variables} "$@"\n${line}\n`;
  writeFileSync(transport, script, { mode: 0o700 });
  const options: TargetOptions = { exec: [transport] };
  const target = new Target(options);
  onTestFinished(() => target.dispose());
  return { home, options, target, transports: () => readFileSync(log, 'utf8').split('\n').length - 1 };
}
