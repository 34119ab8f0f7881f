import { describe, expect, it } from 'vitest';
import { NodeProcess } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { within } from '../support/slowness.mjs';
import { tag } from '../support/tag.js';

/** 10 MB a second: `yes` alone would take a processor from the other tests. */
const FLOOD = 'while yes $T | head -c 1000000; do sleep 0.1; done';

const COMMANDS: Record<string, string> = {
  'a held pipe': 'sleep $T & echo started',
  'a child that ignores SIGTERM': `sh -c 'trap "" TERM; while :; do sleep $T; done'`,
  'a shell that ignores SIGTERM': `trap '' TERM; while :; do sleep $T; done`,
  'a daemon that holds the pipe': 'setsid sleep $T & echo started',
  'a double fork that holds the pipe': `sh -c 'setsid sh -c "sleep $T & exec sleep $T" &'; echo started`,
  'a double fork while the shell lives': `sh -c 'setsid sh -c "sleep $T & exec sleep $T" &'; sleep $T`,
  'a double fork with its output redirected while the shell lives': `sh -c 'setsid sh -c "sleep $T & exec sleep $T" >/dev/null 2>&1 &'; sleep $T`,
  'a stopped shell': 'kill -STOP $$; sleep $T',
  'a flood': FLOOD,
  'a flood of errors': `exec >&2; ${FLOOD}`,
  'a grandchild with redirected output that ignores SIGTERM': `sh -c 'sh -c "trap \\"\\" TERM; while :; do sleep $T; done" >/dev/null 2>&1 & wait'`,
};

interface Answer {
  name: string;
  answer: string;
  after: number;
}

const PROGRAM = `
  const commands = ${JSON.stringify(COMMANDS)};
  // The first command starts the engine.
  await bash({ command: 'true' }, root);
  const start = performance.now();
  const answers = Promise.all(
    Object.entries(commands).map(async ([name, command]) => {
      const answer = await bash({ command: command.replaceAll('$T', TAG) }, root);
      return { name, answer: answer.slice(-200), after: performance.now() - start };
    }),
  );
  let last = performance.now();
  let gap = 0;
  const ticker = setInterval(() => {
    const now = performance.now();
    gap = Math.max(gap, now - last);
    last = now;
  }, 5);
  const report = await answers;
  clearInterval(ticker);
  console.log(JSON.stringify({ answers: report, gap }));
  console.log('end');
  // The end of this process would kill the rest.
  setInterval(() => {}, 1_000);
`;

/** A ticker without the package, to measure the delays of the machine itself. */
const CONTROL = `
  let last = performance.now();
  let gap = 0;
  setInterval(() => {
    const now = performance.now();
    gap = Math.max(gap, now - last);
    last = now;
  }, 5);
  process.on('SIGTERM', () => {
    console.log(gap);
    process.exit();
  });
  console.log('0');
`;

describe('the 30 seconds', () => {
  it('are the end of every command, of all its processes, and of no turn of the loop', {
    timeout: within(90_000),
  }, async () => {
    const seconds = tag();
    const control = new NodeProcess(CONTROL);
    await control.printed('0');
    const host = new NodeProcess(PROGRAM, { tag: seconds });
    await until(() => living(seconds).length > 10, 'the commands run');
    await host.printed('end', within(60_000));
    const left = living(seconds);
    control.process.kill('SIGTERM');
    const machine = Number((await control.ended).stdout.trim().split('\n').at(-1));
    host.process.kill('SIGKILL');
    const [line = ''] = (await host.ended).stdout.split('\n');
    const { answers, gap } = JSON.parse(line) as { answers: Answer[]; gap: number };

    expect(answers.map(({ name }) => name)).toEqual(Object.keys(COMMANDS));
    for (const { name, answer, after } of answers) {
      expect
        .soft(answer, name)
        .toMatch(/\n\[Process timed out after 30s and was terminated\]\n\[Exit code: \d+\]$/);
      expect.soft(after, name).toBeGreaterThanOrEqual(30_000);
      expect.soft(after, name).toBeLessThan(30_000 + within(6_000));
    }
    expect.soft(left, 'processes that are left').toEqual([]);
    // Floods and other tests compete for the processors: the control process says how long a loop waits for
    // its turn.
    expect
      .soft(gap, `the longest turn (without the package: ${machine} ms)`)
      .toBeLessThan(within(100) + machine);
  });
});
