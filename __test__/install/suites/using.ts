import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ANSWERS } from '../support/programs.js';
import { ROOT } from '../support/repository.js';
import type { Site } from '../support/site.js';

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** The ways in which TypeScript may find the package. */
export const RESOLUTIONS = [
  ['node16', 'node16', ['typescript.mts', 'typescript.cts']],
  ['esnext', 'bundler', ['typescript.mts']],
] as const;

/** The programs of a project in which the package is installed. */
export function using(
  site: () => Site,
  project: () => string,
  resolutions: ReadonlyArray<(typeof RESOLUTIONS)[number]>,
): void {
  const answers = async (...args: string[]) => JSON.parse(await site().user.node(project(), ...args));

  it.concurrent.each(['esm.mjs', 'commonjs.cjs'])('works from %s', async (name) => {
    expect(await answers(name)).toEqual(ANSWERS);
  });

  it.concurrent.each(['esm.mjs', 'commonjs.cjs'])('works from %s in a worker', async (name) => {
    expect(await answers('worker.mjs', name)).toEqual(ANSWERS);
  });

  it.concurrent('gives import what it gives require()', async () => {
    const program = `
      import { createRequire } from 'node:module';
      import whole, * as names from 'agent-bash';
      const required = createRequire(process.cwd() + '/')('agent-bash');
      const { default: _, ...named } = names;
      const isSame = Object.keys(required).every((name) => required[name] === named[name]);
      console.log(JSON.stringify([whole === required, isSame, Object.keys(named).length === Object.keys(required).length]));
    `;
    expect(await answers('--input-type=module', '-e', program)).toEqual([true, true, true]);
  });

  it.concurrent.each(resolutions)(
    'compiles as modules of %s, resolved as by %s, and works: %s',
    async (module, resolution, sources) => {
      const strict = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false'];
      const modules = [
        '--module',
        module,
        '--moduleResolution',
        resolution,
        '--target',
        'es2022',
        '--lib',
        'es2022',
      ];
      const options = ['--ignoreConfig', '--types', 'node', '--outDir', resolution];
      await site().user.node(project(), TSC, ...strict, ...modules, ...options, ...sources);
      for (const source of sources) {
        expect(await answers(join(resolution, source.replace(/ts$/, 'js')))).toEqual(ANSWERS);
      }
    },
  );
}
