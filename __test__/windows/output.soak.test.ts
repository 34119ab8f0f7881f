import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';
import { node } from './support.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** Writes 1 GiB. */
const WRITER = `
  const { writeSync } = require('node:fs');
  const piece = Buffer.alloc(${MIB}, 'x');
  for (let left = ${GIB}; left > 0; ) left -= writeSync(1, piece, 0, Math.min(left, piece.length));
`;

describe('an output of 1 GiB on Windows', () => {
  it('is counted to the last byte, in constant memory', async () => {
    let peak = 0;
    const before = process.memoryUsage().rss;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 50);
    const { status, exitCode, stdout, totalBytes, truncated } = await run(node(WRITER));
    clearInterval(watch);
    expect({ status, exitCode, truncated, totalBytes }).toEqual({
      status: 'exited',
      exitCode: 0,
      truncated: true,
      totalBytes: { stdout: GIB, stderr: 0 },
    });
    expect(stdout.length).toBeLessThan(2 * MIB);
    expect(peak - before).toBeLessThan(64 * MIB);
  }, 1_800_000);
});
