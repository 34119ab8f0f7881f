import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run, type SandboxOptions } from 'agent-bash';
import { temporaryDirectory } from '../support/directory.js';

/** A fresh workspace, and the surroundings of commands in a sandbox over it. */
export function workspace(level: Partial<SandboxOptions> = {}) {
  const root = join(temporaryDirectory(), 'workspace');
  mkdirSync(root);
  return { root, sandbox: { level: 'workspace-write', ...level } as SandboxOptions };
}

/** Runs a command line on a machine on which an ordinary user has no user namespaces. */
export function withoutNamespaces(line: string) {
  const script = `echo 0 > /proc/sys/user/max_user_namespaces;
    exec setpriv --bounding-set=-all --inh-caps=-all ${line}`;
  const machine = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', script];
  return run(machine, { timeout: 60_000 });
}
