import { describe, expect, it } from 'vitest';

const PATHS = ['index.js', 'entry/bash.js', 'entry/tools.js', 'entry/live.js', 'entry/testing.js'].map(
  (path) => new URL(`../../${path}`, import.meta.url).href,
);

describe('on Windows', () => {
  it.each(PATHS)('the import of %s does not throw', async (path) => {
    expect(Object.keys(await import(path)).length).toBeGreaterThan(0);
  });
});
