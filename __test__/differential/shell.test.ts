import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { engines } from './engines.js';
import { shell } from './oracle/plan.js';
import { temporaryDirectory } from './runner.js';

const root = temporaryDirectory();
afterAll(() => rmSync(root, { recursive: true, force: true }));

/**
 * The shell's own arguments: the kernel's answer to who runs this. The colon keeps it from being replaced.
 */
const COMMAND = "tr '\\0' '|' </proc/$$/cmdline; :";

/** Set where some shells are hidden; without it, the first one there is. */
const expected = process.env.EXPECTED_SHELL ?? [shell().program, ...shell().flags].join(' ');

describe.each(engines)('the shell that %s chooses', (_, engine) => {
  it.runIf(process.platform === 'linux')(`is ${expected}`, async () => {
    const [program, flags] = expected.split(' ');
    const answer = await engine({ command: COMMAND }, root, false);
    expect(answer).toBe(`${program}|${flags}|${COMMAND}|\n[Exit code: 0]`);
  });
});
