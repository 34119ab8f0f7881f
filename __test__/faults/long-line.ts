import { expect } from 'vitest';
import { askNode } from '../support/node.js';
import { SETUP } from './program.js';

const MIB = 1024 * 1024;
const LENGTH = 157_000_000;

interface Report {
  growth: number;
  total: { stdout: number; stderr: number };
  lengths: [number, number];
  truncated: boolean;
  exitCode: number | null;
  starts: boolean;
  ends: boolean;
  marker: string;
}

/** Runs a command with one line of 157 MB, and tells how much the memory of Node grew. */
function longLine(output: object, stream: 'stdout' | 'stderr' = 'stdout'): Promise<Report> {
  return askNode<Report>(`
    ${SETUP}
    const line = (length) => "printf first; head -c " + length + " /dev/zero | tr '\\\\0' x; printf last";
    const output = ${JSON.stringify(output)};
    await run(line(4_000_000), { output });
    const before = residentMemory();
    let most = before;
    const look = setInterval(() => { most = Math.max(most, residentMemory()) }, 5);
    const command = line(${LENGTH - 'firstlast'.length}) + '; exit 7';
    const result = await run(${stream === 'stderr' ? "'{ ' + command + '; } >&2'" : 'command'}, { output });
    clearInterval(look);
    most = Math.max(most, residentMemory());
    const { stdout, stderr, totalBytes, truncated, exitCode } = result;
    const kept = stdout;
    print({
      growth: most - before, total: totalBytes, lengths: [stdout.length, stderr.length], truncated, exitCode,
      starts: kept.startsWith('firstxxx'), ends: kept.endsWith('xxxlast'),
      marker: kept.replace(/(first)?x+(last)?/g, ''),
    });
  `);
}

const SIZE = 100_000;

/** Returns the expected output for a line of 157 MB. */
export async function checkLongLine(
  keep: 'head' | 'tail' | 'both',
  options: { merge: boolean; stripAnsi: boolean },
): Promise<void> {
  const marker = keep === 'both' ? '<{bytes}>' : '';
  const output = { keep, maxBytes: SIZE, marker, cut: 'character', ...options };
  const report = await longLine(output, options.merge ? 'stderr' : 'stdout');
  const left = `<${LENGTH - SIZE}>`;
  expect(report.growth).toBeLessThan(64 * MIB);
  expect({ ...report, growth: 0 }).toEqual({
    growth: 0,
    total: { stdout: LENGTH, stderr: 0 },
    lengths: [keep === 'both' ? SIZE + left.length : SIZE, 0],
    truncated: true,
    exitCode: 7,
    starts: keep !== 'tail',
    ends: keep !== 'head',
    marker: keep === 'both' ? left : '',
  });
}
