import { existsSync, linkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTools, type Toolset } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { faults } from './valid.js';

const LONG = 'seq 5000; echo "main.c:7: error: no such type"; seq 5000';

/** Runs a command whose output is longer than the view, and gives the path that the answer names. */
async function longOutput(toolset: Toolset, command = LONG): Promise<string> {
  const { text, data } = await toolset.call('bash', { command });
  expect(text).toContain(`whole: ${data.spill_path}`);
  return data.spill_path;
}

async function answer(toolset: Toolset, args: object): Promise<string> {
  const { text, isError, data } = await toolset.call('bash_output', args);
  expect(faults(data, toolset.get('bash_output')?.outputSchema ?? {})).toEqual([]);
  expect(isError).toBe(text.startsWith('Error: '));
  return text;
}

describe('bash_output', () => {
  it('shows lines by the numbers of the markers', async () => {
    await using toolset = createTools('bash', { output: { view: { maxBytes: 600 } } });
    const { text, data } = await toolset.call('bash', { command: LONG });
    const path = data.spill_path;
    const [, from, to] = /^\[lines (\d+)-(\d+) left out: /m.exec(text) ?? [];
    expect(await answer(toolset, { path, from: 4_999, to: 5_002 })).toBe(
      '4999\n5000\nmain.c:7: error: no such type\n1\n[lines 4999 to 5002; from: 5003 goes on]',
    );
    expect((await answer(toolset, { path, from, to })).split('\n')[0]).toBe(from);
    expect(await answer(toolset, { path, from: 10_001 })).toBe('5000\n[line 10001; the output has no more]');
    expect(await answer(toolset, { path, from: 20_000 })).toBe(
      '[there is no line 20000: the output has fewer lines]',
    );
  });

  it('goes on where the budget ends', async () => {
    await using toolset = createTools('bash', { output: { maxBytes: 1_000 } });
    const path = await longOutput(toolset);
    const first = await answer(toolset, { path, from: 1 });
    const next = Number(/from: (\d+) goes on\]$/.exec(first)?.[1]);
    expect(Buffer.byteLength(first)).toBeLessThan(1_100);
    expect((await answer(toolset, { path, from: next })).split('\n')[0]).toBe(String(next));
  });

  it('shows the beginning of a line that is too long', async () => {
    await using toolset = createTools('bash', { output: { maxBytes: 1_000 } });
    const path = await longOutput(toolset, 'head -c 9000 /dev/zero | tr "\\0" x; echo; echo end');
    const text = await answer(toolset, { path, from: 1 });
    expect(text).toMatch(/^x{900,1000}\n\[line 1, of which only the beginning fits; from: 2 goes on\]$/);
  });

  it('finds lines that contain a text', async () => {
    await using toolset = createTools('bash', { output: { maxBytes: 1_000 } });
    const path = await longOutput(toolset);
    expect(await answer(toolset, { path, find: 'error:' })).toBe(
      '5001: main.c:7: error: no such type\n[1 line has this text]',
    );
    expect(await answer(toolset, { path, find: '77.7' })).toBe('[no line has this text]');
    const first = await answer(toolset, { path, find: '9' });
    const [, next] = /^\[\d+ of 2710 lines that have this text; from: (\d+) shows more\]$/m.exec(first) ?? [];
    const second = await answer(toolset, { path, find: '9', from: next });
    expect(Number.parseInt(second, 10)).toBeGreaterThanOrEqual(Number(next));
  });

  it('shows a view of all output without lines and text', async () => {
    await using toolset = createTools('bash', { output: { maxBytes: 1_000 } });
    const path = await longOutput(toolset);
    const text = await answer(toolset, { path });
    expect(text).toContain('main.c:7: error: no such type');
    expect(text).toMatch(/^\[output: 10,001 lines, /m);
  });

  it('reads no file that this toolset has not named', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'secret'), 'secret\n');
    await using other = createTools('bash');
    await using toolset = createTools('bash');
    const others = await longOutput(other, 'seq 20000');
    const own = await longOutput(toolset, 'seq 20000');
    for (const path of ['/etc/passwd', join(directory, 'secret'), others, `${own}/../${own}`, `${own}x`]) {
      expect(await answer(toolset, { path })).toBe(
        `Error: 'path' is not a file with output that an answer has named: ${path}`,
      );
    }
    expect(await answer(toolset, { path: own, from: 20_000 })).toContain('20000\n');
  });

  it.each(['link', 'hard link', 'directory'])('reads no %s in the place of the file', async (kind) => {
    const directory = temporaryDirectory();
    const secret = join(directory, 'secret');
    writeFileSync(secret, 'secret\n');
    const output = { spill: { directory: join(directory, 'spill') } };
    await using toolset = createTools('bash', { output });
    const path = await longOutput(toolset, 'seq 20000');
    renameSync(path, `${path}.old`);
    if (kind === 'link') symlinkSync(secret, path);
    else if (kind === 'hard link') linkSync(secret, path);
    else symlinkSync(directory, path);
    expect(await answer(toolset, { path })).toMatch(
      /^Error: the (output is no longer kept|file is not the one)/,
    );
    rmSync(path);
    expect(await answer(toolset, { path, from: 1 })).toBe(`Error: the output is no longer kept: ${path}`);
  });

  it('takes a path as the answer has quoted it', async () => {
    const directory = join(temporaryDirectory(), "it's here");
    await using toolset = createTools('bash', { output: { spill: { directory } } });
    const { text, data } = await toolset.call('bash', { command: 'seq 20000' });
    const [, path] = /; whole: (.*); lines A to B/.exec(text) ?? [];
    expect(path).not.toBe(data.spill_path);
    expect(existsSync(data.spill_path)).toBe(true);
    expect(await answer(toolset, { path, from: 7, to: 7 })).toBe('7\n[line 7; from: 8 goes on]');
  });

  it.each([
    [{}, "expected either 'job' or 'path'"],
    [{ job: 'job-1', path: '/x' }, "expected either 'job' or 'path'"],
    [{ path: '/x', from: 5, to: 4 }, "'to' is the last line"],
    [{ job: 'job-999999' }, 'there is no job job-999999'],
  ])('refuses %o', async (args, message) => {
    await using toolset = createTools('bash');
    expect(await answer(toolset, args)).toContain(`Error: ${message}`);
  });
});

describe('bash_output of a job', () => {
  it('shows lines of one that runs, and of one that is over', async () => {
    await using toolset = createTools('bash');
    const { data } = await toolset.call('bash', { command: `${LONG}; sleep 99`, background: true });
    const { job } = data;
    let text = '';
    while (!text.includes('[line 10001')) text = await answer(toolset, { job, from: 10_001 });
    expect(text).toMatch(/^5000\n\[line 10001; the output has no more\]\n\[running, pid \d+\]$/);
    expect(await answer(toolset, { job, find: 'error' })).toMatch(/^5001: main.c:7: error: no such type\n/);
    expect(await answer(toolset, { job })).toMatch(
      /\[output: 10,001 lines, .* lines shown; bash_output shows others\]/,
    );
    await toolset.call('bash_kill', { job });
    expect(await answer(toolset, { job, from: 4, to: 5 })).toBe(
      '4\n5\n[lines 4 to 5; from: 6 goes on]\n[killed by SIGTERM; exit code: 143]',
    );
  });

  it('shows the part of a long line of a job that has the text', async () => {
    await using toolset = createTools('bash');
    const command = `x=$(seq -s , 20000); printf '%s,error,%s\\n' "$x" "$x"`;
    const { data } = await toolset.call('bash', { command, background: true });
    const { job } = data;
    await toolset.jobs.wait(job);
    expect(await answer(toolset, { job, find: 'error' })).toMatch(
      /^1: \[… [\d,]+ bytes …\].*,20000,error,1,2,/,
    );
  });

  it('shows what the job itself no longer keeps', async () => {
    await using toolset = createTools('bash', { jobs: { readBytes: 1_000 } });
    const { data } = await toolset.call('bash', { command: LONG, background: true });
    const { job } = data;
    await toolset.jobs.wait(job);
    expect(await answer(toolset, { job, from: 3, to: 3 })).toBe(
      '3\n[line 3; from: 4 goes on]\n[exit code: 0]',
    );
  });
});
