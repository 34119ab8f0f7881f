import { describe, expect, it } from 'vitest';
import { askNode } from '../support/node.js';
import { tag } from '../support/tag.js';

/**
 * A Python program that starts a child as the child of its own parent (`CLONE_PARENT`), which is Node, in a
 * session of its own. The child does `then`.
 */
const sibling = (then: string) => `
import ctypes, os, platform, signal, sys, time
CLONE = {'x86_64': 56, 'aarch64': 220}[platform.machine()]
CLONE_PARENT = 0x8000
if ctypes.CDLL(None).syscall(CLONE, CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0) == 0:
    os.setsid()
    ${then}
    os._exit(0)
`;

const program = (then: string, rest: string, act: string) => `
  import { run } from ${JSON.stringify(new URL('../../index.js', import.meta.url).pathname)};
  const command = ['python3', '-c', ${JSON.stringify(sibling(then) + rest)}];
  const isClean = () => children().every((child) => child === 'guardian');
  ${act}
`;

describe('a process that a command makes the child of Node', { tags: ['python3'] }, () => {
  it.each([
    ['that exits before the command', 'pass', 'time.sleep(0.3)'],
    ['that outlives the command', 'os.closerange(0, 3); time.sleep(0.5)', ''],
  ])('%s is reaped', async (_, then, rest) => {
    const answer = await askNode(
      program(
        then,
        rest,
        `
          const { status } = await run(command);
          await until(isClean, 'no zombie is left');
          console.log(JSON.stringify({ status }));
        `,
      ),
    );
    expect(answer).toEqual({ status: 'exited' });
  });

  it.each([
    ['that holds the output', 'signal.pause()'],
    ['that has closed everything', 'os.closerange(0, 3); signal.pause()'],
  ])('%s ends on the kill signal of the timeout', async (_, then) => {
    const answer = await askNode(
      program(
        then,
        'signal.pause()',
        `
          const { status, durationMs } = await run(command, { timeout: 1_000, forceKillAfterDelay: 30_000 });
          await until(isClean, 'nobody is left');
          console.log(JSON.stringify({ status, isForced: durationMs > 30_000 }));
        `,
      ),
      { tag: tag() },
    );
    expect(answer).toEqual({ status: 'timeout', isForced: false });
  });

  it('that holds the output of bash() ends on the kill signal of the timeout', async () => {
    const answer = await askNode(
      program(
        'signal.pause()',
        'signal.pause()',
        `
          const words = command.map((word) => "'" + word.replaceAll("'", "'\\\\''") + "'");
          const job = new BashJob({ command: 'exec ' + words.join(' ') }, '/', false, { timeout: 1_000 });
          const { status, durationMs } = await job.result;
          await until(isClean, 'nobody is left');
          console.log(JSON.stringify({ status, isForced: durationMs > 6_000 }));
        `,
      ),
      { tag: tag() },
    );
    expect(answer).toEqual({ status: 'timeout', isForced: false });
  });
});
