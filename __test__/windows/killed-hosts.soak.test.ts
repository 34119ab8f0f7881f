import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { Random } from '../differential/seed.js';
import { deliberateDelay } from '../support/waits.mjs';
import { INDEX, node, TREE, temporaryDirectory } from './support.ts';

const COUNT = 50;
const AT_ONCE = 2;
const random = new Random(0);

/** Starts a tree, a detached process, a shell with a long command, output in a file. */
const HOST = `
  const { jobs } = require(process.env.INDEX);
  const tree = [process.execPath, '-e', process.env.TREE, '2'];
  const detached = "require('child_process')" +
    ".spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })";
  const start = () => {
    jobs.start(tree);
    jobs.start([process.execPath, '-e', detached]);
    jobs.start('x=' + 'a'.repeat(40000) + '; read -r line', { stdin: 'pipe' });
    jobs.start(['cmd.exe', '/d', '/c', 'echo x& set /p x='], { stdin: 'pipe', output: { spill: true } });
  };
  process.stdout.write('loaded');
  start();
  setTimeout(start, 100);
  setInterval(() => {}, 1000);
`;

/** Returns the processes of the system, as lines with a name and a pid. */
function processes(): string[] {
  const { stdout } = spawnSync('tasklist.exe', ['/fo', 'csv', '/nh'], { encoding: 'utf8' });
  // Windows writes a code page, wine UTF-16; the names are ASCII.
  const rows = [...stdout.replaceAll('\0', '').matchAll(/^"([^"]+)","(\d+)"/gm)].map(
    ([, name, pid]) => `${name} ${pid}`,
  );
  return rows.filter((row) => /^(node|cmd|bash|conhost)\.exe /i.test(row)).sort();
}

describe('Node.js that is ended by TerminateProcess at random moments', () => {
  it('leaves no process and no file', async () => {
    const temp = temporaryDirectory();
    const env = { ...process.env, TEMP: temp, TMP: temp, TREE, INDEX };
    const moments = Array.from(
      { length: COUNT },
      (_, index) => random.next() * (index % 2 === 0 ? 100 : 1500),
    );
    const before = processes();
    expect(before).toContainEqual(expect.stringMatching(/^node\.exe /i));
    const one = async () => {
      for (let moment = moments.pop(); moment !== undefined; moment = moments.pop()) {
        const host = spawn(process.execPath, ['-e', HOST], { env, stdio: ['ignore', 'pipe', 'inherit'] });
        const exited = once(host, 'exit');
        await once(host.stdout, 'data');
        await deliberateDelay(moment);
        host.kill('SIGKILL');
        expect(await exited).toEqual([null, 'SIGKILL']);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    await vi.waitFor(() => expect(processes()).toEqual(before), { timeout: 120_000, interval: 200 });

    // The next host removes the files of those that were killed.
    const [program, ...words] = node("require(process.env.INDEX).run('true')");
    await once(spawn(program as string, words, { env, stdio: 'inherit' }), 'exit');
    expect(readdirSync(temp)).toEqual([]);
  }, 1_800_000);
});
