import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { node, project, VITEST } from './project.js';

const MODULE = `
  import { run } from 'agent-bash';
  export const stamp = async () => (await run('date +%s%N')).stdout.trim();
`;

const OF_VITEST = `
  import { faults, useShell } from 'agent-bash/testing/vitest';
  import { expect, test, vi } from 'vitest';
  import { run } from 'agent-bash';
  import { stamp } from './stamp.js';

  const shell = useShell();
  test('reads the time', async () => {
    console.log('STAMP', await stamp());
    expect(shell).toHaveRun('date *');
    expect(shell).toHaveRunInOrder(['date *']);
    expect(shell).not.toHaveRun('date', { times: 2 });
  });
  test('waits under fake timers', async () => {
    vi.useFakeTimers();
    shell.fake('npm ci', faults.hang());
    expect((await run('npm ci', { timeout: 60_000 })).status).toBe('timeout');
    vi.useRealTimers();
  });
  test('shows a result', async () => {
    const result = await run('echo hi');
    expect(result.pid).not.toBeNull();
    expect(result).toMatchInlineSnapshot(\`
      {
        "backgroundPids": [],
        "command": "echo hi",
        "cursor": null,
        "cwd": "<root>",
        "decision": null,
        "durationMs": "<ms>",
        "error": null,
        "exitCode": 0,
        "jobId": null,
        "limits": null,
        "output": "hi
      ",
        "pid": "<pid>",
        "pipeStatus": null,
        "processGroup": "<processGroup>",
        "sandbox": null,
        "signal": null,
        "spill": null,
        "spillPath": null,
        "status": "exited",
        "stderr": "",
        "stdout": "hi
      ",
        "target": null,
        "totalBytes": {
          "stderr": 0,
          "stdout": 3,
        },
        "truncated": false,
        "usage": "<usage>",
        "view": null,
      }
    \`);
  });
`.replace('        "pipeStatus": null,\n', '');

const OF_NODE = `
  import { useShell } from 'agent-bash/testing/node';
  import { test } from 'node:test';
  import { stamp } from './stamp.js';

  useShell();
  test('reads the time', async () => console.log('STAMP', await stamp()));
`;

const OTHER = `
  import { expect, test } from 'vitest';
  import { run } from 'agent-bash';
  test('runs a command', async () => expect((await run('echo real')).stdout).toBe('real\\n'));
`;

const stampIn = (text: string) => /STAMP (\d+)/.exec(text)?.[1];

describe.each(['forks', 'threads', 'vmForks', 'vmThreads'])('in the pool %s of vitest', (pool) => {
  it('a test records at first, and is replayed from then on', async () => {
    const directory = project({ 'stamp.js': MODULE, 'a.test.js': OF_VITEST, 'b.test.js': OTHER });
    const vitest = (env = {}) =>
      node(
        directory,
        [VITEST, 'run', '--pool', pool, '--configLoader', 'runner', '--maxWorkers=1', '--no-isolate'],
        env,
      );
    const first = await vitest();
    expect(first.text).toContain('4 passed');
    expect(existsSync(join(directory, '__cassettes__/a.test.js.json'))).toBe(true);
    const second = await vitest({ CI: '1' });
    expect(second.text).toContain('4 passed');
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(stampIn(second.text)).toBe(stampIn(first.text));
  });
});

it('node:test records at first, and replays from then on', async () => {
  const directory = project({ 'stamp.js': MODULE, 'a.test.js': OF_NODE });
  const test = (env = {}) => node(directory, ['--test', '--test-reporter=tap', 'a.test.js'], env);
  const first = await test();
  expect(first.text).toContain('# pass 1');
  const second = await test({ CI: '1' });
  expect(second.text).toContain('# pass 1');
  expect(stampIn(second.text)).toBe(stampIn(first.text));
});

it('a failure of the shell fails a test that swallows it, and says how to record again', async () => {
  const swallows = `
    import { useShell } from 'agent-bash/testing/vitest';
    import { test } from 'vitest';
    import { run } from 'agent-bash';
    useShell();
    test('reads the tag', async () => { await run(process.env.COMMAND); });
  `;
  const directory = project({ 'a.test.js': swallows });
  const vitest = (env = {}) => node(directory, [VITEST, 'run', '--configLoader', 'runner'], env);
  await vitest({ COMMAND: 'echo one' });
  const { code, text } = await vitest({ COMMAND: 'echo two' });
  expect(code).toBe(1);
  expect(text).toContain('CASSETTE_MISS in "reads the tag": no recording of');
  expect(text).toContain('If meant: AGENT_BASH_CASSETTES=record npx vitest run a.test.js -t "reads the tag"');
  expect(text).toContain(
    '    - echo one                       (nearest unused: __cassettes__/a.test.js.json:5)',
  );
  expect(readFileSync(join(directory, '__cassettes__/a.test.js.json'), 'utf8')).toContain('echo one');
});
