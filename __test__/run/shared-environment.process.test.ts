import { describe, expect, it } from 'vitest';
import { INDEX, runNode } from '../support/node.js';

describe('an environment that a worker shares', () => {
  it('can be changed by the worker while commands are started', async () => {
    // Names that are new make the C library move its list of variables.
    const changes = `
      for (let turn = 0; ; turn++) {
        for (let name = 0; name < 500; name++) process.env['SHARED_' + name + '_' + turn] = 'x'.repeat(name);
        for (let name = 0; name < 500; name++) delete process.env['SHARED_' + name + '_' + turn];
      }`;
    const { code, signal, stdout, stderr } = await runNode(`
      import { SHARE_ENV, Worker } from 'node:worker_threads';
      import { run } from ${JSON.stringify(INDEX)};
      process.env.OWN = 'kept';
      const worker = new Worker(${JSON.stringify(changes)}, { eval: true, env: SHARE_ENV });
      await new Promise((resolve) => worker.once('online', resolve));
      const answers = new Set();
      const end = performance.now() + 4_000;
      while (performance.now() < end) {
        // Without a shell, most of the time is spent on the environment.
        const commands = Array.from({ length: 20 }, () => run(['/bin/true']));
        for (const { status, exitCode } of await Promise.all(commands)) answers.add(status + ' ' + exitCode);
      }
      const { stdout } = await run(['/usr/bin/env']);
      console.log([...answers].join(), stdout.includes('OWN=kept\\n'));
      process.exit(0);
    `);
    expect({ code, signal, stdout, stderr }).toEqual({
      code: 0,
      signal: null,
      stdout: 'exited 0 true\n',
      stderr: '',
    });
  });
});
