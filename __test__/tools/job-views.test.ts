import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTools, type Dialect, type Toolset } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';

/** The calls that start and read a job in a dialect; `last` if a read has all of its output. */
interface Way {
  dialect: Dialect;
  options?: object;
  start: (command: string) => object;
  read: (data: Record<string, unknown>) => [tool: string, args: object];
}

const WAYS: Way[] = [
  {
    dialect: 'bash',
    start: (command) => ({ command, background: true }),
    read: ({ job }) => ['bash_read', { job, wait_ms: 100 }],
  },
  {
    dialect: 'claude-code',
    start: (command) => ({ command, run_in_background: true }),
    read: ({ backgroundTaskId }) => ['BashOutput', { bash_id: backgroundTaskId }],
  },
  {
    dialect: 'codex-exec',
    start: (command) => ({ cmd: command, login: false, yield_time_ms: 250 }),
    read: ({ session_id }) => ['write_stdin', { session_id, yield_time_ms: 250 }],
  },
  {
    dialect: 'oh-my-pi',
    options: { async: true },
    start: (command) => ({ command, async: true }),
    read: ({ async }) => ['job', { poll: [(async as { jobId: string }).jobId] }],
  },
  {
    dialect: 'gemini',
    start: (command) => ({ command, is_background: true }),
    read: ({ pid }) => ['read_background_output', { pid, delay_ms: 100 }],
  },
];

/** Reads until a text has the error. */
async function readError(toolset: Toolset, [tool, args]: [string, object]): Promise<string> {
  for (;;) {
    const { text, isError } = await toolset.call(tool, args);
    expect(isError, text).toBe(false);
    if (text.includes('error: no such type')) return text;
  }
}

describe('the view of a job', () => {
  it.each(WAYS)('shows the error of a build in $dialect', async ({ dialect, options, start, read }) => {
    const go = join(temporaryDirectory(), 'go');
    await using toolset = createTools(dialect, { ...options, output: { view: { maxBytes: 600 } } });
    const command = `until [ -e ${go} ]; do sleep 0.02; done; x=$(seq 3000); printf '%s\\nmain.c:7: error: no such type\\n%s\\n' "$x" "$x"; sleep 2`;
    const [main] = toolset.tools;
    const { data } = await toolset.call(main?.name ?? '', start(command));
    writeFileSync(go, '');
    expect(existsSync(go)).toBe(true);
    const text = await readError(toolset, read(data));
    expect(text).toMatch(/^\[lines? \d+(-\d+)? left out: /m);
    expect(Buffer.byteLength(text)).toBeLessThan(1_500);
  });

  it('counts lines from the start of the job', async () => {
    const go = join(temporaryDirectory(), 'go');
    await using toolset = createTools('bash', { output: { view: { maxBytes: 600 } } });
    const command = `seq 3000; until [ -e ${go} ]; do sleep 0.02; done; seq 3001 6000; sleep 99`;
    const started = await toolset.call('bash', { command, background: true });
    const { job } = started.data;
    // On a busy machine, the answer has this output already.
    let { text } = started;
    while (!/^3000$/m.test(text)) text += (await toolset.call('bash_read', { job, wait_ms: 5_000 })).text;
    writeFileSync(go, '');
    let cursor = 0;
    while (!/^6000$/m.test(text)) {
      const read = await toolset.call('bash_read', { job, wait_ms: 5_000 });
      ({ text } = read);
      cursor = read.data.cursor;
      for (const [, from] of text.matchAll(/^\[lines? (\d+)[^\n]* left out: [^\n]*\n/gm)) {
        const { data: lines } = await toolset.call('bash_output', { job, from, to: from });
        // The command writes the number of each line.
        expect(lines.output).toBe(from);
      }
    }
    expect(cursor).toBeGreaterThan(0);
    // A read from an offset has the same text: the 500th line begins after 1,888 bytes.
    const again = await toolset.call('bash_read', { job, since: 1_888 });
    const [, first] = /^\[lines (\d+)-\d+ left out: /m.exec(again.text) ?? [];
    expect(again.text).toMatch(/^500$/m);
    expect(Number(first)).toBeGreaterThan(500);
    expect(again.text.split('\n').indexOf(String(Number(first) - 1))).toBeGreaterThanOrEqual(0);
  });

  it('does not take lines from a filter', async () => {
    await using toolset = createTools('claude-code', { output: { view: { maxBytes: 300 } } });
    const go = join(temporaryDirectory(), 'go');
    const command = `until [ -e ${go} ]; do sleep 0.02; done; seq 3000`;
    const { data } = await toolset.call('Bash', { command, run_in_background: true });
    const id = data.backgroundTaskId;
    writeFileSync(go, '');
    await toolset.jobs.wait();
    const { text } = await toolset.call('BashOutput', { bash_id: id, filter: '^12.4$' });
    for (let digit = 0; digit < 10; digit++) expect(text).toContain(`\n12${digit}4`);
  });

  it('has the budget that the call asks for', async () => {
    await using toolset = createTools('codex-exec', { output: { view: true } });
    const cmd = 'seq 30000; echo "main.c:7: error: no such type"; seq 30000';
    const { text, data } = await toolset.call('exec_command', { cmd, login: false, max_output_tokens: 250 });
    expect(text).toContain('main.c:7: error: no such type');
    expect(text).not.toContain('truncated');
    expect(Buffer.byteLength(data.output)).toBeLessThanOrEqual(1_000);
    expect(data.original_token_count).toBeGreaterThan(80_000);
  });
});
