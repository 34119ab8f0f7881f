import { describe, expect, it } from 'vitest';
import { askNode, INDEX, NodeProcess } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

/** Loads the package anew, as test runners and programs that reload themselves do. */
const AGAIN = `
  import { createRequire } from 'node:module';
  const require = createRequire(${JSON.stringify(INDEX)});
  const again = () => {
    for (const path of Object.keys(require.cache)) delete require.cache[path];
    return require(${JSON.stringify(INDEX)});
  };
`;

/**
 * Loads the package's JavaScript in a context of its own, with other objects, arrays and errors than Node
 * has.
 */
const IN_CONTEXT = `
  import { readFileSync } from 'node:fs';
  import { createRequire } from 'node:module';
  import { dirname } from 'node:path';
  import vm from 'node:vm';
  const inContext = () => {
    const context = vm.createContext({
      AbortController, AbortSignal, Buffer, TextDecoder, TextEncoder, URL, clearTimeout, process, queueMicrotask,
      setImmediate, setTimeout,
    });
    const load = (file) => {
      const outer = createRequire(file);
      const require = (name) => {
        const path = outer.resolve(name);
        return /^[./]/.test(name) && !path.endsWith('.node') && !path.endsWith('native.cjs') ? load(path) : outer(path);
      };
      require.resolve = outer.resolve;
      const module = { exports: {} };
      const names = ['exports', 'require', 'module', '__filename', '__dirname'];
      vm.compileFunction(readFileSync(file, 'utf8'), names, { filename: file, parsingContext: context })(
        module.exports, require, module, file, dirname(file),
      );
      return module.exports;
    };
    context.agentBash = load(${JSON.stringify(INDEX)});
    return context;
  };
`;

describe('copies of the package in one process', () => {
  it('work in contexts of their own, side by side', async () => {
    const report = await askNode<unknown[]>(`
      ${IN_CONTEXT}
      const program = \`(async () => {
        const { bash, run, BashJob, CommandError } = agentBash;
        const error = await run('exit 3', { reject: true }).catch((error) => error);
        let text = '';
        for await (const chunk of new BashJob({ command: 'echo job' }, '/')) text += chunk.text;
        const aborted = await run('sleep 60', { signal: AbortSignal.abort() });
        const { stdout } = await run(['cat'], { input: new Uint8Array([104, 105]), env: { A: '1' } });
        return [
          await bash({ command: 'echo hi' }, '/'), text, stdout, aborted.status,
          // An error of the other context's own class, not of Node's.
          error instanceof CommandError && error instanceof Error,
        ];
      })()\`;
      const contexts = [inContext(), inContext(), inContext()];
      const all = await Promise.all(contexts.map((context) => vm.runInContext(program, context)));
      const own = await bash({ command: 'echo own' }, root);
      console.log(JSON.stringify([...all, own, contexts[0].agentBash.bash !== contexts[1].agentBash.bash]));
    `);
    const one = ['hi\n\n[Exit code: 0]', 'job\n', 'hi', 'aborted', true];
    expect(report).toEqual([one, one, one, 'own\n\n[Exit code: 0]', true]);
  });

  it('are loaded 20 times while commands run, and every command ends as it should', async () => {
    const report = await askNode<{ answers: string[]; engines: number }>(`
      ${AGAIN}
      const answers = [];
      for (let copy = 0; copy < 20; copy++) {
        const { bash, run } = again();
        answers.push(bash({ command: 'sleep 0.3; echo ' + copy }, root), run('sleep 0.3; echo ' + copy));
      }
      const all = await Promise.all(answers);
      // The threads belong to the process, however often the package is there.
      const engines = threads().filter((name) => name === 'agent-bash-io').length;
      console.log(JSON.stringify({ answers: all.map((one) => one.stdout ?? one), engines }));
    `);
    const each = Array.from({ length: 20 }, (_, copy) => [`${copy}\n\n[Exit code: 0]`, `${copy}\n`]);
    expect(report).toEqual({ answers: each.flat(), engines: 1 });
  });

  it.each([
    ['the program ends', 'process.exit(7)', 7, null],
    ['the program is killed', "process.kill(process.pid, 'SIGKILL')", null, 'SIGKILL'],
  ])('leave nothing when %s', async (_, end, code, signal) => {
    const seconds = tag();
    const host = new NodeProcess(
      `
        ${AGAIN}
        for (let copy = 0; copy < 20; copy++) again().run('sleep ' + TAG + ' & sleep ' + TAG);
        await until(() => living('sleep\\0' + TAG).length === 40, 'all sleep');
        ${end};
      `,
      { tag: seconds },
    );
    expect(await host.ended).toMatchObject({ code, signal });
    await until(() => living(seconds).length === 0, 'none is left');
  });

  it('leave nothing of workers that are terminated, each with a copy and running jobs, and the others go on', async () => {
    const seconds = tag();
    const worker = `
      const { parentPort, workerData } = require('node:worker_threads');
      const { jobs, run } = require(${JSON.stringify(INDEX)});
      jobs.start('sleep ' + workerData);
      run('sleep ' + workerData + ' & wait');
      run('echo up').then(({ stdout }) => parentPort.postMessage(stdout));
    `;
    const report = await askNode<unknown>(
      `
        ${AGAIN}
        import { once } from 'node:events';
        import { Worker } from 'node:worker_threads';
        const running = again().run('sleep 1; echo main');
        const workers = Array.from({ length: 4 }, () =>
          new Worker(${JSON.stringify(worker)}, { eval: true, execArgv: [], workerData: TAG }));
        const up = await Promise.all(workers.map((one) => once(one, 'message')));
        await until(() => living('sleep\\0' + TAG).length === 8, 'all sleep');
        await Promise.all(workers.map((one) => one.terminate()));
        await until(() => living('sleep\\0' + TAG).length === 0, 'none is left');
        console.log(JSON.stringify([up.flat(), (await running).stdout, (await again().run('echo new')).stdout]));
      `,
      { tag: seconds },
    );
    expect(report).toEqual([Array(4).fill('up\n'), 'main\n', 'new\n']);
  });
});
