import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { themes } from './cases/index.js';
import { expectSame } from './difference.js';
import { addon } from './engines.js';
import { askBoth, temporaryDirectory } from './runner.js';

const root = temporaryDirectory();
const asked = new Set<string>();
let directories = 0;

afterAll(() => rmSync(root, { recursive: true, force: true }));

// Concurrent tests: the runner bounds how many commands there are at a time, and the others wait. Each
// command has its own timeout.
for (const [theme, cases] of Object.entries(themes)) {
  describe.concurrent(`the addon answers as the oracle does: ${theme}`, { timeout: 900_000 }, () => {
    for (const each of cases) {
      it(each.name, async () => {
        directories += 1;
        const { actual, expected } = await askBoth(addon, each, join(root, String(directories)));
        asked.add(each.name);
        const { reading = (answer) => answer } = each;
        expectSame(reading(actual), reading(expected));
      });
    }
  });
}

describe('the suite as a whole', () => {
  const names = Object.values(themes).flatMap((cases) => cases.map((each) => each.name));

  it('asked every case, and at least 150', () => {
    expect(asked.size).toBe(names.length);
    expect(asked.size).toBeGreaterThanOrEqual(150);
  });

  it('has no two cases of the same name', () => {
    const twice = names.filter((name, index) => names.indexOf(name) !== index);
    expect(twice).toEqual([]);
  });
});
