import { copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { ANSWERS, writePrograms } from '../support/programs.js';
import { ADDON_PACKAGE, manifest, PLATFORMS } from '../support/repository.js';
import { ELSEWHERE, installed, publishOtherPlatforms, type Site } from '../support/site.js';

const BOTH = ['agent-bash', ADDON_PACKAGE];

function lockedPackages(project: string): Record<string, { hasInstallScript?: boolean }> {
  return JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')).packages;
}

export function installing(site: () => Site): void {
  /** Installed when the registry had no addon for another platform, and when it had them all. */
  let early = '';
  let late = '';

  beforeAll(async () => {
    early = site().project('early');
    await site().user.npm(early, 'install', 'agent-bash');
    await publishOtherPlatforms(site());
    late = site().project('late');
    await site().user.npm(late, 'install', 'agent-bash');
  });

  async function expectBoth(project: string): Promise<void> {
    expect(installed(project)).toEqual(BOTH);
    writePrograms(project);
    expect(JSON.parse(await site().user.node(project, 'esm.mjs'))).toEqual(ANSWERS);
  }

  it('adds the package and the addon of this platform, also when the registry has no other', async () => {
    await expectBoth(early);
  });

  it('leaves the addons of other platforms out, and lists all of them in the lock file', async () => {
    await expectBoth(late);
    const names = ['agent-bash', ...PLATFORMS.map((platform) => `agent-bash-${platform}`)];
    expect(Object.keys(lockedPackages(late)).sort()).toEqual([
      '',
      ...names.map((name) => `node_modules/${name}`),
    ]);
  });

  it('has no script that npm would run, and does without', async () => {
    for (const entry of Object.values(lockedPackages(late))) expect(entry.hasInstallScript).toBeUndefined();
    for (const name of BOTH) {
      const folder = join(late, 'node_modules', name);
      const scripts = Object.keys(manifest(folder).scripts ?? {});
      expect(scripts.filter((script) => /^(pre|post)?install$/.test(script))).toEqual([]);
      // npm would run node-gyp for this file.
      expect(readdirSync(folder)).not.toContain('binding.gyp');
    }
    const project = site().project('no-scripts');
    await site().user.npm(project, 'install', '--ignore-scripts', 'agent-bash');
    await expectBoth(project);
  });

  it('takes little place', () => {
    const folder = join(late, 'node_modules');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (path) => !path.endsWith('.node') && !path.includes('agent-bash-helper.'),
    );
    const sizes = files.map((path) => statSync(join(folder, path))).filter((file) => file.isFile());
    // JavaScript, types and texts take 2.4 MB, 390 kB of it the page of live views with its terminal, and
    // 280 kB the MCP server with its SDK. The addon and the helper have their own bounds.
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(2_600_000);
  });

  it('is installed again from the lock file, by npm ci', async () => {
    const project = site().project('again');
    for (const name of ['package.json', 'package-lock.json'])
      copyFileSync(join(late, name), join(project, name));
    await site().user.npm(project, 'ci');
    await expectBoth(project);
  });

  it('comes from a lock file that was made on another platform', async () => {
    const project = site().project('other-lock');
    await site().user.npm(project, 'install', ...ELSEWHERE, '--package-lock-only', 'agent-bash');
    await site().user.npm(project, 'ci');
    await expectBoth(project);
  });

  it('comes from the packed files, without a registry', async () => {
    const project = site().project('by-path');
    // A clone that has built the interceptor packs that too.
    const tarballs = site().tarballs.filter((path) => !path.includes('agent-bash-interceptor'));
    await site().user.npm(project, 'install', '--offline', ...tarballs);
    await expectBoth(project);
  });

  it('comes by yarn', async () => {
    const project = site().project('yarn');
    await site().user.yarn(project, 'add', '--silent', 'agent-bash');
    // Yarn 1 knows nothing of C libraries: it takes the addons of both.
    expect(installed(project)).toEqual(expect.arrayContaining(BOTH));
    writePrograms(project);
    expect(JSON.parse(await site().user.node(project, 'esm.mjs'))).toEqual(ANSWERS);
  });
}
