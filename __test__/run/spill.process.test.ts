import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { askNode, INDEX, runNode } from '../support/node.js';

const IMPORT = `const { run, jobs } = await import(${JSON.stringify(INDEX)}); const fs = await import('node:fs');`;
const directory = temporaryDirectory();

describe('the default spill directory', () => {
  it.each([
    ['comes to its end', '', 0],
    ['calls process.exit', 'process.exit(5);', 5],
    ['throws', "setTimeout(() => { throw new Error('on purpose') });", 1],
  ])('is gone when Node %s', async (_, end, expected) => {
    const { code, stdout } = await runNode(`${IMPORT}
      const { spillPath } = await run('echo hi', { output: { spill: true } });
      console.log(spillPath, fs.readFileSync(spillPath, 'utf8'));
      ${end}
    `);
    const [path, text] = stdout.split(/\s/);
    expect({ code, text }).toEqual({ code: expected, text: 'hi' });
    expect(existsSync(dirname(path))).toBe(false);
  });

  it('of a worker is gone when Node comes to its end, also after the worker was terminated', async () => {
    const { stdout, code } = await runNode(`
      const { Worker } = await import('node:worker_threads');
      const program = \`
        const { parentPort } = require('node:worker_threads');
        import(${JSON.stringify(INDEX)})
          .then(({ run }) => run('echo hi', { output: { spill: true } }))
          .then(({ spillPath }) => parentPort.postMessage(spillPath));
        setInterval(() => {}, 1_000);
      \`;
      const worker = new Worker(program, { eval: true, execArgv: [] });
      console.log(await new Promise((resolve) => worker.once('message', resolve)));
      await worker.terminate();
    `);
    const path = stdout.trim();
    expect({ code, isPath: path.startsWith('/') }).toEqual({ code: 0, isPath: true });
    expect(existsSync(dirname(path))).toBe(false);
  });

  it('is created again when a cleaner has removed it', async () => {
    const { first, second, text } = await askNode<Record<string, string>>(`${IMPORT}
      const { dirname } = await import('node:path');
      const { spillPath: first } = await run('echo first', { output: { spill: true } });
      fs.rmSync(dirname(first), { recursive: true });
      const { spillPath: second } = await run('echo second', { output: { spill: true } });
      console.log(JSON.stringify({ first, second, text: fs.readFileSync(second, 'utf8') }));
    `);
    expect(text).toBe('second\n');
    expect(second).not.toBe(first);
    expect([existsSync(dirname(first)), existsSync(dirname(second))]).toEqual([false, false]);
  });

  it('is below TMPDIR', async () => {
    const path = await askNode<string>(`${IMPORT}
      process.env.TMPDIR = ${JSON.stringify(directory)};
      console.log(JSON.stringify((await run('echo hi', { output: { spill: true } })).spillPath));
    `);
    expect(path.startsWith(`${directory}/`)).toBe(true);
  });

  it('is elsewhere when TMPDIR is missing', async () => {
    const { stdout, spill } = await askNode<{ stdout: string; spill: unknown }>(`${IMPORT}
      process.env.TMPDIR = '/no/such/directory';
      console.log(JSON.stringify(await run('echo hi', { output: { spill: true } })));
    `);
    expect({ stdout, spill }).toMatchObject({ stdout: 'hi\n', spill: { bytes: 3, complete: true } });
  });
});

describe('a spill file', () => {
  it("is the user's own under any umask", async () => {
    const modes = await askNode<Record<string, string>>(`${IMPORT}
      process.umask(0);
      const { dirname } = await import('node:path');
      const { spillPath } = await run('echo hi', { output: { spill: true } });
      const mode = (path) => (fs.statSync(path).mode & 0o7777).toString(8);
      console.log(JSON.stringify({ file: mode(spillPath), directory: mode(dirname(spillPath)) }));
    `);
    expect(modes).toEqual({ file: '600', directory: '700' });
  });

  it('may be in a directory that another Node process uses too', async () => {
    const place = join(directory, 'shared');
    const program = (text: string) => `${IMPORT}
      const output = { spill: { directory: ${JSON.stringify(place)} } };
      const results = await Promise.all([1, 2, 3].map((n) => run(\`echo ${text}\${n}\`, { output })));
      console.log(JSON.stringify(results.map(({ spill }) => spill.complete)));
    `;
    const answers = await Promise.all(['a', 'b', 'c'].map((text) => askNode(program(text))));
    expect(answers).toEqual([
      [true, true, true],
      [true, true, true],
      [true, true, true],
    ]);
    const texts = readdirSync(place).map((name) => readFileSync(join(place, name), 'utf8').trim());
    expect(texts.sort()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3']);
  });
});
