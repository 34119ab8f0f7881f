import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const PAGE = readFileSync(new URL('../../docs/sdks.md', import.meta.url), 'utf8');

const examples = [...PAGE.matchAll(/^```js\n(.*?)^```$/gms)].map(({ 1: program = '', index }) => ({
  place: `docs/sdks.md:${PAGE.slice(0, index).split('\n').length}`,
  program,
}));

describe('an example of docs/sdks.md', () => {
  it.concurrent.each(examples)(
    'runs as it stands, and prints the output of its command: $place',
    async ({ program }) => {
      // Here, since the SDKs are found from here.
      const directory = mkdtempSync(join(HERE, 'node_modules/.example-'));
      const remove = () => rmSync(directory, { recursive: true, force: true });
      try {
        writeFileSync(join(directory, 'example.mjs'), program);
        const { stdout } = await promisify(execFile)(process.execPath, ['example.mjs'], {
          cwd: directory,
          timeout: 50_000,
        });
        if (program.includes('node --version')) expect(stdout).toContain(process.version);
      } finally {
        remove();
      }
    },
  );

  it('has a model that makes a call, for each SDK', () => {
    const calling = examples.filter(({ program }) => program.includes('node --version'));
    expect(calling).toHaveLength(9);
  });
});
