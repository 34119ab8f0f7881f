import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { INDEX, NodeProcess } from '../support/node.js';
import { until } from '../support/processes.mjs';

/** Starts a Node process that makes a spill file in its private directory and then does `program`. Returns both. */
async function hostWithFile(program: string): Promise<{ host: NodeProcess; path: string }> {
  const host = new NodeProcess(`
    process.env.TMPDIR = '/tmp';
    const { run } = await import(${JSON.stringify(INDEX)}).then((all) => all.default);
    const { spillPath } = await run('seq 1000', { output: { spill: true } });
    process.stdout.write('path ' + spillPath + ' made\\n', () => { ${program} });
  `);
  await host.said(' made');
  const path = /path (\S+) made/.exec(host.stdout)?.[1] ?? '';
  return { host, path };
}

describe('the private directory of spill files', () => {
  it('has the files while Node lives', async () => {
    const { path } = await hostWithFile('setInterval(() => {}, 1_000);');
    expect(existsSync(path)).toBe(true);
  });

  it.each([
    ['ends by itself', ''],
    ['calls process.exit()', 'process.exit(3);'],
    ['is ended by SIGTERM', "process.kill(process.pid, 'SIGTERM');"],
    ['is ended by SIGKILL', "process.kill(process.pid, 'SIGKILL');"],
    ['aborts', 'process.abort();'],
  ])('is removed when Node %s', async (_, program) => {
    const { host, path } = await hostWithFile(program);
    await host.ended;
    expect(path).toMatch(/^\/tmp\/agent-bash\./);
    await until(() => !existsSync(dirname(path)), 'it is removed');
  });
});
