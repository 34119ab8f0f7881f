import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { INDEX, NodeProcess } from '../support/node.js';
import { until } from '../support/processes.mjs';
import { deliberateDelay } from '../support/waits.mjs';

const root = temporaryDirectory();

/** Stops a host, and waits until each of its threads has stopped. */
async function stop(host: NodeProcess): Promise<void> {
  host.process.kill('SIGSTOP');
  const threads = `/proc/${host.process.pid}/task`;
  const isStopped = (id: string) => readFileSync(`${threads}/${id}/stat`, 'utf8').includes(') T ');
  await until(() => readdirSync(threads).every(isStopped), 'the host has stopped');
}

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
    await stop(host);
    await deliberateDelay(1_200);
    host.process.kill('SIGCONT');
    const { stdout } = await host.ended;
    expect(stdout).toBe('ready\n["exited",0]\n');
  });

  it('does not take a command for late that has exited in time', async () => {
    const [timeout, end] = [8_000, join(root, 'end')];
    const host = new NodeProcess(`
      import { jobs } from ${JSON.stringify(INDEX)};
      const command = 'echo $$; until [ -e ${end} ]; do sleep 0.01; done; exit 3';
      const job = jobs.start(command, { timeout: ${timeout}, shell: '/bin/sh' });
      job.on('data', (text) => console.log('pid ' + text));
      const { status, exitCode } = await job.result;
      console.log(JSON.stringify([status, exitCode]));
    `);
    await host.printed('pid ');
    const pid = host.stdout.match(/\d+/)?.[0];
    await stop(host);
    writeFileSync(end, '');
    await until(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '), 'the command has exited');
    await deliberateDelay(timeout);
    host.process.kill('SIGCONT');
    const { stdout } = await host.ended;
    expect(stdout).toContain('["exited",3]');
  });
});
