import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTools } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { Jobs, run, ShellSession } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { newFile, outputOf, readCast } from './cast.js';

describe('a recorded command', () => {
  it('is shown with its text, its output and its end', async () => {
    const file = newFile();
    const result = await run('echo 3 passed; exit 1', { record: file });
    expect(result.recording).toEqual({ path: file, bytes: statSync(file).size, complete: true, error: null });
    const { header, events, markers, output } = readCast(file);
    expect(header).toMatchObject({
      version: 3,
      term: { cols: 100, rows: 30 },
      title: 'echo 3 passed; exit 1',
    });
    expect(output).toMatch(
      /^\x1b\[0m\x1b\[1m\$ echo 3 passed; exit 1\x1b\[0m\r\n3 passed\r\n\x1b\[0m\x1b\[2m\[exit 1, /,
    );
    expect(markers).toEqual(['$ echo 3 passed; exit 1', 'exit 1: echo 3 passed; exit 1']);
    expect(events.at(-1)).toEqual([0, 'x', '1']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('has its standard error in red, and its lines end as in a terminal', async () => {
    const file = newFile();
    await run('echo warn >&2', { record: { file, title: 'a\x1b]0;title\x07' } });
    expect(outputOf(file)).toBe('\x1b[31mwarn\x1b[39m\r\n');
    expect(readCast(file).header.title).not.toMatch(/[\x00-\x1f]/);
  });

  it('has no control sequence that could harm the terminal of who plays it', async () => {
    const file = newFile();
    await run(String.raw`printf 'a\033]0;title\007\033]52;c;eA==\007\033[2J\033Pq\033\\b\n'`, {
      record: file,
    });
    expect(outputOf(file)).toBe('ab\r\n');
  });

  it('has the events in comments, in the order of their numbers', async () => {
    const file = newFile();
    await run('true', { record: file });
    const { comments } = readCast(file);
    expect(comments.map(({ seq, type }) => [seq, type])).toEqual([
      [1, 'start'],
      [2, 'end'],
    ]);
    expect(comments[0]).toMatchObject({ command: 'true', cwd: process.cwd(), pty: null, session: null });
    expect(comments[1]).toMatchObject({ status: 'exited', exitCode: 0, totalBytes: 0, errorCode: null });
  });

  it('that writes as soon as it starts has its output behind its start', async () => {
    await using jobs = new Jobs({ maxRunning: 40, record: newFile() });
    const started = Array.from({ length: 40 }, (_, index) => jobs.start(['echo', String(index)]));
    await jobs.wait();
    await jobs.dispose();
    const file = jobs.recording?.path ?? '';
    expect(started.map(({ id }) => outputOf(file, id))).toEqual(started.map((_, index) => `${index}\r\n`));
  });

  it('that is killed has the exit code that a shell reports', async () => {
    const file = newFile();
    await run('kill -KILL $$', { record: file });
    expect(readCast(file).events.at(-1)?.[2]).toBe('137');
  });

  it('that can not start has a recording that says so', async () => {
    const file = newFile();
    const { error } = await run(['/no/such/program'], { record: file });
    expect(readCast(file).comments.at(-1)).toMatchObject({
      type: 'end',
      status: 'failed',
      errorCode: error?.code,
    });
  });

  it('that is denied has none', async () => {
    const file = newFile();
    const { status, recording } = await run('rm x', { policy: { deny: ['Bash(rm:*)'] }, record: file });
    expect([status, recording, existsSync(file)]).toEqual(['denied', undefined, false]);
  });

  it('whose output stays bytes is recorded as text', async () => {
    const file = newFile();
    const { stdout } = await run(String.raw`printf 'h\303\251\377\n'`, { encoding: 'buffer', record: file });
    expect(Buffer.from(stdout).toString('latin1')).toBe('h\xc3\xa9\xff\n');
    expect(outputOf(file)).toBe('hé\ufffd\r\n');
  });

  it('keeps its colours where the result has none', async () => {
    const file = newFile();
    const options = { output: { stripAnsi: true, maxBytes: 4 }, record: file };
    const { stdout } = await run(String.raw`printf '\033[31mred and long\033[0m\n'`, options);
    expect(stdout).not.toContain('\x1b');
    expect(outputOf(file)).toBe('\x1b[31mred and long\x1b[0m\r\n');
  });

  it('runs where its file exists, which is left as it is', async () => {
    const file = newFile();
    writeFileSync(file, 'precious');
    const { stdout, recording } = await run('echo hi', { record: file });
    expect(stdout).toBe('hi\n');
    expect(recording).toMatchObject({ complete: false, error: { code: 'EEXIST' } });
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });

  it('runs where there is no directory for its file', async () => {
    const file = join(temporaryDirectory(), 'none/x.cast');
    const { stdout, recording } = await run('echo hi', { record: file });
    expect([stdout, recording?.error?.code]).toEqual(['hi\n', 'ENOENT']);
  });

  it('has its recording as a job, and its result waits until that is written', async () => {
    const file = newFile();
    await using jobs = new Jobs();
    const job = jobs.start('echo hi', { record: file });
    expect(job.recording?.path).toBe(file);
    const { recording } = await job.result;
    expect(recording?.bytes).toBe(statSync(file).size);
    expect(readCast(file).events.at(-1)).toEqual([0, 'x', '0']);
  });

  it.each([
    [{ record: 5 }, /'options\.record'.*a path, a file: URL or an object/],
    [{ record: {} }, /'options\.record\.file'/],
    [{ record: { file: 'a', directory: 'b' } }, /'options\.record\.directory'.*none next to a file/],
    [{ record: { file: 'a', cols: 0 } }, /'options\.record\.cols'.*from 1 to 1000/],
    [{ record: { file: 'a', maxBytes: 1 } }, /'options\.record\.maxBytes'/],
    [{ record: { file: 'a', whenSlow: 'no' } }, /'options\.record\.whenSlow'.*'gap' or 'wait'/],
    [{ record: { file: 'a', inputs: true } }, /'options\.record\.inputs': unknown; did you mean 'input'/],
  ])('with the wrong option %j is refused', async (options, message) => {
    await expect(run('true', options as object)).rejects.toThrow(message);
    expect(() => new Jobs(options as object)).toThrow(message);
    expect(() => new ShellSession(options as object)).toThrow(message);
    expect(() => createTools('bash', options as object)).toThrow(message);
  });
});

describe('a recorded table', () => {
  it('has all of its commands, each text behind a line that names its command', async () => {
    const file = newFile();
    await using jobs = new Jobs({ record: file });
    const first = jobs.start('echo one; sleep 0.3; echo three');
    await first.ready({ pattern: 'one' });
    const second = jobs.start('echo two');
    await jobs.wait();
    await jobs.dispose();
    expect(jobs.recording).toMatchObject({
      path: file,
      bytes: statSync(file).size,
      complete: true,
      error: null,
    });
    expect(outputOf(file, first.id)).toBe('one\r\nthree\r\n');
    expect(outputOf(file, second.id)).toBe('two\r\n');
    expect(readCast(file).output).toContain(
      `==> ${first.id}: echo one; sleep 0.3; echo three <==\x1b[0m\r\nthree\r\n`,
    );
    expect(readCast(file).events.at(-1)?.slice(1)).toEqual(['x', '0']);
  });

  it('has output before the start of a later command where Node.js was busy when it came', async () => {
    const file = newFile();
    const written = `${file}.written`;
    await using jobs = new Jobs({ record: file });
    jobs.start(`echo one; sleep 0.1; touch ${written}; sleep 0.1`);
    while (!existsSync(written)); // Longer than the recording waits before it writes.
    jobs.start('echo two');
    await jobs.wait();
    await jobs.dispose();
    expect(readCast(file).output).toMatch(/one\r\n[\s\S]*\$ echo two/);
  });

  it('shows commands of run() that may become its jobs, and when they do', async () => {
    const file = newFile();
    await using jobs = new Jobs({ record: file });
    const options = { jobs, onTimeout: 'background', timeout: 50 } as const;
    const { status } = await run('echo one; sleep 0.3; echo two', options);
    expect(status).toBe('background');
    await jobs.wait();
    await jobs.dispose();
    expect(outputOf(file)).toBe('one\r\ntwo\r\n');
    expect(readCast(file).comments.map(({ type }) => type)).toEqual(['start', 'moved', 'end']);
  });

  it.each([() => newFile(), () => join(temporaryDirectory(), 'none/x')])(
    'is refused a file that it can not create',
    (path) => {
      const file = path();
      if (!file.endsWith('none/x')) writeFileSync(file, '');
      expect(() => new Jobs({ record: file })).toThrow(/EEXIST|ENOENT/);
      expect(() => new ShellSession({ record: file })).toThrow(/EEXIST|ENOENT/);
      expect(() => createTools('bash', { record: file })).toThrow(/EEXIST|ENOENT/);
    },
  );

  it('without commands leaves no file', async () => {
    const file = newFile();
    await new Jobs({ record: file }).dispose();
    expect(existsSync(file)).toBe(false);
  });

  it('has a file for each command in a directory, and replaces none', async () => {
    const directory = join(temporaryDirectory(), 'casts');
    for (const number of [1, 2]) {
      await using jobs = new Jobs({ record: { directory } });
      const result = await jobs.start(`echo number ${number}`).result;
      expect(result.recording?.path).toBe(`${directory}/000${number}-echo-number-${number}.cast`);
    }
    expect(readdirSync(directory).sort()).toEqual(['0001-echo-number-1.cast', '0002-echo-number-2.cast']);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });
});

describe.each(['process', 'state'] as const)('a recorded session that keeps its %s', (keep) => {
  it('has all of its commands, and the directory of each', async () => {
    const file = newFile();
    const directory = temporaryDirectory();
    const session = new ShellSession({ keep, record: file });
    const result = await session.run(`cd ${directory}; echo hi; nosuch`);
    expect(result.stdout).toBe('hi\n');
    await session.start('pwd').result;
    await session.close();
    const { comments } = readCast(file);
    const starts = comments.filter(({ type }) => type === 'start');
    expect(starts.map(({ cwd, session: id }) => [cwd, id])).toEqual([
      [process.cwd(), session.id],
      [directory, session.id],
    ]);
    // The two streams have no order of their own.
    expect(outputOf(file)).toContain('hi\r\n');
    expect(outputOf(file)).toContain(`\x1b[31m${result.stderr.replace('\n', '\x1b[39m\r\n')}`);
    expect(outputOf(file)).toContain(`${directory}\r\n`);
    expect(session.recording).toMatchObject({ complete: true, error: null });
  });
});

describe('a recorded toolset', () => {
  it('has its calls, questions and decisions in comments and markers', async () => {
    const file = newFile();
    const approve = ({ command }: { command: string }) => (command === 'echo no' ? 'deny' : 'allow');
    const tools = createTools('bash', { record: file, approve });
    await tools.call('bash', { command: 'echo yes' }, { callId: 'c1' });
    await tools.call('bash', { command: 'echo no' });
    await tools.dispose();
    const { comments, markers } = readCast(file);
    const [first, second] = comments.filter(({ type }) => type === 'call').map(({ call }) => call);
    expect(comments.map(({ type, call = null, question = null }) => [type, call, question])).toEqual([
      ['call', first, null],
      ['question', first, expect.any(Number)],
      ['decision', first, expect.any(Number)],
      ['start', first, null],
      ['end', null, null],
      ['result', first, null],
      ['call', second, null],
      ['question', second, expect.any(Number)],
      ['decision', second, expect.any(Number)],
      ['result', second, null],
    ]);
    expect(comments[0]).toMatchObject({ tool: 'bash', dialect: 'bash', callId: 'c1' });
    expect(comments[2]).toMatchObject({ verdict: 'allow', by: 'host' });
    expect(markers).toEqual(['asks: echo yes', '$ echo yes', 'asks: echo no', 'denied: echo no']);
    expect(outputOf(file)).toBe('yes\r\n');
  });

  it('has the commands of its session, and none that this package runs for itself', async () => {
    const file = newFile();
    await using tools = createTools('anthropic-bash', { record: file });
    const name = tools.tools[0].name;
    await tools.call(name, { command: 'echo one' });
    await tools.call(name, { command: 'echo two' });
    await tools.dispose();
    const starts = readCast(file).comments.filter(({ type }) => type === 'start');
    expect(starts.map(({ command }) => command)).toEqual(['echo one', 'echo two']);
  });

  it('has what its policy denies', async () => {
    const file = newFile();
    await using tools = createTools('bash', { record: file, policy: { deny: ['Bash(rm:*)'] } });
    await tools.call('bash', { command: 'rm x' });
    await tools.dispose();
    const decision = readCast(file).comments.find(({ type }) => type === 'decision');
    expect(decision).toMatchObject({ question: null, verdict: 'deny', by: 'policy', command: 'rm x' });
  });
});
