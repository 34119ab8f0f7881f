import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BashJob, findLines, Jobs, readLines, run, view } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

const BUILD =
  'for i in $(seq 1 3000); do echo "unit $i"; [ $i = 1500 ] && echo "a.c:1:2: error: x" >&2; done; exit 3';

it('A result has the view, and its text is the output', async () => {
  const result = await run(BUILD, { output: { view: { maxBytes: 400 } } });
  expect(result.exitCode).toBe(3);
  expect(result.output).toBe(result.view?.text);
  expect(result.output).toContain('\na.c:1:2: error: x\n');
  expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(400);
  expect(result.stdout).toHaveLength(result.totalBytes.stdout);
});

it('Without the option there is no view', async () => {
  const { view: none, output } = await run('echo a', { output: { view: false } });
  expect([none, output]).toEqual([null, 'a\n']);
});

it('An output that fits is whole', async () => {
  const { view: whole } = await run(String.raw`printf 'a\n\033[1mb\033[0m\n'`, { output: { view: true } });
  expect(whole).toEqual({
    text: 'a\nb\n',
    lines: 2,
    bytes: 12,
    shown: [[1, 2]],
    leftOut: [],
    complete: true,
  });
});

it('Line numbers of a view are those of the spill file', async () => {
  await using result = await run('seq 1 5000', { output: { spill: true, view: { maxBytes: 800 } } });
  const [gap] = result.view?.leftOut ?? [];
  expect(gap).toBeDefined();
  const { text } = await readLines(result.spillPath ?? '', gap?.from, gap?.from);
  expect(text).toBe(String(gap?.from));
  expect(result.output).toContain(`whole: ${result.spillPath}`);
});

it('A spill file that hit its quota has the first bytes', async () => {
  await using result = await run('seq 1 5000', {
    output: { spill: { maxBytes: 1000 }, view: { maxBytes: 800 } },
  });
  expect(result.output).toContain(`; ${result.spillPath} has the first 1,000 bytes]`);
});

it('A background answer has the view so far', async () => {
  await using table = new Jobs();
  const answer = await run('seq 1 3000; sleep 30', {
    onTimeout: 'background',
    timeout: 1_000,
    jobs: table,
    output: { view: { maxBytes: 300 } },
  });
  expect(answer.status).toBe('background');
  expect(answer.view?.lines).toBe(3000);
});

it('a BashJob has a view with the option for one', async () => {
  const job = new BashJob({ command: 'seq 1 3000' }, '/', false, { output: { view: { maxBytes: 300 } } });
  const result = await job.result;
  expect(result.output).toBe(result.view?.text);
  expect(result.view?.lines).toBe(3000);
});

it('A job of a table has a view', async () => {
  await using table = new Jobs();
  const { view: seen } = await table.start('seq 1 3000', { output: { view: { maxBytes: 300 } } }).result;
  expect(seen?.complete).toBe(false);
});

it('Text, bytes and files give the same view', async () => {
  const log = `${'get /\n'.repeat(500)}FATAL: gone\n${'get /\n'.repeat(500)}`;
  const file = join(temporaryDirectory(), 'a log');
  writeFileSync(file, log);
  const options = { exitCode: 1, maxBytes: 500, footer: false };
  const ofText = await view(log, options);
  expect(ofText.text).toContain('\nFATAL: gone\n');
  expect(await view(Buffer.from(log), options)).toEqual(ofText);
  expect(await view({ path: file }, options)).toEqual(ofText);
  expect((await view({ path: file }, { maxBytes: 500 })).text).toContain(`whole: '${file}'`);
});

it('Wrong options are named', async () => {
  await expect(view('a', { maxBytes: 199 })).rejects.toThrow(
    "Invalid option 'options.maxBytes': expected an integer from 200 to 1048576 (bytes), got 199",
  );
  await expect(run('true', { output: { view: { head: 0.6 } } })).rejects.toThrow(
    "Invalid option 'options.output.view.head': expected a share from 0 to 0.5, got 0.6",
  );
  await expect(view('a', { important: [''] })).rejects.toThrow("'options.important'");
  await expect(view(5 as unknown as string)).rejects.toThrow(
    "'source': expected text, bytes or an object with a path, got 5",
  );
});

it('A file that cannot be read rejects with its code', async () => {
  await expect(view({ path: '/nowhere/log' })).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(readLines('/nowhere/log')).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(findLines('/nowhere/log', 'a')).rejects.toMatchObject({ code: 'ENOENT' });
});

it.each([
  ['a directory', () => temporaryDirectory(), 'EISDIR', 'Is a directory'],
  ['a named pipe', namedPipe, 'EINVAL', 'not a regular file'],
  ['a device without an end', () => '/dev/zero', 'EINVAL', 'not a regular file'],
])('Of %s nothing is read, and the error names the option', async (_, make, code, reason) => {
  const path = make();
  const error = (name: string) => ({
    code,
    message: expect.stringContaining(`cannot read '${name}' ${path}: ${reason}`),
  });
  await expect(view({ path })).rejects.toMatchObject(error('source.path'));
  await expect(readLines(path)).rejects.toMatchObject(error('path'));
  await expect(findLines(path, 'a')).rejects.toMatchObject(error('path'));
});

const INVALID = '/proc/self/attr/current';

// Without a security module, Linux refuses to read this file.
it.skipIf(codeOf(INVALID) !== 'EINVAL')("An error of the system keeps the system's words", async () => {
  await expect(view({ path: INVALID })).rejects.toMatchObject({
    code: 'EINVAL',
    message: expect.stringContaining(`cannot read 'source.path' ${INVALID}: Invalid argument`),
  });
});

function codeOf(path: string) {
  try {
    readFileSync(path);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

function namedPipe() {
  const path = join(temporaryDirectory(), 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

it('Lines are found with their context and counted', async () => {
  const file = join(temporaryDirectory(), 'log');
  writeFileSync(file, 'a\nb x\nc\nd x\n');
  const found = await findLines(file, 'x', { max: 1, context: 1 });
  expect([...found]).toEqual([
    { line: 1, text: 'a' },
    { line: 2, text: 'b x' },
    { line: 3, text: 'c' },
  ]);
  expect(found.total).toBe(2);
});
