import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ANSWERS } from '../support/programs.js';
import { ADDON_PACKAGE } from '../support/repository.js';
import type { Site } from '../support/site.js';
import { tool } from '../support/tools.js';

const ADDON_ONLY = ['--external:agent-bash-*', '--external:*.node'];
const SOURCES = { esm: 'esm.mjs', cjs: 'commonjs.cjs' };
// Every bundle of CommonJS packages into an ES module needs this line.
const REQUIRE =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

type Format = keyof typeof SOURCES;

interface Kind {
  format: Format;
  /** Conditions of `exports` in package.json, beside those that esbuild follows anyway. */
  conditions?: string;
  external: string[];
  minify?: boolean;
}

async function bundle(site: Site, project: string, out: string, kind: Kind): Promise<string> {
  const file = join(out, kind.format === 'esm' ? 'bundle.mjs' : 'bundle.cjs');
  const args = [
    SOURCES[kind.format],
    '--bundle',
    '--platform=node',
    `--format=${kind.format}`,
    `--outfile=${file}`,
  ];
  if (kind.format === 'esm') args.push(`--banner:js=${REQUIRE}`);
  if (kind.minify) args.push('--minify');
  if (kind.conditions) args.push(`--conditions=${kind.conditions}`);
  await site.user.node(project, tool('node_modules/esbuild/bin/esbuild'), ...args, ...kind.external);
  return file;
}

export function bundles(site: () => Site, project: () => string): void {
  const answers = async (...args: string[]) => JSON.parse(await site().user.node(project(), ...args));

  for (const format of ['esm', 'cjs'] as const) {
    it.concurrent(`works beside a bundle: ${format}`, async () => {
      const file = await bundle(site(), project(), `beside-${format}`, {
        format,
        external: ['--external:agent-bash'],
      });
      expect(await answers(file)).toEqual(ANSWERS);
    });

    for (const minify of [false, true]) {
      const how = minify ? 'minified' : 'as it is';
      it.concurrent(`works in a bundle, with its addon beside: ${format}, ${how}`, async () => {
        const kind = { format, external: ADDON_ONLY, minify };
        const file = await bundle(site(), project(), `in-${format}-${minify}`, kind);
        expect(await answers(file)).toEqual(ANSWERS);
        expect(await answers('worker.mjs', `./${file}`)).toEqual(ANSWERS);
      });
    }
  }

  it.concurrent('works in a bundle that follows the condition node-addons, as that of Bun does', async () => {
    const kind = { format: 'esm', external: ADDON_ONLY, conditions: 'node-addons' } as const;
    const file = await bundle(site(), project(), 'in-node-addons', kind);
    expect(await answers(file)).toEqual(ANSWERS);
  });

  it.each(['esm', 'cjs'] as const)(
    'works in an archive of Electron, with its addon unpacked: %s',
    async (format) => {
      const place = join(project(), `archive-${format}`);
      const archive = join(place, 'app.asar');
      const modules = join(project(), 'node_modules');
      mkdirSync(join(archive, 'node_modules'), { recursive: true });
      cpSync(join(modules, 'agent-bash'), join(archive, 'node_modules/agent-bash'), { recursive: true });
      const unpacked = join(place, 'app.asar.unpacked/node_modules', ADDON_PACKAGE);
      cpSync(join(modules, ADDON_PACKAGE), unpacked, { recursive: true });
      for (const name of [SOURCES[format], 'worker.mjs']) cpSync(join(project(), name), join(archive, name));
      // The directories above the archive must not have the addon.
      const moved = join(site().directory, `archive-${format}`);
      cpSync(place, moved, { recursive: true });
      const inside = join(moved, 'app.asar');
      const run = async (...args: string[]) => JSON.parse(await site().user.node(moved, ...args));
      expect(await run(join(inside, SOURCES[format]))).toEqual(ANSWERS);
      expect(await run(join(inside, 'worker.mjs'), `./${SOURCES[format]}`)).toEqual(ANSWERS);

      const file = await bundle(site(), project(), join(inside, 'dist'), { format, external: ADDON_ONLY });
      expect(await run(file)).toEqual(ANSWERS);
      expect(await run(join(inside, 'worker.mjs'), `./dist/${file.split('/').at(-1)}`)).toEqual(ANSWERS);
    },
  );
}
