import { describe, expect, it } from 'vitest';
import { askNode, INDEX } from '../support/node.js';
import { tag } from '../support/tag.js';

const IMPORTS = `
  import { Jobs, run } from ${JSON.stringify(INDEX)};
  const table = new Jobs({ maxRunning: 1_000, maxFinished: 0 });
`;

/** The descriptors of Node before and after, and those that `use` gives. */
function counted(use: string): Promise<{ before: string[]; after: string[]; output: unknown }> {
  return askNode(
    `${IMPORTS}
    const spill = { output: { spill: true } };
    // The first commands open permanent descriptors: of the engine, the guardian, the spill writer.
    await Promise.all(Array.from({ length: 20 }, () => run('true', { ...spill, input: 'x' })));
    const sorted = () => descriptors().sort();
    await until(isCalm, 'the engine is calm');
    const before = sorted();
    let output = null;
    ${use}
    await until(() => JSON.stringify(sorted()) === JSON.stringify(before), 'they are the same').catch(() => {});
    console.log(JSON.stringify({ before, after: sorted(), output }));
    `,
    { tag: tag() },
  );
}

describe('the descriptors of Node are the same', () => {
  it.each([
    ['after 200 commands with input', "await each(200, () => run('cat', { input: 'x'.repeat(100_000) }));"],
    [
      'after 100 jobs that are written to',
      `await each(100, () => {
      const job = table.start('cat', { stdin: 'pipe' });
      job.end('x');
      return job.result;
    });`,
    ],
    ['after 100 commands with a file', 'await each(100, () => run("seq 1000", spill));'],
    [
      'after 100 commands in one pipe',
      'await each(100, () => run("echo a; echo b >&2", { output: { merge: true } }));',
    ],
    [
      'after 100 commands that can not be started',
      'await each(100, () => run(["/nonexistent"], { input: "x" }));',
    ],
    [
      'after 50 commands that are timed out',
      'await each(50, () => run("setsid sleep " + TAG + " & wait", { timeout: 50 }));',
    ],
    [
      'after 50 commands whose leftovers are killed',
      `await each(50, () =>
      run('setsid sleep ' + TAG + ' & sleep ' + TAG + ' & echo hi', { background: 'kill', drain: { idle: 20 } }));`,
    ],
    [
      'after 50 commands that move to the background',
      `await each(50, async () => {
      const { jobId } = await run('sleep 0.2', { timeout: 20, onTimeout: 'background', jobs: table });
      if (jobId !== null) await table.wait(jobId).catch(() => {});
    });`,
    ],
  ])('%s', async (_, use) => {
    const { before, after } = await counted(`
      const each = (length, start) => Promise.all(Array.from({ length }, start));
      ${use}
    `);
    expect(after).toEqual(before);
  });
});

describe('a command has no descriptor of another', () => {
  it('whatever runs beside it', async () => {
    const { output } = await counted(`
      const others = Array.from({ length: 10 }, () => table.start('cat', { stdin: 'pipe', output: { spill: true } }));
      const { stdout } = await run('ls -l /proc/self/fd', { shell: '/bin/sh' });
      output = stdout.split('\\n').map((line) => line.split(' -> ')).filter(([, to]) => to !== undefined)
        .map(([from, to]) => from.split(' ').at(-1) + ' ' + to.replace(/\\[.*| .*|\\/\\d+\\/.*/, ''))
        // Descriptors that Node itself inherited are passed on, as by Node's own spawn.
        .filter((line) => Number(line.split(' ')[0]) < 100);
      for (const job of others) job.end();
      await Promise.all(others.map(({ result }) => result));
    `);
    expect(output).toEqual(['0 /dev/null', '1 pipe:', '2 pipe:', '3 /proc']);
  });
});
