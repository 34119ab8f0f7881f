import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { Jobs, type OutputOptions, type RunResult, run, type SpillOptions } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { within } from '../support/slowness.mjs';

type Spilled = RunResult & AsyncDisposable;

const directory = temporaryDirectory();

/** Returns the content of the spill file, after checking the result against it. */
function contents({ spill, spillPath }: RunResult): Buffer {
  if (spill === null) throw new Error('there is no file');
  expect(spillPath).toBe(spill.path);
  const bytes = readFileSync(spill.path);
  expect(bytes.length).toBe(spill.bytes);
  return bytes;
}

const seq = (last: number) => Array.from({ length: last }, (_, index) => `${index + 1}\n`).join('');

describe('the spill of a command', () => {
  it.each([
    ['exits', 'seq 20000; exit 3', {}, 'exited'],
    ['kills itself', 'seq 20000; kill -KILL $$', {}, 'signaled'],
    ['takes too long', 'seq 20000; exec sleep 60', { timeout: within(600) }, 'timeout'],
    ['falls silent', 'seq 20000; exec sleep 60', { idleTimeout: within(600) }, 'idleTimeout'],
  ] as const)('has everything that was written when it %s', async (_, command, options, status) => {
    const result = await run(command, { ...options, output: { spill: true, maxBytes: 10 } });
    expect({ status: result.status, truncated: result.truncated }).toEqual({ status, truncated: true });
    expect(contents(result).toString() === seq(20_000)).toBe(true);
    expect(result.spill).toMatchObject({ complete: true, error: null });
  });

  it('has everything that was written when it is aborted', async () => {
    const controller = new AbortController();
    const seen = join(directory, 'aborted-command-has-written');
    const answer = run(`seq 20000; touch ${seen}; exec sleep 60`, {
      signal: controller.signal,
      output: { spill: true },
    });
    await until(() => existsSync(seen));
    controller.abort();
    const result = await answer;
    expect(result.status).toBe('aborted');
    expect(contents(result).toString() === seq(20_000)).toBe(true);
  });

  it('has everything that was written when its job is killed', async () => {
    await using table = new Jobs();
    const job = table.start('seq 20000; echo end >&2; exec sleep 60', { output: { spill: true } });
    await until(() => job.read().text.includes('end'));
    job.kill();
    const result = await job.result;
    expect([result.status, result.signal]).toEqual(['signaled', 'SIGTERM']);
    expect(contents(result).toString().replace('end\n', '') === seq(20_000)).toBe(true);
  });

  it('has what there is when it goes on in the background, and all of it at the end', async () => {
    await using table = new Jobs();
    const go = join(directory, 'go');
    const partial = await run(`seq 20000; while [ ! -e ${go} ]; do sleep 0.01; done; echo late`, {
      timeout: within(600),
      onTimeout: 'background',
      jobs: table,
      output: { spill: true },
    });
    expect(partial.status).toBe('background');
    expect(contents(partial).toString() === seq(20_000)).toBe(true);
    writeFileSync(go, '');
    const result = await table.get(partial.jobId ?? '')?.result;
    expect(result?.spillPath).toBe(partial.spillPath);
    expect(result && contents(result).toString() === `${seq(20_000)}late\n`).toBe(true);
    await table.dispose();
    expect(existsSync(partial.spillPath ?? '')).toBe(false);
  });

  it('has the very bytes, whatever they are', async () => {
    const input = Buffer.from(Uint8Array.from({ length: 1_000_003 }, (_, index) => (index * 7919) >> 3));
    const result = await run(['cat'], { input, output: { spill: true, maxBytes: 0, stripAnsi: true } });
    expect(contents(result).equals(input)).toBe(true);
    expect(result.totalBytes.stdout).toBe(input.length);
  });

  it('has both streams', async () => {
    const result = await run('seq 1000; seq 1000 >&2', { output: { spill: true } });
    const lines = contents(result).toString().split('\n').slice(0, -1).map(Number);
    expect(lines.sort((a, b) => a - b)).toEqual(
      Array.from({ length: 2000 }, (_, index) => Math.floor(index / 2) + 1),
    );
  });

  it('has both streams in the order in which they were written, with merge', async () => {
    const script = '$| = 1; for (1..2000) { syswrite STDOUT, "o$_\\n"; syswrite STDERR, "e$_\\n" }';
    const result = await run(['perl', '-e', script], { output: { spill: true, merge: true } });
    expect(contents(result).toString()).toBe(result.stdout);
    expect(result.stdout.startsWith('o1\ne1\no2\n') && result.stdout.endsWith('o2000\ne2000\n')).toBe(true);
  });

  it('is empty when nothing is written', async () => {
    const result = await run('true', { output: { spill: true } });
    expect(contents(result)).toEqual(Buffer.alloc(0));
    expect(result.spill).toMatchObject({ bytes: 0, complete: true, error: null });
  });

  it('is a file of its own', async () => {
    const runs = Array.from({ length: 30 }, (_, index) => run(`echo ${index}`, { output: { spill: true } }));
    const results = await Promise.all(runs);
    expect(new Set(results.map(({ spillPath }) => spillPath)).size).toBe(30);
    for (const [index, result] of results.entries()) expect(contents(result).toString()).toBe(`${index}\n`);
  });

  it.each([undefined, false])('is nothing with %s', async (spill) => {
    const { spill: file, spillPath } = await run('echo hi', { output: { spill } });
    expect({ file, spillPath }).toEqual({ file: null, spillPath: null });
  });

  it('is nothing when nothing was run', async () => {
    const results = [
      await run(['/no/such/program'], { output: { spill: { directory } } }),
      await run('true', { cwd: '/no/such/directory', output: { spill: { directory } } }),
      await run('true', { signal: AbortSignal.abort(), output: { spill: { directory } } }),
    ] as Spilled[];
    for (const result of results) {
      expect({ spill: result.spill, spillPath: result.spillPath }).toEqual({ spill: null, spillPath: null });
      await result[Symbol.asyncDispose]();
    }
  });
});

describe('a spill file', () => {
  it("is the user's own, in a directory of the user's own", async () => {
    const { spill } = await run('echo secret', { output: { spill: true } });
    const path = spill?.path ?? '';
    expect((statSync(path).mode & 0o7777).toString(8)).toBe('600');
    expect((statSync(dirname(path)).mode & 0o7777).toString(8)).toBe('700');
  });

  it('is below the directory for temporary files', async () => {
    const { spillPath } = await run('true', { output: { spill: true } });
    expect(spillPath?.startsWith(`${tmpdir()}/`)).toBe(true);
  });

  it.each([
    ['the directory for temporary files', tmpdir()],
    ['a link to it', join(directory, 'link-to-tmp')],
  ])('is elsewhere when the root is %s', async (_, root) => {
    if (root !== tmpdir()) symlinkSync(tmpdir(), root);
    const result = await run('echo hi', { root, output: { spill: true } });
    expect(contents(result).toString()).toBe('hi\n');
    expect(result.spillPath?.startsWith(`${tmpdir()}/`)).toBe(false);
  });

  it('is gone after a disposal, which may come twice', async () => {
    const result = await run('echo hi', { output: { spill: true } });
    expect(existsSync(result.spillPath ?? '')).toBe(true);
    await result[Symbol.asyncDispose]();
    expect(existsSync(result.spillPath ?? '')).toBe(false);
    await result[Symbol.asyncDispose]();
  });

  it('is removed when its job is forgotten', async () => {
    await using table = new Jobs({ retention: 0 });
    const { spillPath } = await table.start('echo hi', { output: { spill: true } }).result;
    expect(spillPath).toBeTypeOf('string');
    await until(() => !existsSync(spillPath ?? ''));
  });
});

describe('spill.directory', () => {
  const spilled = (options: SpillOptions, output: OutputOptions = {}): Promise<Spilled> =>
    run('echo hi', { output: { ...output, spill: options } }) as Promise<Spilled>;

  it.each([
    ['a path', join(directory, 'path')],
    ['a path to be made', join(directory, 'to/be/made')],
    ['a URL', pathToFileURL(join(directory, 'by url'))],
  ])('may be %s', async (_, place) => {
    const result = await spilled({ directory: place });
    expect(contents(result).toString()).toBe('hi\n');
    expect(dirname(result.spillPath ?? '')).toBe(place instanceof URL ? join(directory, 'by url') : place);
    expect((statSync(result.spillPath ?? '').mode & 0o7777).toString(8)).toBe('600');
  });

  it('may be in the root', async () => {
    const result = (await run('echo hi', {
      root: directory,
      output: { spill: { directory: join(directory, 'in-root') } },
    })) as Spilled;
    expect(dirname(result.spillPath ?? '')).toBe(join(directory, 'in-root'));
  });

  it('loses nothing that is in it already', async () => {
    const place = join(directory, 'used');
    mkdirSync(place);
    const first = await spilled({ directory: place });
    const [prefix, number] = [/^(.*?)(\d+)\.txt$/.exec(first.spillPath ?? '')].map((parts) => [
      parts?.[1] ?? '',
      Number(parts?.[2]),
    ])[0] as [string, number];
    // The names that would come next are taken.
    for (let next = number + 1; next < number + 40; next++) writeFileSync(`${prefix}${next}.txt`, 'mine');
    const second = await spilled({ directory: place });
    expect(contents(second).toString()).toBe('hi\n');
    const files = readdirSync(place).map((name) => readFileSync(join(place, name), 'utf8'));
    expect(files.filter((text) => text === 'mine').length).toBe(39);
    expect(files.filter((text) => text === 'hi\n').length).toBe(2);
  });

  it('that takes no files costs the file, not the result', async () => {
    // No user can create a file in /proc, not even root.
    const result = await spilled({ directory: '/proc' });
    const { status, stdout, spill, spillPath } = result;
    expect({ status, stdout, spill }).toEqual({
      status: 'exited',
      stdout: 'hi\n',
      spill: {
        path: spillPath,
        bytes: 0,
        complete: false,
        error: { code: 'ENOENT', message: expect.stringContaining('ENOENT') },
      },
    });
    expect(spillPath?.startsWith('/proc/')).toBe(true);
    await result[Symbol.asyncDispose]();
  });
});

describe('a spill directory that can not be made', () => {
  writeFileSync(join(directory, 'file'), '');
  symlinkSync('nowhere', join(directory, 'to-nowhere'));

  it.each([
    ['is a file', join(directory, 'file'), 'ENOTDIR'],
    ['is below a file', join(directory, 'file/deeper'), 'ENOTDIR'],
    ['is below a device', '/dev/null/x', 'ENOTDIR'],
    // Where `mkdir -p` by Node 20 does not come back.
    ['is in /proc', '/proc/x/y', 'ENOENT'],
  ])('costs the file, not the result: it %s', async (_, place, code) => {
    const result = await run('echo hi; exit 3', { output: { spill: { directory: place } } });
    const { status, exitCode, stdout, spill } = result;
    expect({ status, exitCode, stdout }).toEqual({ status: 'exited', exitCode: 3, stdout: 'hi\n' });
    expect(spill).toMatchObject({ bytes: 0, complete: false, error: { code } });
    await result[Symbol.asyncDispose]();
  });

  it('costs the file, not the result: it is a link to nowhere', async () => {
    const place = join(directory, 'to-nowhere');
    const result = await run('echo hi', { output: { spill: { directory: place } } });
    expect(result.stdout).toBe('hi\n');
    expect(result.spill).toMatchObject({ bytes: 0, complete: false });
    expect(result.spill?.error).not.toBeNull();
    await result[Symbol.asyncDispose]();
  });
});

describe('spill.maxBytes', () => {
  it.each([
    [0, 0, false],
    [1, 1, false],
    [5, 5, false],
    [6, 6, true],
    [7, 6, true],
  ])('of %d cuts the file only', async (maxBytes, bytes, complete) => {
    const result = await run(['cat'], { input: 'abcdef', output: { spill: { maxBytes } } });
    expect(result.stdout).toBe('abcdef');
    expect(result.spill).toMatchObject({ bytes, complete, error: null });
    expect(contents(result).toString()).toBe('abcdef'.slice(0, bytes));
  });

  it('does not end a command that writes far more', async () => {
    const { spill, totalBytes, exitCode } = await run('head -c 20000000 /dev/zero; exit 5', {
      output: { spill: { maxBytes: 100_000 } },
    });
    expect({ spill, totalBytes, exitCode }).toMatchObject({
      spill: { bytes: 100_000, complete: false },
      totalBytes: { stdout: 20_000_000 },
      exitCode: 5,
    });
    expect(statSync(spill?.path ?? '').size).toBe(100_000);
  });
});

describe('a disk that is full', () => {
  const disk = join(directory, 'disk');
  mkdirSync(disk);
  let isMounted = false;
  afterAll(async () => {
    if (isMounted) await run(['umount', disk]);
  });

  it('ends the file, is reported, and affects nothing else', async ({ skip }) => {
    const mount = await run(['mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
    isMounted = mount.exitCode === 0;
    if (!isMounted) skip(`mount: ${mount.output || mount.error?.message}`);
    const command = 'seq 100000; echo end >&2; exit 6';
    const result = await run(command, { output: { spill: { directory: disk } } });
    const { status, exitCode, stdout, stderr, spill } = result;
    expect({ status, exitCode, stderr }).toEqual({ status: 'exited', exitCode: 6, stderr: 'end\n' });
    expect(stdout === seq(100_000)).toBe(true);
    expect(spill).toMatchObject({ complete: false, error: { code: 'ENOSPC' } });
    const bytes = contents(result);
    expect(bytes.length).toBeGreaterThan(0);
    expect(seq(100_000).startsWith(bytes.toString())).toBe(true);
    await result[Symbol.asyncDispose]();
    expect(readdirSync(disk)).toEqual([]);
    // There is room again.
    const next = await run('echo hi', { output: { spill: { directory: disk } } });
    expect(contents(next).toString()).toBe('hi\n');
    expect(next.spill?.complete).toBe(true);
  });
});

describe('the spill of a command with a bound', () => {
  const spill = { directory: join(directory, 'above'), above: 1_000 };

  it('is no file, nor a directory, for output up to it', async () => {
    const result = await run("printf '%01000d' 7", { output: { spill } });
    expect({ spill: result.spill, path: result.spillPath }).toEqual({ spill: null, path: null });
    expect(existsSync(spill.directory)).toBe(false);
  });

  it('has everything from the beginning for output above it', async () => {
    const result = await run('seq 20000', { output: { spill } });
    expect(contents(result).toString()).toBe(seq(20_000));
  });

  it.each([-1, 1.5, 2 ** 20 + 1])('of %s is refused', async (above) => {
    await expect(run('true', { output: { spill: { above } } })).rejects.toThrow('options.output.spill.above');
  });
});
