import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from './support/directory.js';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);

/** What a project of the package's users does with it. */
const PROGRAMS = {
  'esm.mjs': `
    import { BashJob, bash } from 'agent-bash';
    const job = new BashJob({ command: 'echo job' }, '/');
    console.log(JSON.stringify([await bash({ command: 'echo hi' }, '/'), (await job.result).stdout]));
  `,
  'commonjs.cjs': `
    const { BashJob, bash } = require('agent-bash');
    const job = new BashJob({ command: 'echo job' }, '/');
    Promise.all([bash({ command: 'echo hi' }, '/'), job.result.then(({ stdout }) => stdout)])
      .then((both) => console.log(JSON.stringify(both)));
  `,
  'typescript.mts': `
    import { BashJob, bash, type RunResult } from 'agent-bash';
    const answer: string = await bash({ command: 'echo hi' }, '/');
    const job = new BashJob({ command: 'echo job' }, '/', false, { timeout: 10_000 });
    job.on('exit', (code, signal, result: RunResult) => void [code, signal, result.status]);
    for await (const { stream, text } of job) console.log(JSON.stringify([answer, text, stream]));
  `,
};

describe('the packed package, installed in another project', () => {
  const project = temporaryDirectory();

  beforeAll(async () => {
    writeFileSync(join(project, 'package.json'), '{ "name": "user", "private": true }');
    for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(project, name), text);
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', project], {
      cwd: repository,
    });
    await run('npm', ['install', '--silent', '--offline', join(project, stdout.trim())], { cwd: project });
    // What a TypeScript project has anyway.
    mkdirSync(join(project, 'node_modules/@types'), { recursive: true });
    symlinkSync(join(repository, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'));
    symlinkSync(join(repository, 'node_modules/undici-types'), join(project, 'node_modules/undici-types'));
  });

  it.each(['esm.mjs', 'commonjs.cjs'])('works from %s', async (name) => {
    const { stdout } = await run(process.execPath, [name], { cwd: project });
    expect(JSON.parse(stdout)).toEqual(['hi\n\n[Exit code: 0]', 'job\n']);
  });

  it.each(['nodenext', 'esnext'])('compiles and works from TypeScript with modules of %s', async (module) => {
    const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
    const resolution = module === 'esnext' ? 'bundler' : module;
    const options = ['--strict', '--module', module, '--moduleResolution', resolution, '--target', 'es2022'];
    await run(process.execPath, [tsc, ...options, '--outDir', module, 'typescript.mts'], { cwd: project });
    const { stdout } = await run(process.execPath, [join(module, 'typescript.mjs')], { cwd: project });
    expect(JSON.parse(stdout)).toEqual(['hi\n\n[Exit code: 0]', 'job\n', 'stdout']);
  });
});
