import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { maxAddonBytes } from '../../../scripts/binary-limits.mjs';
import { ADDON, ADDON_PACKAGE, HELPER, ROOT } from '../support/repository.js';
import type { Site } from '../support/site.js';
import { tool } from '../support/tools.js';

interface Packed {
  files: Array<{ path: string }>;
  size: number;
  unpackedSize: number;
}

/** The subpaths whose modules are of both kinds. */
const ADAPTERS = ['acp', 'ai-sdk', 'anthropic', 'console', 'langchain', 'openai'];

/** Returns the sizes of the package in docs/installing.md (MB): of the download, and on the disk. */
function statedSizes(): number[] {
  const page = readFileSync(join(ROOT, 'docs/installing.md'), 'utf8');
  const row = /^\| `agent-bash`, .*\| (\S+) MB \| (\S+) MB \|$/m.exec(page) ?? [];
  return row.slice(1).map(Number);
}

/** The files that the build makes, by name, so that other files beside them are not packed. */
function bundled(): string[] {
  const parts = [
    'bash',
    'core',
    'features',
    'index',
    'live',
    'live-server',
    'on-demand',
    'testing',
    'tools',
    'mcp',
    'cli',
    ...[
      'arguments',
      'call',
      'check',
      'colors',
      'completion',
      'copy',
      'explain',
      'help',
      'interrupted',
      'jobs',
      'live',
      'mcp',
      'open-page',
      'probe',
      'record',
      'run',
      'target',
      'terminal',
      'topics',
      'version',
    ].map((name) => `cli-${name}`),
  ];
  return [
    ...parts.map((name) => `bundle/${name}.cjs`),
    'bundle/mcp-licenses.txt',
    ...['component.mjs', 'licenses.txt', 'page.mjs'].map((name) => `bundle/live/${name}`),
    ...[...ADAPTERS, 'abort', 'approvals', 'checks', 'exit-code', 'sdk-version', 'timers'].flatMap((name) => [
      `bundle/adapters/${name}.cjs`,
      `bundle/adapters/${name}.mjs`,
    ]),
    ...['jest.cjs', 'jest.mjs', 'node.cjs', 'node.mjs', 'vitest.mjs'].map((name) => `bundle/testing/${name}`),
    // How CommonJS loads an ES module.
    'bundle/adapters/rolldown-runtime.cjs',
  ];
}

/** The files of a folder that is packed whole, relative to the repository. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

export function contents(site: () => Site): void {
  it('packs these files and no others', async () => {
    const { repository, user } = site();
    // `npm run pack:all` packs so.
    const output = await user
      .with({ AGENT_BASH_PACK: '1' })
      .npm(repository, 'pack', '--dry-run', '--json', '--silent');
    const [packed]: [Packed] = JSON.parse(output);
    expect(packed.files.map(({ path }) => path).sort()).toEqual(
      [
        'LICENSE',
        'README.md',
        ...bundled(),
        // Without pictures and recordings.
        ...filesBelow('docs').filter((path) => path.endsWith('.md')),
        ...['cli.js', 'compile-cache.js', 'index.mjs', 'unbuilt.js'].map((name) => `entry/${name}`),
        ...['bash', 'live', 'runners', 'testing', 'tools'].flatMap((name) => [
          `entry/${name}.js`,
          `entry/${name}.mjs`,
        ]),
        ...filesBelow('types'),
        'index.d.ts',
        'index.js',
        'native.cjs',
        'package.json',
      ].sort(),
    );
    // Of the unpacked bytes, 500 kB are the documents, 390 kB the page of live views, 280 kB the MCP server
    // with its SDK.
    expect(packed.unpackedSize).toBeLessThan(2_600_000);
    expect(packed.size).toBeLessThan(760_000);
    const sizes = [packed.size, packed.unpackedSize].map((bytes) => bytes / 1e6);
    const apart = sizes.map((size, index) => Math.abs(size - (statedSizes()[index] ?? 0)));
    expect(Math.max(...apart), `${sizes.join(' and ')} MB, as in docs/installing.md`).toBeLessThan(0.15);
  });

  it('packs nothing but the addon and the helper with the texts for a platform', async () => {
    const { directory, tarballs, user } = site();
    const tarball = tarballs.find((path) => path.includes(ADDON_PACKAGE)) ?? '';
    const listed = (await user.run(directory, 'tar', '-tzf', tarball)).trim().split('\n').sort();
    const names = ['LICENSE', 'README.md', HELPER, ADDON, 'package.json'];
    expect(listed).toEqual(names.map((name) => `package/${name}`));
    const modes = await user.run(directory, 'tar', '-tvzf', tarball, `package/${HELPER}`);
    expect(modes, 'the helper may be executed').toMatch(/^-rwxr-xr-x /);
  });

  it('packs an addon without symbols: it is small', ({ skip }) => {
    const addon = join(site().repository, ADDON);
    if (readFileSync(addon).includes('\0.debug_info\0')) skip('this is a debug build');
    expect(statSync(addon).size).toBeLessThan(maxAddonBytes(addon));
  });

  it('has nothing that publint complains of', async () => {
    expect(JSON.parse(await site().user.node(site().directory, tool('publint.mjs'), site().main))).toEqual(
      [],
    );
  });

  it('has types that are right for import, for require() and for bundlers', async () => {
    const problems = JSON.parse(
      await site().user.node(site().directory, tool('types-right.mjs'), site().main),
    );
    // The page's component is for browsers, and Vitest itself has no module for require().
    expect(problems).toEqual([
      { kind: 'CJSResolvesToESM', entrypoint: './live/component', resolutionKind: 'node16-cjs' },
      { kind: 'CJSResolvesToESM', entrypoint: './testing/vitest', resolutionKind: 'node16-cjs' },
    ]);
  });
}
