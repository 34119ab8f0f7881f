import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { programsOf, runnable } from '../support/pages.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const examples = programsOf('docs/sdks.md');

describe('an example of docs/sdks.md', () => {
  it.concurrent.each(examples)(
    'runs as it stands, and prints the output of its command: $place',
    async (example) => {
      // Here, since the SDKs are found from here.
      const directory = mkdtempSync(join(HERE, 'node_modules/.example-'));
      const remove = () => rmSync(directory, { recursive: true, force: true });
      try {
        writeFileSync(join(directory, 'example.mjs'), runnable(example));
        const { stdout } = await promisify(execFile)(process.execPath, ['example.mjs'], {
          cwd: directory,
          timeout: 50_000,
        });
        if (example.source.includes('node --version')) expect(stdout).toContain(process.version);
      } finally {
        remove();
      }
    },
  );

  it('has a model that makes a call, for each SDK', () => {
    const calling = examples.filter(({ source }) => source.includes('node --version'));
    expect(calling).toHaveLength(9);
  });
});
