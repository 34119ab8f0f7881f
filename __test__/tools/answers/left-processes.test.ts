import { createTool, createTools, type Dialect, dialects, type Toolset } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { living, until } from '../../support/processes.mjs';
import { tag } from '../../support/tag.js';
import { argumentsOf } from '../arguments.js';

/** Returns a command that leaves a process, and a function that returns its pid. */
function leaving(): { command: string; left: () => Promise<number>; isGone: () => boolean } {
  const seconds = tag();
  const command = `nohup sleep ${seconds} >/dev/null 2>&1 & echo x`;
  const left = () => until(() => living(seconds)[0], 'the process runs');
  return { command, left, isGone: () => living(seconds).length === 0 };
}

/** The dialects whose originals do not name them. */
const SILENT = dialects.filter((name) => !['bash', 'gemini', 'execute_bash_command'].includes(name));

describe.each([...dialects])('a process that a command leaves in %s', (dialect) => {
  it('is named in the text and in the data', async () => {
    await using tool = createTool(dialect);
    const { command, left } = leaving();
    const { text, data, isError } = await tool.execute(argumentsOf(dialect, command));
    const pid = new RegExp(`\\b${await left()}\\b`);
    expect(text).toMatch(pid);
    expect(JSON.stringify(data)).toMatch(pid);
    expect(isError).toBe(false);
  });
});

describe.each(SILENT)('a process that a command leaves in %s', (dialect) => {
  it.each([true, 'processes'])('is not named in the words of the original: %s', async (compat) => {
    await using tool = createTool(dialect, { compat });
    const { command, left } = leaving();
    const { text } = await tool.execute(argumentsOf(dialect, command));
    expect(text).not.toContain(String(await left()));
    expect(text).not.toContain('still running');
  });
});

interface Way {
  dialect: Dialect;
  options?: object;
  start: object;
  /** The calls that tell of the job, by what its start has answered. */
  tell: (data: Record<string, unknown>) => [tool: string, args: object][];
}

const WAYS: Way[] = [
  {
    dialect: 'bash',
    start: { background: true },
    tell: ({ job }) => [
      ['bash_read', { job }],
      ['bash_output', { job }],
      ['bash_list', {}],
    ],
  },
  {
    dialect: 'claude-code',
    options: { listTool: true },
    start: { run_in_background: true },
    tell: ({ backgroundTaskId: bash_id }) => [
      ['BashOutput', { bash_id }],
      ['BashList', {}],
    ],
  },
  {
    dialect: 'claude-code',
    options: { form: 'current' },
    start: { run_in_background: true },
    tell: ({ backgroundTaskId: task_id }) => [['TaskOutput', { task_id }]],
  },
  {
    dialect: 'codex-exec',
    options: { listTool: true },
    start: { yield_time_ms: 250 },
    tell: ({ session_id = 1001 }) => [
      ['write_stdin', { session_id }],
      ['list_sessions', {}],
    ],
  },
  {
    dialect: 'gemini',
    start: { is_background: true, delay_ms: 0 },
    tell: ({ pid }) => [
      ['read_background_output', { pid }],
      ['list_background_processes', {}],
    ],
  },
  {
    dialect: 'oh-my-pi',
    options: { async: true },
    start: { async: true },
    tell: ({ async }) => [
      ['job', { poll: [(async as { jobId: string }).jobId] }],
      ['job', { poll: [(async as { jobId: string }).jobId] }],
      ['job', { list: true }],
    ],
  },
];

describe.each(WAYS)('a process that a job leaves in $dialect %$', ({ dialect, options, start, tell }) => {
  async function ended(toolset: Toolset, command: string) {
    const args = { ...argumentsOf(dialect, `sleep 0.5; ${command}`), ...start };
    const { data, jobId } = await toolset.call(String(toolset.tools[0]?.name), args);
    await toolset.jobs.wait(String(jobId));
    return tell(data);
  }

  it('is named when the job is read and listed, as long as it runs', async () => {
    await using toolset = createTools(dialect, options);
    const { command, left, isGone } = leaving();
    const calls = await ended(toolset, command);
    const pid = await left();
    for (const [tool, args] of calls) {
      const { text, data } = await toolset.call(tool, args);
      expect([tool, text]).toEqual([tool, expect.stringMatching(new RegExp(`\\b${pid}\\b`))]);
      if (tool !== 'bash_output') expect(JSON.stringify(data)).toMatch(new RegExp(`\\b${pid}\\b`));
    }
    process.kill(pid);
    await until(isGone, 'the process is gone');
    for (const [tool, args] of calls) {
      const { text } = await toolset.call(tool, args);
      expect([tool, text]).not.toEqual([tool, expect.stringMatching(new RegExp(`\\b${pid}\\b`))]);
    }
  });
});

describe('the notice of claude-code', () => {
  it('names a process that the job has left', async () => {
    const notices: (string | null)[] = [];
    await using toolset = createTools('claude-code', { form: 'current' });
    toolset.on('job', ({ notice }) => notices.push(notice));
    const { command, left } = leaving();
    await toolset.call('Bash', { command, description: 'Serve', run_in_background: true });
    await until(() => notices.length > 0);
    const end = `completed (exit code 0); still running in the background: pid ${await left()}`;
    expect(notices[0]).toContain(`<summary>Background command "Serve" ${end}</summary>`);
  });
});
