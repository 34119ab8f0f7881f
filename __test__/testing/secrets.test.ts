import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withShell } from 'agent-bash/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

const SECRET = 'correct-horse-battery';
const directory = temporaryDirectory();
const file = join(directory, 'secrets.json');

beforeEach(() => {
  process.env.MY_API_TOKEN = SECRET;
});
afterEach(() => {
  delete process.env.MY_API_TOKEN;
});

/** Records commands, and returns the cassette. */
async function recorded(command: string, options = {}): Promise<string> {
  await withShell(command, { file, mode: 'record' }, () => run(command, options));
  return readFileSync(file, 'utf8');
}

it('the value of a variable that sandboxes withhold is replaced', async () => {
  const text = await recorded('echo $MY_API_TOKEN; echo $MY_API_TOKEN >&2');
  expect(text).not.toContain(SECRET);
  expect(text).toContain('"stdout", "<secret:MY_API_TOKEN>\\n"');
});

it('a value that two chunks share is found', async () => {
  const text = await recorded('printf correct-horse; sleep 0.1; printf -- -battery; echo " end"');
  expect(text).not.toContain('-battery"');
  expect(text).toMatch(/<secret:MY_API_TOKEN>/);
  const { stdout } = await withShell(
    'printf correct-horse; sleep 0.1; printf -- -battery; echo " end"',
    { file, mode: 'replay' },
    () => run('printf correct-horse; sleep 0.1; printf -- -battery; echo " end"'),
  );
  expect(stdout).toBe('<secret:MY_API_TOKEN> end\n');
});

it('a secret in a command, a variable and an input is replaced', async () => {
  const text = await recorded(`cat; echo ${SECRET}`, { env: { PASSWORD: SECRET }, input: SECRET });
  expect(text).not.toContain(SECRET);
  const result = await withShell(`cat; echo ${SECRET}`, { file, mode: 'replay' }, () =>
    run(`cat; echo ${SECRET}`, { env: { PASSWORD: SECRET }, input: SECRET }),
  );
  expect(result.stdout).toBe('<secret:MY_API_TOKEN><secret:MY_API_TOKEN>\n');
});

it.each([
  `ghp_${'a1B2'.repeat(9)}`,
  `sk-${'a1B2'.repeat(9)}`,
  'AKIAABCDEFGHIJKLMNOP',
  `eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.${'a1B2'.repeat(4)}`,
])('a token of a known form is replaced: %s', async (token) => {
  expect(await recorded(`echo ${token}`)).not.toContain(token);
});

it('the own function changes what is stored', async () => {
  const name = 'redact';
  const redact = (text: string) => text.replaceAll('alice', 'someone');
  await withShell(name, { file, mode: 'record', redact }, () => run('echo alice'));
  expect(readFileSync(file, 'utf8')).toContain('echo someone');
  const replayed = await withShell(name, { file, mode: 'replay', redact }, () => run('echo alice'));
  expect(replayed.stdout).toBe('someone\n');
});

it.each([
  ['output', `printf correct-horse; sleep 0.1; printf -- -battery`, { encoding: 'buffer' }],
  ['input', 'cat >/dev/null', { input: Buffer.from(`${SECRET}\xff`, 'latin1') }],
])('a secret in %s of bytes stops the write', async (_, command, options) => {
  const other = join(directory, 'bytes.json');
  const act = () => withShell('x', { file: other, mode: 'record' }, () => run(command, options as never));
  await expect(act()).rejects.toThrow('CASSETTE_SECRET in "x": the recording has the value of MY_API_TOKEN');
  expect(existsSync(other)).toBe(false);
});

/** Writes texts to a job, one after another, and returns what it has printed. */
async function typed(...texts: string[]): Promise<string> {
  await using jobs = new Jobs();
  const job = jobs.start('read -r line; echo "${#line}"', { stdin: 'pipe' });
  for (const text of texts) job.write(text);
  job.end();
  return (await job.result).stdout;
}

it('a secret that a test writes to a job is replaced, and a replay takes it', async () => {
  const other = join(directory, 'typed.json');
  const act = (mode: 'record' | 'replay') =>
    withShell('x', { file: other, mode }, () => typed(`${SECRET} /tmp/app-x1Y2z3\n`));
  const recorded = await act('record');
  expect(readFileSync(other, 'utf8')).toContain('"write", "<secret:MY_API_TOKEN> <tmp:1>\\n"');
  expect(await act('replay')).toBe(recorded);
});

it('a secret that a test writes in parts stops the write', async () => {
  const other = join(directory, 'parts.json');
  const act = withShell('x', { file: other, mode: 'record' }, () => typed('correct-horse', '-battery\n'));
  await expect(act).rejects.toThrow('CASSETTE_SECRET');
  expect(existsSync(other)).toBe(false);
});

it('a secret that is left stops the write', async () => {
  const other = join(directory, 'stopped.json');
  // As base64, the secret is no text that could be replaced; the own function brings it back.
  const redact = (text: string) => text.replaceAll('<secret:MY_API_TOKEN>', SECRET);
  const act = () => withShell('x', { file: other, mode: 'record', redact }, () => run(`echo ${SECRET}`));
  await expect(act()).rejects.toThrow('CASSETTE_SECRET in "x": the recording has the value of MY_API_TOKEN');
  expect(existsSync(other)).toBe(false);
});
