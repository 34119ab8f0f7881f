// Bundles lib/ into bundle/, makes the declarations, and removes what an earlier build has left in bundle/: a
// test would find a file that no package has.

import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeDeclarations } from './declarations.mjs';

const begun = Date.now();
const rolldown = ['node_modules/rolldown/bin/cli.mjs', '--config', 'scripts/rolldown.config.mjs'];
const { status } = spawnSync(process.execPath, rolldown, { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

for (const entry of readdirSync('bundle', { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.isFile() && statSync(path).mtimeMs < begun) rmSync(path);
}

writeDeclarations();
