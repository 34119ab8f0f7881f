import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installFor } from '../../../scripts/downloads.mjs';
import { User } from './commands.js';
import { Registry } from './registry.js';
import { copyRepository, manifest, PLATFORMS, ROOT } from './repository.js';

/** The packages, packed and published to a registry of their own, and a user who asks that. */
export class Site {
  readonly directory: string;
  readonly repository: string;
  readonly user: User;
  readonly registry: Registry;
  /** The packed packages. */
  readonly tarballs: string[];

  private constructor(
    directory: string,
    repository: string,
    user: User,
    registry: Registry,
    tarballs: string[],
  ) {
    this.directory = directory;
    this.repository = repository;
    this.user = user;
    this.registry = registry;
    this.tarballs = tarballs;
  }

  static async open(directory: string): Promise<Site> {
    await installFor('__test__/install/tools');
    const repository = join(directory, 'repository');
    const packed = join(directory, 'packed');
    const user = new User(join(directory, 'home'));
    const starting = Registry.start(join(directory, 'registry'));
    copyRepository(repository);
    await user.node(repository, 'scripts/pack-all.mjs', '--local', '--out', packed);
    const registry = await starting;
    writeFileSync(join(user.home, '.npmrc'), registry.settings);
    const tarballs = readdirSync(packed).map((name) => join(packed, name));
    await Promise.all(tarballs.map((path) => user.npm(directory, 'publish', '--silent', path)));
    return new Site(directory, repository, user, registry, tarballs);
  }

  /** The packed main package. */
  get main(): string {
    const found = this.tarballs.find((path) => /agent-bash-\d[^/]*$/.test(path));
    if (found === undefined) throw new Error('not packed');
    return found;
  }

  /** An empty project of the user's. */
  project(name: string, manifest: object = {}): string {
    const directory = join(this.directory, name);
    mkdirSync(directory);
    writeFileSync(
      join(directory, 'package.json'),
      JSON.stringify({ name: 'user', private: true, ...manifest }),
    );
    return directory;
  }

  /** Further packages of the project, from our own dependencies. */
  link(project: string, ...names: string[]): void {
    for (const name of names) this.linkTo(join(ROOT, 'node_modules', name), project, name);
  }

  linkTo(target: string, project: string, name: string): void {
    const place = join(project, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(target, place);
  }

  async close(): Promise<void> {
    await this.registry.stop();
  }
}

/** npm's flags for an install as on another platform. */
export const ELSEWHERE = ['--os=darwin', '--cpu=arm64'];

/** An expression that loads the package and says how that went. */
export const LOAD = `
  try { require('agent-bash').diagnostics(); 'loaded' } catch ({ code, message }) { code + ': ' + message }
`;

/**
 * Publishes packages for the other platforms. Their addons are not here: something else stands in for them.
 */
export async function publishOtherPlatforms({ directory, tarballs, user }: Site): Promise<void> {
  const place = join(directory, 'others');
  if (existsSync(place)) return;
  const others = PLATFORMS.filter(
    (platform) => !tarballs.some((path) => path.includes(`agent-bash-${platform}-`)),
  );
  await Promise.all(
    others.map(async (platform) => {
      const copy = join(place, platform);
      cpSync(join(ROOT, 'npm', platform), copy, { recursive: true });
      writeFileSync(join(copy, manifest(copy).main), 'an addon for another machine');
      await user.npm(copy, 'publish', '--silent');
    }),
  );
}

/** The packages in a project's `node_modules`. */
export function installed(project: string): string[] {
  return readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
}
