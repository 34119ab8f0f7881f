// Installs the packed packages as a user would, and runs smoke.mjs with them: node scripts/smoke-packed.mjs
// <dist> npm itself chooses the package with the addon, by the `os`, `cpu` and `libc` of its manifest.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBesideMain, isPlatformPackage, nameInTarball } from './tarballs.mjs';

if (process.argv.length !== 3) throw new Error('usage: node scripts/smoke-packed.mjs <directory of *.tgz>');
const dist = resolve(process.argv[2]);

const files = readdirSync(dist).filter((file) => file.endsWith('.tgz'));
const packages = files.map((file) => [nameInTarball(join(dist, file)), `file:${join(dist, file)}`]);
const project = mkdtempSync(join(tmpdir(), 'agent-bash-smoke-'));
try {
  const manifest = {
    name: 'smoke',
    private: true,
    dependencies: Object.fromEntries(packages.filter(([name]) => !isBesideMain(name))),
    optionalDependencies: Object.fromEntries(packages.filter(([name]) => isBesideMain(name))),
  };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  const inherit = { cwd: project, stdio: 'inherit' };
  execFileSync('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], inherit);

  const installed = readdirSync(join(project, 'node_modules')).filter(isPlatformPackage);
  console.log(
    `npm has chosen ${installed.join(', ') || 'no addon'} of ${packages.filter(([name]) => isPlatformPackage(name)).length}`,
  );
  if (installed.length !== 1) throw new Error('npm should have chosen one package with an addon');

  const smoke = fileURLToPath(new URL('smoke.mjs', import.meta.url));
  execFileSync(process.execPath, [smoke, project], inherit);
} finally {
  rmSync(project, { recursive: true, force: true });
}
