import { describe, expect, it } from 'vitest';
import { askNode, INDEX } from '../support/node.js';

const MIB = 1024 * 1024;

interface Report {
  growth: number;
  status: string;
  bytes: number;
  elapsed: number;
}

/** Ends a flood by its timeout, and tells how much the memory of Node grew. */
function flood(command: string, start: string): Promise<Report> {
  return askNode<Report>(`
    import { Jobs, run } from ${JSON.stringify(INDEX)};
    const table = new Jobs();
    const command = ${JSON.stringify(command)};
    await run('head -c 8000000 /dev/zero', { output: { stripAnsi: true } });
    const before = residentMemory();
    let most = before;
    const look = setInterval(() => { most = Math.max(most, residentMemory()) }, 5);
    const since = performance.now();
    const { status, totalBytes } = await ${start};
    clearInterval(look);
    const elapsed = performance.now() - since;
    console.log(JSON.stringify({ growth: most - before, status, bytes: totalBytes.stdout, elapsed }));
  `);
}

const YES = 'exec yes';
const NO_LINE = 'exec cat /dev/zero';
const SMALL = 'while :; do echo x; echo y >&2; done';

describe('a command that never stops writing', () => {
  it.each([
    ['lines, nobody reads', YES, 'run(command, { timeout: 800 })'],
    ['one line without an end', NO_LINE, 'run(command, { timeout: 800 })'],
    [
      'one line, as a terminal shows it',
      NO_LINE,
      'run(command, { timeout: 800, output: { stripAnsi: true } })',
    ],
    [
      'many small pieces, a listener',
      SMALL,
      "table.start(command, { timeout: 800 }).on('data', () => {}).result",
    ],
    [
      'bytes, a listener',
      NO_LINE,
      "table.start(command, { timeout: 800, encoding: 'buffer' }).on('data', () => {}).result",
    ],
    ['lines, a job that can be read', YES, 'table.start(command, { timeout: 800 }).result'],
  ])('%s, takes little memory and is ended in time', async (_, command, start) => {
    const { growth, status, bytes, elapsed } = await flood(command, start);
    expect(status).toBe('timeout');
    expect(growth).toBeLessThan(64 * MIB);
    expect(bytes).toBeGreaterThan(2_000);
    expect(elapsed).toBeGreaterThanOrEqual(800);
    expect(elapsed).toBeLessThan(10_000);
  });
});
