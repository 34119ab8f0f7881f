import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { HELPER } from '../install/support/repository.js';
import { temporaryDirectory } from '../support/directory.js';
import { INDEX } from '../support/node.js';
import { shellTarget } from './shell-target.js';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const OTHER = process.arch === 'x64' ? ['arm64', 'aarch64'] : ['x64', 'x86_64'];
const NAME = `linux-${OTHER[0]}-musl`;

/** Installs a package for the other processor. Its helper is that of this machine, so that it runs. */
function otherPackage(): string {
  const modules = temporaryDirectory();
  const folder = join(modules, `agent-bash-${NAME}`);
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: `agent-bash-${NAME}`, version: '0.0.0' }),
  );
  copyFileSync(join(REPOSITORY, HELPER), join(folder, `agent-bash-helper.${NAME}`));
  return modules;
}

/** Runs a command where `uname` tells the other processor, and returns what its result says of the target. */
function ranOn(modules: string): { supervisor: string; copiedBytes: number; reason: string | null } {
  const { home, options } = shellTarget();
  const uname = join(home, 'uname');
  writeFileSync(uname, `#!/bin/sh\necho Linux ${OTHER[1]}\n`);
  chmodSync(uname, 0o755);
  const program = `
    import { run } from ${JSON.stringify(INDEX)};
    const { target, stdout } = await run('echo out', { target: ${JSON.stringify(options)} });
    console.log(JSON.stringify({ ...target, stdout }));
  `;
  const env = { ...process.env, NODE_PATH: modules, PATH: `${home}:${process.env.PATH}` };
  const words = ['--input-type=module', '-e', program];
  return JSON.parse(execFileSync(process.execPath, words, { env, encoding: 'utf8' }));
}

describe.skipIf(process.platform !== 'linux')('a target on another processor', () => {
  it('gets the helper of that processor from its package', () => {
    const report = ranOn(otherPackage());
    expect(report).toMatchObject({ supervisor: 'helper', reason: null, stdout: 'out\n' });
    expect(report.copiedBytes).toBeGreaterThan(100_000);
  });

  it('has none without the package', () => {
    const reason = `There is no helper for Linux ${OTHER[1]}.`;
    expect(ranOn(temporaryDirectory())).toMatchObject({ supervisor: 'sh', reason, stdout: 'out\n' });
  });
});
