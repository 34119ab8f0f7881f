import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LaunchOptions } from './oracle/launch.js';
import { oracle } from './oracle.js';
import { temporaryDirectory } from './runner.js';

const TIMED_OUT = '\n[Process timed out after 30s and was terminated]';
const root = temporaryDirectory();
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Longer than the test may take: what has to come first can only come by itself. */
const NEVER = 600_000;

function ask(command: string, options: LaunchOptions): Promise<string> {
  return oracle({ command }, root, false, { timeoutMs: 1_000, ...options });
}

/** The oracle's own timeout, which the suite has no time to compare. */
describe.concurrent('the oracle ends what takes too long', () => {
  it('with SIGTERM, keeping the output so far', async () => {
    const answer = await ask('echo before; exec sleep 60', { graceMs: NEVER });
    expect(answer).toBe(`before\n${TIMED_OUT}\n[Exit code: 143]`);
  });

  it('with the exit code that a handler of SIGTERM chose', async () => {
    const command = "trap 'echo ending; exit 5' TERM; echo before; sleep 60 & wait";
    expect(await ask(command, { graceMs: NEVER })).toBe(`before\nending\n${TIMED_OUT}\n[Exit code: 5]`);
  });

  it('with SIGKILL when SIGTERM is ignored', async () => {
    const answer = await ask("trap '' TERM; sleep 60; echo never", { graceMs: 100, drainMs: NEVER });
    expect(answer).toBe(`${TIMED_OUT}\n[Exit code: 137]`);
  });

  it('with the whole group, also behind a shell that has ended', async () => {
    const answer = await ask('sleep 60 & echo started', { graceMs: NEVER });
    expect(answer).toBe(`started\n${TIMED_OUT}\n[Exit code: 0]`);
  });

  it('with the pipes, if someone left the group and holds them', async () => {
    // The holder leaves by itself when its file is gone.
    const holder = 'while [ -e "$PWD/held" ]; do sleep 0.05; done';
    const command = `touch held; setsid sh -c '${holder}' & echo started`;
    const answer = await ask(command, { graceMs: 100, drainMs: 100 });
    rmSync(join(root, 'held'));
    expect(answer).toBe(`started\n${TIMED_OUT}\n[Exit code: 0]`);
  });
});
