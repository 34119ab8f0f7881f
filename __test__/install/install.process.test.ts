import { chmodSync } from 'node:fs';
import { afterAll, beforeAll, describe, vi } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { bundles } from './suites/bundles.js';
import { contents } from './suites/contents.js';
import { installing } from './suites/installing.js';
import { missing } from './suites/missing.js';
import { publishing } from './suites/publishing.js';
import { restricted } from './suites/restricted.js';
import { subpaths } from './suites/subpaths.js';
import { testRunners } from './suites/test-runners.js';
import { RESOLUTIONS, using } from './suites/using.js';
import { writePrograms } from './support/programs.js';
import { Site } from './support/site.js';

// Package managers unpack and verify whatever the registry has; a busy disk takes minutes.
vi.setConfig({ hookTimeout: 400_000 });

const TYPESCRIPT = ['@types/node', 'undici-types'];

describe('the package', () => {
  const directory = temporaryDirectory();
  let site: Site | undefined;
  const theSite = () => {
    if (site === undefined) throw new Error('not open yet');
    return site;
  };

  beforeAll(async () => {
    // Other users must be able to read there.
    chmodSync(directory, 0o755);
    site = await Site.open(directory);
  });
  afterAll(() => site?.close());

  describe('that is packed', () => contents(theSite));
  describe('that is published', () => publishing(theSite));
  describe('that is installed', () => installing(theSite));
  describe('without its addon', () => missing(theSite));

  describe('in a project of npm', () => {
    let project = '';
    beforeAll(async () => {
      // Special characters that a path may contain.
      project = theSite().project("a user's project – Prüfung");
      await theSite().user.npm(project, 'install', 'agent-bash');
      theSite().link(project, ...TYPESCRIPT, 'vitest');
      writePrograms(project);
    });

    using(theSite, () => project, RESOLUTIONS);
    bundles(theSite, () => project);
    restricted(theSite, () => project);
    subpaths(theSite, () => project);
    testRunners(theSite, () => project);
  });

  describe('in a project of pnpm', () => {
    let project = '';
    beforeAll(async () => {
      project = theSite().project('pnpm');
      await theSite().user.pnpm(project, 'add', 'agent-bash');
      theSite().link(project, ...TYPESCRIPT);
      writePrograms(project);
    });

    // A single package manager is enough: TypeScript follows links the same way with each.
    using(theSite, () => project, [RESOLUTIONS[0]]);
  });
});
