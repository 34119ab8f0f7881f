import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { INDEX } from './support/node.js';

/** Runs a program without any of our helpers, and gives what it has printed. */
async function printed(type: 'commonjs' | 'module', program: string): Promise<string> {
  const flags = type === 'module' ? ['--input-type=module'] : [];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '-e', program]);
  return stdout.trim();
}

const PATH = JSON.stringify(INDEX);
const LOADED_MODULES = fileURLToPath(new URL('support/loaded-modules.cjs', import.meta.url));

describe('the package', () => {
  it('can be required', async () => {
    const program = `
      const { bash, BashJob } = require(${PATH});
      bash({ command: 'echo hi' }, '/').then((answer) => console.log(typeof BashJob, JSON.stringify(answer)));
    `;
    expect(await printed('commonjs', program)).toBe(String.raw`function "hi\n\n[Exit code: 0]"`);
  });

  it('can be imported by name', async () => {
    const program = `
      import { bash, BashJob } from ${PATH};
      console.log((await new BashJob({ command: 'echo hi' }, '/').result).stdout, typeof bash);
    `;
    expect(await printed('module', program)).toBe('hi\n function');
  });

  it('can be imported as a whole', async () => {
    const program = `
      import whole, * as names from ${PATH};
      console.log(whole.bash === names.bash, whole.BashJob === names.BashJob);
    `;
    expect(await printed('module', program)).toBe('true true');
  });

  it('exports its names', async () => {
    expect(await printed('commonjs', `console.log(Object.keys(require(${PATH})).sort().join())`)).toBe(
      'BashJob,CommandError,Job,Jobs,Overlay,ShellSession,Target,bash,changedSince,check,checkPolicy,diagnostics,explainDecision,findLines,jobs,keys,loginEnvironment,loginState,nonInteractiveEnv,policyFromClaudeSettings,policyFromCodexRules,probe,readLines,readOnly,run,view,visibleText',
    );
  });

  it('exports names that a test can replace', async () => {
    const program = `
      const whole = require(${PATH});
      for (const name of Object.keys(whole)) Object.defineProperty(whole, name, { value: 1 });
      console.log(Object.values(whole).join(''));
    `;
    expect(await printed('commonjs', program)).toBe('1'.repeat(27));
  });

  it('is the same by require() and by import', async () => {
    const program = `
      import { createRequire } from 'node:module';
      import { BashJob } from ${PATH};
      console.log(createRequire('/')(${PATH}).BashJob === BashJob);
    `;
    expect(await printed('module', program)).toBe('true');
  });

  it('has names that can be assigned to', async () => {
    const program = `
      const whole = require(${PATH});
      const { run } = whole;
      whole.run = 1;
      console.log(typeof run, whole.run);
    `;
    expect(await printed('commonjs', program)).toBe('function 1');
  });

  it('has the bash tool alone as a subpath that loads only that, the same as in the whole package', async () => {
    const program = `
      const { basename, join, dirname } = require('node:path');
      const tool = require(join(dirname(${PATH}), 'entry/bash.js'));
      const loaded = Object.keys(require.cache).map((path) => basename(path)).filter((name) => /js$/.test(name)).join();
      const whole = require(${PATH});
      console.log(Object.keys(tool).sort().join(), loaded, tool.bash === whole.bash, tool.BashJob === whole.BashJob);
    `;
    expect(await printed('commonjs', program)).toBe('BashJob,bash bash.js,bash.cjs,core.cjs true true');
  });

  it('loads what few programs need with the first option or call that needs it', async () => {
    const program = `
      const { basename } = require('node:path');
      const isLater = (name) => ['features.cjs', 'on-demand.cjs'].includes(name);
      const loaded = () => Object.keys(require.cache).map((path) => basename(path)).filter(isLater).join() || 'none';
      const { bash, check, Jobs, keys, run } = require(${PATH});
      const seen = [loaded()];
      run('echo hi', { timeout: 60_000, env: { A: '1' } })
        .then(() => seen.push(loaded()))
        .then(() => run('echo hi', { output: { maxBytes: 100 } }))
        .then(() => seen.push(loaded()))
        .then(() => keys('enter'))
        .then(() => console.log(...seen, loaded()));
    `;
    expect(await printed('commonjs', program)).toBe('none none features.cjs features.cjs,on-demand.cjs');
  });

  it('can be loaded twice, as by test runners, and both copies work', async () => {
    const program = `
      const first = require(${PATH});
      for (const path of Object.keys(require.cache)) delete require.cache[path];
      const second = require(${PATH});
      Promise.all([first, second].map(({ bash }, index) => bash({ command: 'echo ' + index }, '/')))
        .then((answers) => console.log(first === second, JSON.stringify(answers)));
    `;
    expect(await printed('commonjs', program)).toBe(
      String.raw`false ["0\n\n[Exit code: 0]","1\n\n[Exit code: 0]"]`,
    );
  });

  it('shows the screen of a job of a copy after which another one was loaded', async () => {
    const program = `
      const first = require(${PATH});
      for (const path of Object.keys(require.cache)) delete require.cache[path];
      const second = require(${PATH});
      const { Jobs } = first;
      second.run('true', { pipeStatus: true }).then(async () => {
        const job = new Jobs().start('echo hi', { pty: true });
        await job.result;
        console.log(job.screen().lines[0]);
      });
    `;
    expect(await printed('commonjs', program)).toBe('hi');
  });

  it('can be loaded in the main thread and in a worker', async () => {
    const program = `
      const { Worker } = require('node:worker_threads');
      const { bash } = require(${PATH});
      const code = "require('node:worker_threads').parentPort.postMessage(typeof require(" +
        JSON.stringify(${PATH}) + ").bash)";
      new Worker(code, { eval: true }).once('message', async (type) => {
        console.log(type, JSON.stringify(await bash({ command: 'echo hi' }, '/')));
      });
    `;
    expect(await printed('commonjs', program)).toBe(String.raw`function "hi\n\n[Exit code: 0]"`);
  });

  it('starts no thread, no process and opens no descriptor when it is loaded', async () => {
    const program = `
      const { readdirSync } = require('node:fs');
      const count = () => ['/proc/self/task', '/proc/self/fd'].map((path) => readdirSync(path).length).join();
      const before = count();
      require(${PATH});
      const after = count();
      const { readFileSync } = require('node:fs');
      console.log(before === after, JSON.stringify(readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8')));
    `;
    expect(await printed('commonjs', program)).toBe('true ""');
  });

  it('loads no module of Node, which would take as long as the package itself', async () => {
    const loaded = async (flags: string[]) => {
      const { stdout } = await promisify(execFile)(process.execPath, [...flags, LOADED_MODULES]);
      return stdout.split('\n');
    };
    const without = await loaded([]);
    const added = (await loaded(['--require', INDEX])).filter((name) => !without.includes(name));
    expect(without.length).toBeGreaterThan(10);
    expect(added).toEqual([]);
  });

  it('does not keep Node alive when it is loaded', async () => {
    expect(await printed('commonjs', `require(${PATH}); process.on('exit', () => console.log('end'))`)).toBe(
      'end',
    );
  });

  it('adds no listener to the process when it is loaded', async () => {
    const program = `
      const count = () => process.eventNames().map((name) => [String(name), process.listenerCount(name)]).join();
      const before = count();
      require(${PATH});
      console.log(before === count());
    `;
    expect(await printed('commonjs', program)).toBe('true');
  });

  it('can be extended by a class', async () => {
    const program = `
      import { BashJob } from ${PATH};
      class Job extends BashJob {
        get isOver() { return this.status !== 'starting' && this.status !== 'running' }
      }
      const job = new Job({ command: 'true' }, '/');
      const before = job.isOver;
      await job.result;
      console.log(before, job.isOver, job instanceof BashJob);
    `;
    expect(await printed('module', program)).toBe('false true true');
  });
});
