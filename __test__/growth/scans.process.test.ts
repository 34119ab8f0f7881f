import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { INDEX, WAITS } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

const directory = temporaryDirectory();
const STRANGERS = 1_000;

/** Starts idle processes that are no command's. Returns their pids. */
async function strangers(): Promise<Set<number>> {
  const seconds = tag();
  const shell = spawn('/bin/sh', ['-c', `for i in $(seq ${STRANGERS}); do sleep ${seconds} & done; wait`], {
    detached: true,
    stdio: 'ignore',
  });
  onTestFinished(() => {
    if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
  });
  await until(() => living(seconds).length >= STRANGERS, 'all strangers are there');
  return new Set(living(seconds));
}

/**
 * The number of reads of these processes in the process table while a program runs, and the output of the
 * program.
 */
function inspections(program: string, of: Set<number>): { count: number; output: string } {
  const trace = join(directory, 'trace.txt');
  const words = ['-f', '-qq', '-e', 'trace=openat', '-o', trace, process.execPath, '-e', program];
  const { stdout } = spawnSync('strace', words, {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const reads = [...readFileSync(trace, 'utf8').matchAll(/"\/proc\/(\d+)\/(?:stat|limits|fd)"/g)];
  // Other programs of this machine start processes too, and each of them is inspected once.
  return { count: reads.filter(([, pid]) => of.has(Number(pid))).length, output: stdout };
}

const program = (act: string) => `
  const { run, jobs } = require(${JSON.stringify(INDEX)});
  (async () => {
    const { nothingFor } = await import(${JSON.stringify(WAITS)});
    ${act}
  })().then(() => console.log('done'));
`;

describe('beside processes of strangers, the process table is not read', { tags: ['strace'] }, () => {
  it.each([
    ['for a command that takes longer than a second', "await run('sleep 1.2');"],
    [
      'for commands that end one after another',
      "await Promise.all(Array.from({ length: 10 }, (_, i) => run(['sleep', String(1.1 + i / 10)])));",
    ],
    ['for a command that is killed', "await run('sleep 60', { timeout: 1_200 });"],
    [
      'for a job that is idle',
      `const job = jobs.start('sleep 60 & wait'); await nothingFor(2_000); job.kill(); await job.result;`,
    ],
  ])('%s', async (_, act) => {
    const { count, output } = inspections(program(act), await strangers());
    expect(output).toBe('done\n');
    expect(count).toBeLessThan(STRANGERS);
  });
});
