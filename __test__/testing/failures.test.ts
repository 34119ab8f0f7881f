import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { withShell } from 'agent-bash/testing';
import { expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { written } from './support/commands.js';

const directory = temporaryDirectory();
let next = 0;
const newFile = () => join(directory, `${next++}.json`);
const shown = (file: string) => {
  const path = relative(process.cwd(), file);
  return path.startsWith('..') ? file : path;
};

async function failureOf(act: () => Promise<unknown>): Promise<string> {
  try {
    await act();
  } catch (error) {
    return (error as Error).message;
  }
  return 'no failure';
}

it('a command without a recording names the nearest one, and how to record it', async () => {
  const file = newFile();
  await withShell('reads the tag', { file, mode: 'record' }, () => run('git describe --tags || true'));
  const message = await failureOf(() =>
    withShell('reads the tag', { file, mode: 'replay' }, async () => {
      const result = await run('git describe --tags --always || true');
      expect(result).toMatchObject({ status: 'failed', error: { code: 'CASSETTE_MISS' } });
    }),
  );
  expect(message).toBe(
    [
      'CASSETTE_MISS in "reads the tag": no recording of',
      `    - git describe --tags || true    (nearest unused: ${shown(file)}:5)`,
      '    + git describe --tags --always || true',
      '  Directory, environment and input are equal.',
      '  If meant: AGENT_BASH_CASSETTES=record, and the test again',
    ].join('\n'),
  );
});

it('a difference in the surroundings is shown', async () => {
  const file = newFile();
  await withShell('x', { file, mode: 'record' }, () => run('true', { cwd: '/' }));
  const message = await failureOf(() =>
    withShell('x', { file, mode: 'replay' }, () => run('true', { cwd: '/usr', input: 'a' })),
  );
  expect(message).toContain('  Directory differs:\n    - /\n    + /usr\n');
  expect(message).toContain('  Input differs:\n    - (none)\n    + a\n');
});

it('a test without a section says that CI records none', async () => {
  const file = newFile();
  const message = await failureOf(() =>
    withShell('reads the tag', { file, mode: 'replay' }, () => run('true')),
  );
  expect(message).toBe(
    [
      'CASSETTE_MISSING: "reads the tag" has no recording, and CI records none.',
      `  Run it once without CI, and commit ${shown(file)}.`,
    ].join('\n'),
  );
});

it('a recorded command that does not run fails the test, unless that is allowed', async () => {
  const file = newFile();
  await withShell('reads the tag', { file, mode: 'record' }, async () => {
    await run('true');
    await run('echo fetch');
  });
  const act = (options = {}) =>
    withShell('reads the tag', { file, mode: 'replay', ...options }, () => run('true'));
  const line =
    readFileSync(file, 'utf8')
      .split('\n')
      .findIndex((text) => text.includes('echo fetch')) + 1;
  expect(await failureOf(act)).toBe(
    [
      'CASSETTE_UNUSED in "reads the tag": 1 of 2 recorded commands did not run:',
      `    - echo fetch                     (${shown(file)}:${line})`,
      "  If meant, record again, or set unused: 'allow'.",
    ].join('\n'),
  );
  expect(await failureOf(() => act({ unused: 'allow' }))).toBe('no failure');
});

it('another input than the recorded one fails the test', async () => {
  const file = newFile();
  const answer = async (text: string) => {
    await using jobs = new Jobs();
    const job = jobs.start('printf "go on? "; read answer; echo "$answer"', { stdin: 'pipe' });
    await written(job, 'go on?');
    job.write(text);
    job.end();
    return job.result;
  };
  await withShell('asks', { file, mode: 'record' }, () => answer('yes\n'));
  const message = await failureOf(() =>
    withShell('asks', { file, mode: 'replay' }, async () => {
      expect(await answer('no\n')).toMatchObject({ status: 'failed', error: { code: 'CASSETTE_INPUT' } });
    }),
  );
  expect(message.replace(/job-\d+/, 'job-1')).toBe(
    [
      `CASSETTE_INPUT in "asks": job-1 got another input than ${shown(file)}:5`,
      '    - "yes\\n"',
      '    + "no\\n"',
      '  If meant, record again.',
    ].join('\n'),
  );
});

it('a command that no fake answers fails the test, even if its result is not looked at', async () => {
  const message = await failureOf(() => withShell('x', { mode: 'fakes' }, () => run('npm test')));
  expect(message).toBe(
    'FAKE_MISS in "x": no fake answers\n    + npm test\n  Add one by shell.fake(), before the command runs.',
  );
});

it.each([
  () => {
    throw new Error('out of ideas');
  },
  async () => {
    throw new Error('out of ideas');
  },
])('a function that throws instead of an answer fails the test', async (answer) => {
  const message = await failureOf(() =>
    withShell('x', { mode: 'fakes' }, async (shell) => {
      shell.fake('npm test', answer);
      expect(await run('npm test')).toMatchObject({ error: { code: 'FAKE_FAILED' } });
    }),
  );
  expect(message).toBe(
    'FAKE_FAILED in "x": the function that answers a command has thrown\n    + npm test\n  out of ideas',
  );
});

it('output that no cassette takes fails the recording', async () => {
  const file = newFile();
  const message = await failureOf(() =>
    withShell('x', { file, mode: 'record' }, () => run('head -c 2000000 /dev/zero')),
  );
  expect(message).toContain('CASSETTE_TOO_LONG in "x": more than 1 MiB of output');
});

it.each([
  ['{', 'is not JSON'],
  ['{"cassette": 2, "tests": {}}', 'has the version 2, not 1'],
  ['{"cassette": 1}', 'has no tests'],
  ['{"cassette": 1, "tests": {"x": [{"run": "a"}]}}', 'has a broken command in "x": "a"'],
  [
    '{"cassette": 1, "tests": {"x": [{"run": "a", "events": [[0, "explode"]], "end": {"at": 1, "status": "exited"}}]}}',
    'has a broken command in "x": "a"',
  ],
  ['{"cassette": 1, "tests": {"x": [null]}}', 'has a broken command in "x": "the command 1"'],
  ['{"cassette": 1, "tests": {"x": 1}}', 'has no list of commands in "x"'],
])('a cassette that was broken by hand is named: %s', async (text, fault) => {
  const file = newFile();
  writeFileSync(file, text);
  const message = await failureOf(() => withShell('x', { file, mode: 'replay' }, () => run('true')));
  expect(message).toContain(`CASSETTE_INVALID: ${file} ${fault}`);
});

/** Values in the place of the right one after an edit. */
const JUNK = [
  null,
  5,
  -1,
  'x',
  true,
  [],
  {},
  '<secret:a>',
  'never',
  [[0, 'stdout']],
  { base64: 'x' },
  undefined,
];

/** Returns the places of all values in a value: the object around each, and its key. */
function placesIn(value: unknown): [owner: Record<string, unknown>, key: string][] {
  if (value === null || typeof value !== 'object') return [];
  const owner = value as Record<string, unknown>;
  return Object.keys(owner).flatMap((key) => [[owner, key], ...placesIn(owner[key])]);
}

it('a cassette with any one value changed or gone replays, or fails with a code', async () => {
  const file = newFile();
  const act = async () => {
    await run('echo a; echo b >&2; exit 3', { pipeStatus: true });
    await using jobs = new Jobs();
    const job = jobs.start('cat', { stdin: 'pipe' });
    job.write('hi\n');
    job.end();
    await job.result;
  };
  await withShell('x', { file, mode: 'record' }, act);
  const text = readFileSync(file, 'utf8');
  let edits = 0;
  const all = placesIn(JSON.parse(text).tests).length;
  const each = Array.from({ length: all }).flatMap((_, index) => JUNK.map((junk) => [index, junk] as const));
  for (const [index, junk] of each) {
    const cassette = JSON.parse(text);
    const [owner, key] = placesIn(cassette.tests)[index] ?? [{}, ''];
    if (junk === undefined) delete owner[key];
    else owner[key] = junk;
    writeFileSync(file, JSON.stringify(cassette));
    const end = await withShell('x', { file, mode: 'replay' }, act).catch(({ code }) => code);
    expect(String(end), `${key}: ${JSON.stringify(junk)}`).toMatch(/^(undefined|CASSETTE_\w+)$/);
    edits++;
  }
  expect(edits).toBeGreaterThan(30);
});

it('a cassette that was changed by hand answers with the change', async () => {
  const file = newFile();
  await withShell('x', { file, mode: 'record' }, () => run('echo one'));
  writeFileSync(file, readFileSync(file, 'utf8').replace('"one\\n"', '"two\\n", "three\\n"'));
  const { stdout } = await withShell('x', { file, mode: 'replay' }, () => run('echo one'));
  expect(stdout).toBe('two\nthree\n');
});

it('a failed test leaves its section as it was', async () => {
  const file = newFile();
  await withShell('x', { file, mode: 'record' }, () => run('echo one'));
  const before = readFileSync(file, 'utf8');
  await failureOf(() =>
    withShell('x', { file, mode: 'record' }, async () => {
      await run('echo two');
      throw new Error('no');
    }),
  );
  expect(readFileSync(file, 'utf8')).toBe(before);
});

it.each([
  [{ mode: 'all' }, "Invalid option 'options.mode'"],
  [{ modes: 'auto' }, "Invalid option 'options.modes': unknown; did you mean 'mode'?"],
  [{ file: 1 }, "Invalid option 'options.file'"],
  [{ holes: { port: 'x' } }, "Invalid option 'options.holes'"],
  [{}, "Invalid option 'options.file': expected the path of a cassette"],
])('a wrong option is named: %j', async (options, message) => {
  expect(await failureOf(() => withShell('x', options as never, async () => {}))).toContain(message);
});
