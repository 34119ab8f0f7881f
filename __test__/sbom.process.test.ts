import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './install/support/repository.js';
import { temporaryDirectory } from './support/directory.js';

interface Component {
  name: string;
  version: string;
  purl: string;
  licenses: unknown[];
  hashes?: { content: string }[];
}

const hasCargo = spawnSync('cargo', ['--version']).status === 0;

it.skipIf(!hasCargo)('the bill of materials has the crates of the addon and the bundled packages', () => {
  const file = join(temporaryDirectory(), 'bom.json');
  execFileSync(process.execPath, [join(ROOT, 'scripts/sbom.mjs'), file]);
  const bom = JSON.parse(readFileSync(file, 'utf8'));
  expect(bom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'agent-bash' } } });
  const components: Component[] = bom.components;
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['napi', 'tokio', 'alacritty_terminal', 'rustls', 'zod']));
  // A dependency of the benchmarks alone.
  expect(names).not.toContain('criterion');
  for (const { purl, licenses, hashes } of components) {
    expect(licenses, purl).toHaveLength(1);
    if (purl.startsWith('pkg:cargo/')) expect(hashes?.[0]?.content, purl).toMatch(/^[0-9a-f]{64}$/);
  }
});

describe('the manifest of the published package', () => {
  it('names the repository, its page and its issues, and the repository has none of them', () => {
    const directory = temporaryDirectory();
    for (const path of ['package.json', 'npm', 'interceptor', 'scripts']) {
      cpSync(join(ROOT, path), join(directory, path), { recursive: true });
    }
    const before = readFileSync(join(directory, 'package.json'), 'utf8');
    const run = (act: string) => {
      const env = { PATH: process.env.PATH, GITHUB_REPOSITORY: 'owner/name' };
      execFileSync(process.execPath, ['scripts/manifest.mjs', act], { cwd: directory, env });
      return readFileSync(join(directory, 'package.json'), 'utf8');
    };
    expect(JSON.parse(run('complete'))).toMatchObject({
      peerDependenciesMeta: { 'agent-bash-interceptor': { optional: true } },
      homepage: 'https://github.com/owner/name#readme',
      bugs: { url: 'https://github.com/owner/name/issues' },
      repository: { type: 'git', url: 'git+https://github.com/owner/name.git' },
    });
    expect(run('restore')).toBe(before);
  });
});
