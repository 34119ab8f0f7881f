import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxOptions } from 'agent-bash';
import { temporaryDirectory } from '../support/directory.js';

/** A fresh workspace, and the surroundings of commands in a sandbox over it. */
export function workspace(level: Partial<SandboxOptions> = {}) {
  const root = join(temporaryDirectory(), 'workspace');
  mkdirSync(root);
  return { root, sandbox: { level: 'workspace-write', ...level } as SandboxOptions };
}
