import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { has } from '../scripts/machine.mjs';
import { anchorOf, SECTIONS } from '../site/contents.mjs';
import { temporaryDirectory } from './support/directory.js';
import { INDEX } from './support/node.js';
import { compileErrors, PAGES, programsOf, runnable, textOf } from './support/pages.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Finds the subpaths of the package, by its own name. */
const require = createRequire(join(ROOT, 'index.js'));
/** `process.env` without the variables that reveal a test runner. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_ENV$|NODE_OPTIONS$)/.test(name)),
);

/** Returns a page without its fenced blocks: brackets in code are no links. */
function prose(page: string): string {
  return textOf(page).replace(/^```.*?^```$/gms, '');
}

// The programs of docs/sdks.md need the SDKs: __test__/sdks runs them.
const PROGRAMS = PAGES.filter((page) => page !== 'docs/sdks.md').flatMap(programsOf);
const canSandbox = has('sandbox');

describe.concurrent('a program on a page', () => {
  // Not the repository: a program of a page may build or change something.
  const directory = temporaryDirectory();

  it.for(PROGRAMS)('runs to its end: $place', async (program, { skip }) => {
    skip(
      !canSandbox && /sandbox:|overlay/i.test(program.source),
      'this machine has no sandbox (npm run doctor)',
    );
    const source = runnable(program).replace(
      /(?<=from |import\()'agent-bash(\/[^']+)?'/g,
      (_, subpath = '') => JSON.stringify(subpath === '' ? INDEX : require.resolve(`agent-bash${subpath}`)),
    );
    const flags = ['--input-type=module', '-e', source];
    await promisify(execFile)(process.execPath, flags, { cwd: directory, env, timeout: 50_000 });
  });
});

describe('a program on a page, for TypeScript', () => {
  let errors: string[][] = [];
  beforeAll(() => {
    errors = compileErrors(PROGRAMS, join(ROOT, 'tsconfig.json'));
  });

  it.each(PROGRAMS.map(({ place }, index) => ({ place, index })))(
    'compiles in strict mode: $place',
    ({ index }) => {
      expect(errors[index]).toEqual([]);
    },
  );
});

describe('a page', () => {
  it.each(PAGES)('is in a section of the site: %s', (page) => {
    expect(SECTIONS.flatMap(({ pages }) => pages)).toContain(page);
  });

  it.each(PAGES)('links to files and headings that exist: %s', (page) => {
    const targets = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    for (const target of targets.filter((other) => !/^https?:/.test(other))) {
      const [path = '', name] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      expect(existsSync(join(ROOT, file)), target).toBe(true);
      if (name === undefined) continue;
      const headings = [...prose(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
      expect(headings, target).toContain(name);
    }
  });
});

describe('a declaration', () => {
  const files = readdirSync(join(ROOT, 'types'), { recursive: true, encoding: 'utf8' });
  const texts = files.filter((name) => name.endsWith('.d.ts')).map((name) => textOf(`types/${name}`));
  // Overloads have the comment of the first one.
  const first = new Map<string, string>();
  for (const [, comment = '', name = ''] of texts.flatMap((text) => [
    ...text.matchAll(
      /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n(?:\/\/.*\n)*)?^export declare (?:abstract )?(?:function|class) (\w+)/gm,
    ),
  ])) {
    if (!first.has(name)) first.set(name, comment);
  }

  it.each([...first.keys()])('of a function or class has an example: %s', (name) => {
    expect(first.get(name)).toContain('@example');
  });
});

describe('docs/errors.md', () => {
  const page = textOf('docs/errors.md');

  it('lists every status', () => {
    const type = /export type RunStatus =(.*?);\n\n/s.exec(textOf('lib/result/api.ts'))?.[1] ?? '';
    const statuses = [...type.matchAll(/\| '(\w+)'/g)].map(([, status = '']) => status);
    expect(statuses).toHaveLength(8);
    for (const status of statuses) expect(page).toContain(`\n| \`${status}\` | `);
  });

  it('lists every error code of the addon and its JavaScript', () => {
    const sources = ['src', 'lib'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(rs|ts|mjs)$/.test(name))
        .map((name) => textOf(`${folder}/${name}`)),
    );
    const code =
      /['"]((?:CWD|ROOT|JOB|JOBS|ERR|ABORT|MISSING|INVALID|UNSUPPORTED|ADDON|HELPER|OUTPUT|OVERLAY|SANDBOX|SESSION|TARGET|CASSETTE|FAKE|TESTING|CONSOLE|LOGIN|TERMINAL|LIMITS)_[A-Z_]+|ECHILD|DENIED|INTERNAL|NOT_ENDED|OUT_OF_MEMORY)['"]/g;
    const codes = new Set(
      sources.flatMap((source) => [...source.matchAll(code)].map(([, name = '']) => name)),
    );
    expect(codes.size).toBeGreaterThan(15);
    const pages = page + textOf('docs/targets.md') + textOf('docs/testing.md');
    for (const name of codes) expect(pages).toContain(`\`${name}\``);
  });
});
