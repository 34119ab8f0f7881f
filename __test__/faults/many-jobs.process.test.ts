import { describe, expect, it } from 'vitest';
import { askNode } from '../support/node.js';
import type { Resources } from '../support/processes.mjs';
import { SETUP } from './program.js';

interface Report {
  wrong: unknown[];
  before: Resources;
  after: Resources;
}

/** Starts 500 commands at once, of which each has its own output, and compares what comes of them. */
function fiveHundred(start: string): Promise<Report> {
  return askNode<Report>(`
    ${SETUP}
    import { readdirSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    import { join } from 'node:path';
    await warmUp();
    const before = await calm();
    const table = new Jobs({ maxRunning: 500, maxFinished: 500 });
    const commandOf = (index) => 'echo out ' + index + '; echo err ' + index + ' >&2; exit ' + (index % 200);
    const results = await Promise.all(Array.from({ length: 500 }, (_, index) => (${start})(index)));
    const wrong = results.filter(({ status, exitCode, signal, stdout, stderr, backgroundPids, error }, index) =>
      status !== 'exited' || exitCode !== index % 200 || signal !== null || backgroundPids.length !== 0
      || stdout !== 'out ' + index + '\\n' || stderr !== 'err ' + index + '\\n' || error !== null);
    await table.dispose();
    print({ wrong, before, after: await calm() });
  `);
}

describe('500 commands at once', () => {
  it.each([
    ['of run()', "(index) => run(commandOf(index), { shell: '/bin/sh' })"],
    ['in a table', "(index) => table.start(commandOf(index), { shell: '/bin/sh' }).result"],
  ])('%s have their own results each, and nothing is left', async (_, start) => {
    const { wrong, before, after } = await fiveHundred(start);
    expect(wrong).toEqual([]);
    expect(after).toEqual(before);
  });

  it('with files for their output have the right ones, which go with the table', async () => {
    const report = await askNode<unknown>(`
      ${SETUP}
      import { existsSync, readFileSync } from 'node:fs';
      const table = new Jobs({ maxRunning: 300, maxFinished: 300 });
      const results = await Promise.all(Array.from({ length: 300 }, (_, index) =>
        table.start('echo ' + index, { shell: '/bin/sh', output: { spill: true } }).result));
      const paths = results.map((result) => result.spill.path);
      const wrong = paths.filter((path, index) => readFileSync(path, 'utf8') !== index + '\\n');
      await table.dispose();
      print({ wrong, different: new Set(paths).size, left: paths.filter((path) => existsSync(path)) });
    `);
    expect(report).toEqual({ wrong: [], different: 300, left: [] });
  });
});
