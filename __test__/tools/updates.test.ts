import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Console } from 'agent-bash/console';
import { createTool, createTools, dialects, type ToolEvent, type ToolUpdate } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { type Job, keys } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { argumentsOf } from './arguments.js';

/**
 * Returns a command that writes parts, and goes on after each when there is a file with the number of parts.
 */
function inSteps(directory: string, parts: string[]): string {
  return parts
    .map((part, index) => `printf '${part}'; until [ -e ${directory}/${index + 1} ]; do sleep 0.01; done`)
    .join('; ');
}

/** Runs such a command, of which each part is in an update before the next one is written. */
async function updatesOf(
  run: (command: string, listen: (update: ToolUpdate) => void) => Promise<unknown>,
  parts: string[],
) {
  const directory = temporaryDirectory();
  const updates: ToolUpdate[] = [];
  await run(inSteps(directory, parts), (update) => {
    updates.push(update);
    if (!update.done) writeFileSync(join(directory, String(updates.length)), '');
  });
  return updates;
}

describe('updates', () => {
  it.each([...dialects])('show an unfinished line as it comes: %s', async (dialect) => {
    await using tool = createTool(dialect);
    const run = (command: string, onUpdate: (update: ToolUpdate) => void) =>
      tool.execute(argumentsOf(dialect, command), { onUpdate });
    const updates = await updatesOf(run, ['.', '.', '.\\n']);
    expect(updates.map(({ text }) => text)).toEqual(['.', '..', '...\n']);
    expect(updates.map(({ chunk }) => chunk)).toEqual(['.', '.', '.\n']);
  });

  it('show what a line is now, where a program writes it anew, and have its last form in a chunk', async () => {
    await using tool = createTool('bash');
    const run = (command: string, onUpdate: (update: ToolUpdate) => void) =>
      tool.execute({ command }, { onUpdate });
    const updates = await updatesOf(run, ['one\\n', ' 10%%', '\\r 50%%', '\\r100%%\\n', 'end\\n']);
    expect(updates.at(-1)?.text).toBe('one\n100%\nend\n');
    const texts = updates.map(({ text }) => text);
    expect(texts).toEqual(expect.arrayContaining(['one\n 10%', 'one\n 50%', 'one\n100%\n']));
    expect(updates.map(({ chunk }) => chunk).join('')).toBe('one\n 10%\n100%\nend\n');
  });

  it('leave a listener that takes long the whole interval', async () => {
    await using tool = createTool('bash', { updates: { intervalMs: 60 } });
    const pauses: number[] = [];
    let end = 0;
    const onUpdate = () => {
      const start = performance.now();
      if (end > 0) pauses.push(start - end);
      while (performance.now() < start + 100);
      end = performance.now();
    };
    await tool.execute({ command: 'for i in $(seq 60); do echo $i; sleep 0.01; done' }, { onUpdate });
    // A timer of Node.js may fire up to 1 ms early.
    expect(Math.min(...pauses)).toBeGreaterThan(58);
  });

  it('have the latest bytes of the output, from a whole character on', async () => {
    await using tool = createTool('bash', { updates: { maxBytes: 5 } });
    const updates: ToolUpdate[] = [];
    await tool.execute(
      { command: "printf 'aééé'; sleep 0.5" },
      { onUpdate: (update) => updates.push(update) },
    );
    expect(updates.at(-1)?.text).toBe('éé');
  });

  it.each([
    [{ intervalMs: -1 }, /options.updates.intervalMs/],
    [{ maxBytes: 0 }, /options.updates.maxBytes': expected an integer from 1 to/],
    [{ background: 1 }, /options.updates.background/],
    [{ interval: 1 }, /options.updates.interval/],
  ])('name what is wrong with their options: %j', (updates, message) => {
    expect(() => createTool('bash', { updates: updates as object })).toThrow(message);
  });
});

describe('updates on a job', () => {
  it.each([
    ['exit 0', 'completed', false],
    ['exit 3', 'failed', true],
  ])(
    'go on after the answer in oh-my-pi with async, and end with the result: %s',
    async (end, state, isError) => {
      await using toolset = createTools('oh-my-pi', { async: true });
      const directory = temporaryDirectory();
      const updates: ToolUpdate[] = [];
      const events: ToolEvent[] = [];
      toolset.on('update', (event) => events.push(event));
      const command = `until [ -e ${directory}/go ]; do sleep 0.01; done; printf part; until [ -e ${directory}/end ]; do sleep 0.01; done; ${end}`;
      const answer = await toolset.call(
        'bash',
        { command, async: true },
        { onUpdate: (update) => updates.push(update) },
      );
      expect(answer.data.async).toEqual({ state: 'running', jobId: answer.jobId, type: 'bash' });
      expect(updates).toEqual([]);
      writeFileSync(join(directory, 'go'), '');
      const job = { id: answer.jobId, state: 'running' };
      await until(() => updates.length > 0, 'an update comes');
      expect(updates[0]).toEqual({ done: false, text: 'part', tail: 'part', chunk: 'part', job });
      writeFileSync(join(directory, 'end'), '');
      const last = await until(() => updates.find(({ done }) => done), 'the last update comes');
      expect(last).toMatchObject({
        done: true,
        job: { ...job, state },
        result: { isError, jobId: answer.jobId },
      });
      expect(last.result?.data.async).toEqual({ state, jobId: answer.jobId, type: 'bash' });
      expect(last.text).toContain('part\n\nWall time:');
      expect(last.result?.run?.stdout).toBe('part');
      expect(events.at(-1)).toMatchObject({ type: 'update', update: { done: true } });
      expect(updates.at(-1)).toBe(last);
    },
  );

  it('come for a command that has moved to the background, in any dialect that is asked for them', async () => {
    await using toolset = createTools('bash', { updates: { background: true } });
    const updates: ToolUpdate[] = [];
    const directory = temporaryDirectory();
    const command = `echo one; until [ -e ${directory}/end ]; do sleep 0.01; done; echo two`;
    const { jobId } = await toolset.call(
      'bash',
      { command },
      { yieldMs: 300, onUpdate: (update) => updates.push(update) },
    );
    expect(updates.every((update) => update.job === undefined)).toBe(true);
    writeFileSync(join(directory, 'end'), '');
    const last = await until(() => updates.find(({ done }) => done), 'the last update comes');
    expect(last).toMatchObject({
      job: { id: jobId, state: 'completed' },
      text: expect.stringMatching(/^one\ntwo\n/),
    });
  });

  it('do not come in other dialects, nor at the end of a stream', async () => {
    await using toolset = createTools('bash');
    const updates: ToolUpdate[] = [];
    const { jobId = '' } = await toolset.call(
      'bash',
      { command: 'sleep 0.3; echo late', background: true },
      { onUpdate: (update) => updates.push(update) },
    );
    await toolset.jobs.get(jobId)?.result;
    await using other = createTools('oh-my-pi', { async: true });
    const streamed: ToolUpdate[] = [];
    const stream = other.tools[0]?.stream({ command: 'sleep 0.3; echo late', async: true });
    for await (const update of stream ?? []) streamed.push(update);
    expect(streamed.map(({ done, job }) => [done, job])).toEqual([[true, undefined]]);
    expect(updates).toEqual([]);
  });
});

describe('the job of a call', () => {
  it.each([...dialects])('is handed over before its first output: %s', async (dialect) => {
    await using toolset = createTools(dialect);
    const [tool] = toolset.tools;
    const started: { job: Job; pty: boolean; output: string }[] = [];
    const events: Extract<ToolEvent, { type: 'start' }>[] = [];
    toolset.on('start', (event) => events.push(event));
    await tool?.execute(argumentsOf(dialect, 'echo hi'), {
      callId: 'call-1',
      onJob: (job, { pty }) => {
        const entry = { job, pty, output: '' };
        started.push(entry);
        job.on('data', (text) => {
          entry.output += text;
        });
      },
    });
    expect(started).toMatchObject([{ pty: false, output: 'hi\n' }]);
    expect(events).toMatchObject([{ type: 'start', tool: tool?.name, callId: 'call-1', pty: false }]);
    expect(events[0]?.command).toContain('echo hi');
    expect(events[0]?.job).toBe(started[0]?.job);
    expect(JSON.stringify(events[0])).not.toContain('"job"');
  });

  it('lets a person answer a command in a terminal', async () => {
    await using tool = createTool('oh-my-pi', { hasUI: true });
    const { text } = await tool.execute(
      { command: 'read -p "name? " x; echo "hello $x"', pty: true },
      {
        onJob: (job, { pty }) => {
          expect(pty).toBe(true);
          const view = new Console(job);
          view.on('change', () => {
            if (view.render({ cols: 80, rows: 24 })[0] === 'name?') view.input(`you${keys('enter')}`);
          });
        },
      },
    );
    expect(text).toContain('hello you');
  });
});
