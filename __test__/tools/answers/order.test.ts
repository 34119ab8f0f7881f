import { createTool, createTools } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { argumentsOf } from '../arguments.js';

const BOTH = 'for i in 1 2 3; do echo out$i; echo err$i >&2; done';
const IN_ORDER = 'out1\nerr1\nout2\nerr2\nout3\nerr3';
const BY_STREAM = 'out1\nout2\nout3\nerr1\nerr2\nerr3';

describe.each(['claude-code', 'openai-local-shell'] as const)('lines of both streams in %s', (dialect) => {
  it('stand as they were written', async () => {
    await using tool = createTool(dialect);
    const { text } = await tool.execute(argumentsOf(dialect, BOTH));
    expect(text.trimEnd()).toBe(IN_ORDER);
  });

  it.each([true, 'streams'])('stand as in the original by compat: %s', async (compat) => {
    await using tool = createTool(dialect, { compat });
    const { text, data } = await tool.execute(argumentsOf(dialect, BOTH));
    expect(text.trimEnd()).toBe(BY_STREAM);
    expect(data.stderr).toBe('err1\nerr2\nerr3\n');
  });
});

describe('lines of both streams of a background command of claude-code', () => {
  it('stand as they were written where the answer has one element', async () => {
    await using toolset = createTools('claude-code', { form: 'current' });
    await toolset.call('Bash', { command: BOTH, run_in_background: true });
    const { text } = await toolset.call('TaskOutput', { task_id: 'bash_1' });
    expect(text).toContain(`<output>\n${IN_ORDER}\n</output>`);
  });

  it('stand in the elements of the classic form', async () => {
    await using toolset = createTools('claude-code');
    const { jobId } = await toolset.call('Bash', { command: BOTH, run_in_background: true });
    await toolset.jobs.wait(String(jobId));
    const { text } = await toolset.call('BashOutput', { bash_id: 'bash_1' });
    expect(text).toContain('<stdout>\nout1\nout2\nout3\n</stdout>\n\n<stderr>\nerr1\nerr2\nerr3\n</stderr>');
  });
});
