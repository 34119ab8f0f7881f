import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/repository.js';
import type { Site } from '../support/site.js';

const POOLS = ['forks', 'threads', 'vmForks', 'vmThreads'];

export function testRunners(site: () => Site, project: () => string): void {
  it('works in tests of vitest, in each of its pools', async () => {
    const projects = POOLS.map((pool) => ({ test: { name: pool, pool, include: ['user.test.mjs'] } }));
    writeFileSync(
      join(project(), 'vitest.config.mjs'),
      `export default { test: { projects: ${JSON.stringify(projects)} } };`,
    );
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const report = JSON.parse(await site().user.node(project(), vitest, 'run', '--reporter=json'));
    expect(report).toMatchObject({ numPassedTests: POOLS.length, numTotalTests: POOLS.length });
  });
}
