import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifest, PLATFORMS, packedPath, ROOT } from './install/support/repository.js';
import { Declarations } from './support/declarations.js';

/** The names that npm has for what Rust calls a target. */
const TARGETS: Record<string, { os: string; cpu: string; libc?: string }> = {
  'aarch64-apple-darwin': { os: 'darwin', cpu: 'arm64' },
  'aarch64-pc-windows-msvc': { os: 'win32', cpu: 'arm64' },
  'aarch64-unknown-linux-gnu': { os: 'linux', cpu: 'arm64', libc: 'glibc' },
  'aarch64-unknown-linux-musl': { os: 'linux', cpu: 'arm64', libc: 'musl' },
  'x86_64-apple-darwin': { os: 'darwin', cpu: 'x64' },
  'x86_64-pc-windows-msvc': { os: 'win32', cpu: 'x64' },
  'x86_64-unknown-linux-gnu': { os: 'linux', cpu: 'x64', libc: 'glibc' },
  'x86_64-unknown-linux-musl': { os: 'linux', cpu: 'x64', libc: 'musl' },
};

const main = manifest(ROOT);
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');

function platformOf(target: string): string {
  const { os, cpu, libc } = TARGETS[target] ?? { os: target, cpu: '?' };
  const suffix = os === 'win32' ? '-msvc' : ({ glibc: '-gnu', musl: '-musl' }[libc ?? ''] ?? '');
  return `${os}-${cpu}${suffix}`;
}

describe('the packages', () => {
  it('are one for each target of the build, and the main one', () => {
    const { napi } = JSON.parse(text('package.json')) as { napi: { targets: string[] } };
    expect(PLATFORMS).toEqual(napi.targets.map(platformOf).sort());
  });

  it.each(Object.entries(TARGETS))('say where the addon of %s runs', (target, { os, cpu, libc }) => {
    const platform = platformOf(target);
    expect(manifest(join(ROOT, 'npm', platform))).toMatchObject({ os: [os], cpu: [cpu] });
    expect(manifest(join(ROOT, 'npm', platform)).libc).toEqual(libc && [libc]);
  });

  it.each(PLATFORMS)(
    'have the name, the version, the license and the Node of the main one: %s',
    (platform) => {
      const { name, version, license, author, engines } = manifest(join(ROOT, 'npm', platform));
      expect({ name, version, license, author, engines }).toEqual({
        name: `${main.name}-${platform}`,
        version: main.version,
        license: main.license,
        author: main.author,
        engines: main.engines,
      });
    },
  );

  it.each(PLATFORMS)('are found by their main file, and have the helper besides: %s', (platform) => {
    const { main: file, files } = manifest(join(ROOT, 'npm', platform));
    expect(file).toBe(`agent-bash.${platform}.node`);
    const ending = platform.startsWith('win32') ? '.exe' : '';
    expect(files).toEqual([file, `agent-bash-helper.${platform}${ending}`]);
  });

  it('are one for all interceptors too, of the same version', () => {
    const { name, version, license, author, engines, os, cpu, files } = manifest(join(ROOT, 'interceptor'));
    expect({ name, version, license, author, engines }).toEqual({
      name: `${main.name}-interceptor`,
      version: main.version,
      license: main.license,
      author: main.author,
      engines: main.engines,
    });
    expect([os, files]).toEqual([['linux'], cpu?.map((processor) => `${name}.linux-${processor}`)]);
  });

  it('install beside any version of an SDK, and without it', () => {
    const { peerDependencies, peerDependenciesMeta } = main as {
      peerDependencies?: Record<string, string>;
      peerDependenciesMeta?: Record<string, { optional: boolean }>;
    };
    expect(new Set(Object.values(peerDependencies ?? {}))).toEqual(new Set(['*']));
    const optional = Object.entries(peerDependenciesMeta ?? {}).filter(([, how]) => how.optional);
    expect(optional.map(([name]) => name).sort()).toEqual(Object.keys(peerDependencies ?? {}).sort());
  });

  it('have no scripts that run when they are installed', () => {
    const all = [main, ...PLATFORMS.map((platform) => manifest(join(ROOT, 'npm', platform)))];
    const names = all.flatMap(({ scripts = {} }) => Object.keys(scripts));
    // npm runs `prepare` in a clone, and of what is installed from git.
    expect(names.filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
  });

  it('have the version of the crate, in its lock file too', () => {
    expect(/^version = "(.*)"$/m.exec(text('Cargo.toml'))?.[1]).toBe(main.version);
    expect(/^name = "agent-bash"\nversion = "(.*)"$/m.exec(text('Cargo.lock'))?.[1]).toBe(main.version);
  });

  it('have the version that package-lock.json has', () => {
    const lock = JSON.parse(text('package-lock.json')) as {
      version: string;
      packages: { '': { version: string } };
    };
    expect([lock.version, lock.packages[''].version]).toEqual([main.version, main.version]);
  });
});

/** A path, or one for each condition. */
type Entry = string | { [condition: string]: Entry };

function paths(entry: Entry): string[] {
  return typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(paths);
}

describe('the main package', () => {
  it('begins with files that it has', () => {
    const { types, exports, typesVersions } = JSON.parse(text('package.json')) as {
      types: string;
      exports: { [subpath: string]: Entry };
      typesVersions: { '*': { [subpath: string]: Entry } };
    };
    const entries = [exports, typesVersions].flatMap(paths);
    const packed = [...main.files, 'package.json'];
    for (const path of [main.main, types, ...entries].map((entry) => entry.replace(/^\.\//, ''))) {
      const isPacked = packed.some((name) => path === name || path.startsWith(`${name}/`));
      expect(isPacked && existsSync(join(ROOT, path)), path).toBe(true);
    }
  });

  it('has the types of each subpath also for TypeScript that reads no exports', () => {
    const { exports, typesVersions } = JSON.parse(text('package.json')) as {
      exports: { [subpath: string]: { types?: string; default?: { types: string } } };
      typesVersions: unknown;
    };
    const types = Object.entries(exports)
      .filter(([subpath]) => /^\.\/(?!package)/.test(subpath))
      .map(([subpath, entry]) => [subpath.slice(2), [(entry.types ?? entry.default?.types)?.slice(2)]]);
    expect(typesVersions).toEqual({ '*': Object.fromEntries(types) });
  });

  it('exports the values that its types declare', () => {
    const { exports } = JSON.parse(text('package.json')) as {
      exports: { [subpath: string]: { types: string; default: string } };
    };
    const entries = ['.', './bash', './live', './tools'].map((subpath) => exports[subpath]);
    const require = createRequire(import.meta.url);
    const names = entries.map((entry) => Object.keys(require(join(ROOT, entry.default)) as object).sort());
    const types = entries.map((entry) => entry.types.replace(/^\.\//, ''));
    const declarations = new Declarations(types);
    expect(names).toEqual(types.map((file) => declarations.values(file)));
  });

  it('has the files that it lists', () => {
    for (const { path } of main.files.map(packedPath)) expect(existsSync(join(ROOT, path)), path).toBe(true);
  });

  it('names no package of a platform in the repository, where npm ci must do without', () => {
    expect(main.optionalDependencies).toBeUndefined();
  });
});
