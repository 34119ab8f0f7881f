import { existsSync, utimesSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { INDEX, NodeProcess } from '../support/node.js';
import { until } from '../support/processes.mjs';

/**
 * Starts a Node process that makes a spill file in its private directory and then does `program`. Returns
 * both.
 */
async function hostWithFile(program: string, place = '/tmp'): Promise<{ host: NodeProcess; path: string }> {
  const host = new NodeProcess(`
    process.env.TMPDIR = '${place}';
    const { run } = await import(${JSON.stringify(INDEX)}).then((all) => all.default);
    const { spillPath } = await run('seq 1000', { output: { spill: true } });
    process.stdout.write('path ' + spillPath + ' made\\n', () => { ${program} });
  `);
  await host.printed(' made');
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

  it('is removed by the next Node where the guardian does not look', async () => {
    const place = temporaryDirectory();
    const killed = await hostWithFile("process.kill(process.pid, 'SIGKILL');", place);
    await killed.host.ended;
    const orphan = dirname(killed.path);
    // A young one might be another host's that has not locked it yet.
    const anHourAgo = Date.now() / 1000 - 3600;
    utimesSync(orphan, anHourAgo, anHourAgo);
    const next = await hostWithFile('setInterval(() => {}, 1_000);', place);
    await until(() => !existsSync(orphan), 'it is removed');
    expect(existsSync(next.path)).toBe(true);
  });
});
