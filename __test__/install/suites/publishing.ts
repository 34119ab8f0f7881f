import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { User } from '../support/commands.js';
import { Registry } from '../support/registry.js';
import { ADDON_PACKAGE, manifest, PLATFORMS, ROOT } from '../support/repository.js';
import type { Site } from '../support/site.js';

const { version } = manifest(ROOT);
const ALL = Object.fromEntries(PLATFORMS.map((platform) => [`agent-bash-${platform}`, version]));

/** Returns a manifest without the properties that npm adds for place and time. */
function own(published: Record<string, unknown>): unknown {
  const added = ['dist', 'gitHead', 'readmeFilename'];
  return Object.fromEntries(
    Object.entries(published).filter(([name]) => !name.startsWith('_') && !added.includes(name)),
  );
}

export function publishing(site: () => Site): void {
  it('publishes a manifest that names the package of each platform, in this very version', async () => {
    const published = await site().registry.manifest('agent-bash', version);
    expect(published.optionalDependencies).toEqual(ALL);
    expect(published).not.toHaveProperty('dependencies');
    expect(await site().registry.manifest(ADDON_PACKAGE, version)).toMatchObject({ version });
  });

  it('publishes the same from the repository as from the packed file, and leaves package.json as it was', async () => {
    const { directory, registry, repository } = site();
    const other = await Registry.start(join(directory, 'other-registry'));
    try {
      const user = new User(join(directory, 'other-home')).with({ AGENT_BASH_PACK: '1' });
      writeFileSync(join(user.home, '.npmrc'), other.settings);
      const before = readFileSync(join(repository, 'package.json'), 'utf8');
      await user.npm(repository, 'publish', '--silent');
      expect(own(await other.manifest('agent-bash', version))).toEqual(
        own(await registry.manifest('agent-bash', version)),
      );
      expect(readFileSync(join(repository, 'package.json'), 'utf8')).toBe(before);
    } finally {
      await other.stop();
    }
  });

  it('says in each package where its source is, when a workflow packs them', async () => {
    const { directory, repository, user } = site();
    const packed = join(directory, 'packed-by-a-workflow');
    const workflow = user.with({ GITHUB_REPOSITORY: 'someone/agent-bash' });
    await workflow.node(repository, 'scripts/pack-all.mjs', '--local', '--out', packed);
    const tarballs = readdirSync(packed);
    expect(tarballs).toHaveLength(site().tarballs.length);
    for (const name of tarballs) {
      const text = await user.run(packed, 'tar', '-xzOf', name, 'package/package.json');
      expect(JSON.parse(text).repository).toEqual({
        type: 'git',
        url: 'git+https://github.com/someone/agent-bash.git',
      });
    }
    expect(manifest(repository)).toEqual(manifest(ROOT));
  });

  // npm runs none of our scripts after a publish that fails.
  it('leaves a package.json that `npm run postpack` restores when the registry refuses', async () => {
    const { repository } = site();
    const user = site().user.with({ AGENT_BASH_PACK: '1' });
    const path = join(repository, 'package.json');
    const before = readFileSync(path, 'utf8');
    try {
      // The registry has this version already.
      await expect(user.npm(repository, 'publish', '--silent')).rejects.toThrow();
      await user.npm(repository, 'run', '--silent', 'postpack');
      expect(readFileSync(path, 'utf8')).toBe(before);
    } finally {
      writeFileSync(path, before);
    }
  });
}
