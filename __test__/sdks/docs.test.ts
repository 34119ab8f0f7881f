import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { has } from '../../scripts/machine.mjs';
import { compileErrors, type Program, programsOf, runnable } from '../support/pages.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** Scripts in place of models and APIs, beside the examples: `./model.js` and the like. */
const SCRIPTED = join(HERE, 'examples');
/** The question to a model, which then calls the tool. */
const QUESTION = 'Which version of Node.js is this?';
const examples = programsOf('docs/sdks.md');
const helpers: [name: string, program: Program][] = readdirSync(SCRIPTED)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => [
    name.replace(/\.ts$/, '.js'),
    { place: name, language: 'ts', source: readFileSync(join(SCRIPTED, name), 'utf8') },
  ]);

describe('an example of docs/sdks.md', () => {
  it.concurrent.for(examples)(
    'runs, and prints the output of its command: $place',
    async (example, { skip }) => {
      // The client of the Agents SDK writes files by Python.
      skip(
        example.source.includes('UnixLocalSandboxClient') && !has('python3'),
        'this machine has no python3',
      );
      // Here, since the SDKs are found from here.
      const directory = mkdtempSync(join(HERE, 'node_modules/.example-'));
      const remove = () => rmSync(directory, { recursive: true, force: true });
      try {
        writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
        for (const [name, helper] of helpers) writeFileSync(join(directory, name), runnable(helper));
        writeFileSync(join(directory, 'example.mjs'), runnable(example));
        const { stdout } = await promisify(execFile)(process.execPath, ['example.mjs'], {
          cwd: directory,
          timeout: 50_000,
        });
        if (example.source.includes(QUESTION)) expect(stdout).toContain(process.version);
      } finally {
        remove();
      }
    },
  );

  it('has a model that makes a call, for each SDK', () => {
    const calling = examples.filter(({ source }) => source.includes(QUESTION));
    expect(calling).toHaveLength(9);
  });
});

describe('an example of docs/sdks.md, for TypeScript', () => {
  let errors: string[][] = [];
  beforeAll(() => {
    errors = compileErrors(examples, join(SCRIPTED, 'tsconfig.json'));
  }, 120_000);

  it.each(examples.map(({ place }, index) => ({ place, index })))(
    'compiles in strict mode beside the SDKs: $place',
    ({ index }) => {
      expect(errors[index]).toEqual([]);
    },
  );
});
