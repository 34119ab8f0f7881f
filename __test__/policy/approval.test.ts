import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Approval, BashJob, Jobs, type Policy, type RunResult, run } from 'agent-bash';
import { createTools, dialects } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { deliberateDelay } from '../support/waits.mjs';
import { argumentsOf } from '../tools/arguments.js';

/** Commands that the policy can't read, and so can't harden. */
const UNREADABLE: [string, string][] = [
  ['an open double quote', 'echo "a'],
  ['an open single quote', "echo 'a"],
  ['an open subshell', '(echo a'],
  ['an open substitution', 'echo $(echo a'],
  ['an open if', 'if true; then echo a'],
  ['an open loop', 'while true; do echo a'],
  ['an open brace group', '{ echo a'],
  ['a here-document without an end', 'cat <<E\na'],
  ['a backslash at the end', 'echo a\\'],
  ['nesting beyond 64 levels', `${'{ '.repeat(70)}echo a;${' };'.repeat(70)}`],
  ['a here-document of 12 KB', `cat <<'E' | wc -c\n${'a'.repeat(12_000)}\nE\n`],
];

/** The policies under which allowed queries are hardened; `approve` allows everything else. */
const POLICIES: [string, Policy][] = [
  ['queries', { queries: 'allow' }],
  ['rules and queries', { queries: 'allow', allow: ['Bash(echo:*)'], ask: ['Bash(cat:*)'] }],
];

const approve = (): Approval => 'allow';

const outcome = ({ status, exitCode, stdout, stderr }: RunResult) => ({ status, exitCode, stdout, stderr });

describe.each(POLICIES)('an approved command that the policy can not read, with %s', (_, policy) => {
  it.each(UNREADABLE)('has the result of its shell: %s', async (_name, command) => {
    const plain = outcome(await run(command));
    expect(plain.status).toBe('exited');
    expect(outcome(await run(command, { policy, approve }))).toEqual(plain);
    await using jobs = new Jobs();
    expect(outcome(await jobs.start(command, { policy, approve }).result)).toEqual(plain);
  });

  // With a policy, a BashJob runs bash too.
  it.each(UNREADABLE)('has the result of bash in a BashJob: %s', async (_name, command) => {
    const { exitCode } = await run(command);
    expect(await new BashJob({ command }, '/', false, { policy, approve }).result).toMatchObject({
      exitCode,
    });
  });
});

it('the error of the shell has the exit code 2', async () => {
  const result = await run('echo "a', { policy: { queries: 'allow' }, approve });
  expect(result).toMatchObject({ status: 'exited', exitCode: 2, decision: { code: 'UNPARSEABLE' } });
  expect(result.stderr).toContain('unexpected EOF');
});

describe.each([...dialects])('a command with an open quote in %s', (dialect) => {
  it('is answered with the error of the shell, whoever has approved it', async () => {
    const fail = (text: string) => expect(text).toMatch(/unexpected EOF|unterminated quoted|unmatched/i);
    await using asking = createTools(dialect, { policy: {}, approve });
    fail((await asking.tools[0].execute(argumentsOf(dialect, 'echo "a'))).text);
    await using granted = createTools(dialect, { policy: {} });
    const args = argumentsOf(dialect, 'echo "a');
    fail((await granted.tools[0].execute(args, { approval: 'granted' })).text);
  });
});

/** Answers whose reading throws, or that throw values which throw when they are read. */
const hostile: [string, () => unknown][] = [
  ['an error', () => raise(new Error('no'))],
  ['an object without a prototype', () => raise(Object.create(null))],
  ['a symbol', () => raise(Symbol('no'))],
  ['nothing', () => raise(undefined)],
  ['an error whose message throws', () => raise(withGetter(new Error(), 'message'))],
  ['a rejection without a prototype', () => Promise.reject(Object.create(null))],
  ['a verdict that throws', () => withGetter({}, 'verdict')],
  // biome-ignore lint/suspicious/noThenProperty: a promise of somebody else.
  ['a promise that throws', () => ({ then: () => raise(Object.create(null)) })],
  ['a reason that is no text', () => ({ verdict: 'deny', reason: Object.create(null) })],
  ['a rule that throws', () => withGetter({ verdict: 'allow' }, 'addRule')],
  ['a rule that can not be read', () => ({ verdict: 'allow', addRule: 'Bash(' })],
];

function raise(value: unknown): never {
  throw value;
}

function withGetter(object: object, name: string): object {
  return Object.defineProperty(object, name, { enumerable: true, get: () => raise(Object.create(null)) });
}

describe('an approve that fails with', () => {
  it.each(hostile)('%s denies, and every promise settles', async (_, fails) => {
    const directory = temporaryDirectory();
    const options = { cwd: directory, policy: {}, approve: fails as () => Approval };
    const denied = { status: 'denied', error: { code: 'NOT_APPROVED' } };
    expect(await run('touch made', options)).toMatchObject(denied);
    await using jobs = new Jobs();
    expect(await jobs.start('touch made', options).result).toMatchObject(denied);
    const bash = { policy: {}, approve: options.approve };
    const { output, ...result } = await new BashJob({ command: 'touch made' }, directory, false, bash).result;
    expect(result).toMatchObject(denied);
    expect(output).toMatch(/^Error: It was not approved: /);
    await using toolset = createTools('bash', options as object);
    expect((await toolset.tools[0].execute({ command: 'touch made' })).isError).toBe(true);
    expect(existsSync(join(directory, 'made'))).toBe(false);
  });
});

const lib = (path: string) => import(new URL(`../../lib/${path}`, import.meta.url).href);
const { authorizeJob } = await lib('policy/authorize-job.ts');
const { Job } = await lib('job/job.ts');

/** Returns the task of a job whose start throws. */
const failing = (approval?: Promise<null>) => ({
  approval,
  start: () => raise(new Error('the start fails')),
  startsAtOnce: false,
  mayGetListeners: true,
  isExposed: true,
  refusal: null,
  command: 'x',
  invocation: () => ({ command: 'x', cwd: '/' }),
  killSignal: 'SIGTERM',
});

describe('an error between the approval and the start', () => {
  const PLAN = { refusal: null, signal: undefined, spec: { surroundings: {} } };

  it('of the policy is the result of the command', async () => {
    const rules = {
      spec: { allowsQueries: true },
      native: { check: () => ASKS, harden: () => raise(FAULT) },
    };
    const plan = { ...PLAN, authorization: { policy: {}, rules, approve }, subject: SUBJECT, approval: null };
    authorizeJob(plan);
    expect(await plan.approval).toMatchObject({ status: 'failed', error: { message: 'it fails' } });
  });

  it('of what prepares the command is the result of the command', async () => {
    const rules = { spec: {}, native: { check: () => ASKS } };
    const plan = { ...PLAN, authorization: { policy: {}, rules, approve }, subject: SUBJECT, approval: null };
    authorizeJob(plan, () => raise(FAULT));
    expect(await plan.approval).toMatchObject({ status: 'failed', error: { message: 'it fails' } });
  });

  it.each([
    ['an approved', Promise.resolve(null)],
    ['any', undefined],
  ])('of the start is the result of %s job', async (_, approval) => {
    const { status, error } = await new Job(failing(approval)).result;
    expect({ status, message: error.message }).toEqual({ status: 'failed', message: 'the start fails' });
  });

  const FAULT = new Error('it fails');
  const ASKS = JSON.stringify({ verdict: 'ask', code: 'NOT_APPROVED', reason: 'x', suggestions: [] });
  const SUBJECT = { line: { command: 'x' }, surroundings: { environment: '' } };
});

describe('a job that waits for its approval', () => {
  const later = (options: object = {}) => ({
    policy: {},
    approve: () => deliberateDelay(100).then(() => 'allow' as const),
    ...options,
  });

  it('gets the input that was written meanwhile, in order', async () => {
    await using jobs = new Jobs();
    const job = jobs.start('cat -', later({ stdin: 'pipe' }));
    job.stdin?.write('1');
    job.write('2');
    job.stdin?.end('3');
    expect(job.status).toBe('starting');
    expect((await job.result).stdout).toBe('123');
  });

  it('refuses wrong input at once', async () => {
    await using jobs = new Jobs();
    const job = jobs.start('cat -', later({ stdin: 'pipe' }));
    expect(() => job.end(5 as never)).toThrow("'chunk'");
    job.end('right');
    expect((await job.result).stdout).toBe('right');
  });

  it('ends the writes to a job that is denied', async () => {
    await using jobs = new Jobs();
    const job = jobs.start('cat -', { stdin: 'pipe', policy: {}, approve: async () => 'deny' as const });
    await new Promise((resolve) => job.stdin?.write('x', resolve));
    expect((await job.result).status).toBe('denied');
  });

  it('is ready, and has a screen, once it has started', async () => {
    await using jobs = new Jobs();
    const server = jobs.start('echo up; sleep 30', later());
    expect(await server.ready({ pattern: /up/ })).toMatchObject({ status: 'ready' });
    // The size changes right after the start.
    const line = 'until [ "$(stty size)" = "30 100" ]; do sleep 0.05; done; stty size; sleep 30';
    const terminal = jobs.start(line, later({ pty: true }));
    expect(terminal.resize(100, 30)).toBe(true);
    expect(await terminal.waitForScreen(/30 100/)).toMatchObject({ status: 'matched' });
  });
});
