import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SOAK = fileURLToPath(new URL('../../scripts/soak.mjs', import.meta.url));

/** Runs the soak and returns its report, also if it found defects. */
function soak(commands: number): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const argv = ['--expose-gc', SOAK, '--commands', String(commands)];
    execFile(process.execPath, argv, (error, stdout, stderr) => {
      if (stdout === '') reject(error ?? new Error(stderr));
      else resolve(JSON.parse(stdout));
    });
  });
}

describe('3,000 commands with random options', () => {
  it('have the results that they should and leave nothing', { timeout: 180_000 }, async () => {
    const { wrong, left, before, after, growthMiB, seed } = await soak(3_000);
    expect({ seed, wrong, left, after }).toEqual({ seed, wrong: [], left: 0, after: before });
    // The heap of JavaScript breathes; a leak of 20 KiB for each command would be 60 MiB.
    expect(growthMiB).toBeLessThan(48);
  });
});
