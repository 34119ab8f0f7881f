import { describe, expect, it } from 'vitest';
import { INDEX, NodeProcess } from '../support/node.js';

describe('a host that was stopped for a while', () => {
  it('does not take a command for silent whose output it has not read', async () => {
    const host = new NodeProcess(`
      import { run } from ${JSON.stringify(INDEX)};
      console.log('ready');
      const command = 'for i in $(seq 15); do echo $i; sleep 0.1; done';
      const { status, exitCode } = await run(command, { idleTimeout: 700 });
      console.log(JSON.stringify([status, exitCode]));
    `);
    await host.printed('ready');
    host.process.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    host.process.kill('SIGCONT');
    const { stdout } = await host.ended;
    expect(stdout).toBe('ready\n["exited",0]\n');
  });
});
