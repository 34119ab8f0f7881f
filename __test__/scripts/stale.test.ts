import { cpSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';

type Stale = typeof import('../../scripts/stale.mjs');

const SCRIPT = fileURLToPath(new URL('../../scripts/stale.mjs', import.meta.url));

describe('a build', () => {
  let repository = '';
  let stale: Stale;

  /** Writes a file that was changed this many seconds after 1970. */
  function write(path: string, seconds: number): void {
    const absolute = join(repository, path);
    mkdirSync(dirname(absolute), { recursive: true });
    writeFileSync(absolute, '');
    utimesSync(absolute, seconds, seconds);
  }

  function touchFolder(path: string, seconds: number): void {
    utimesSync(join(repository, path), seconds, seconds);
  }

  beforeEach(async () => {
    repository = temporaryDirectory();
    mkdirSync(join(repository, 'scripts'));
    cpSync(SCRIPT, join(repository, 'scripts/stale.mjs'));
    write('lib/job/job.ts', 100);
    for (const folder of ['lib/job', 'lib']) touchFolder(folder, 100);
    write('src/lib.rs', 100);
    for (const path of ['bundle/core.cjs', 'bundle/index.cjs']) write(path, 200);
    for (const name of ['agent-bash.linux-x64-gnu.node', 'agent-bash-helper.linux-x64-gnu']) write(name, 200);
    stale = await import(pathToFileURL(join(repository, 'scripts/stale.mjs')).href);
  });

  it('that is newer than its sources is fresh', () => {
    expect(stale.staleSource('bundle')).toBeUndefined();
    expect(() => stale.refuseStaleAddon()).not.toThrow();
  });

  it('of lib/ is stale after a change there', () => {
    write('lib/job/job.ts', 300);
    expect(stale.staleSource('bundle')).toBe('lib/job/job.ts');
  });

  it('of lib/ is stale after a file was removed', () => {
    rmSync(join(repository, 'lib/job/job.ts'));
    expect(stale.staleSource('bundle')).toBe('lib/job');
    rmSync(join(repository, 'lib/job'), { recursive: true });
    expect(stale.staleSource('bundle')).toBe('lib');
  });

  it('of lib/ that lacks a file is stale', () => {
    rmSync(join(repository, 'bundle/core.cjs'));
    expect(stale.staleSource('bundle')).toBeDefined();
  });

  it.each(['agent-bash.linux-x64-gnu.node', 'agent-bash-helper.linux-x64-gnu'])(
    'of src/ is refused if %s is older than a source, with the command that builds it',
    (name) => {
      write(name, 50);
      expect(() => stale.refuseStaleAddon()).toThrow(
        'src/lib.rs is newer than the addon: build it by `npm run build:debug` or `npm run build`',
      );
    },
  );
});
