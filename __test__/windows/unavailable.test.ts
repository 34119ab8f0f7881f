import { createTools } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import {
  BashJob,
  Jobs,
  loginEnvironment,
  loginState,
  Overlay,
  probe,
  run,
  ShellSession,
  Target,
} from '../../index.js';
import { FOREVER, node } from './support.ts';

const UNAVAILABLE = { code: 'ERR_FEATURE_UNAVAILABLE' };

/** Returns the error of a call, or of its result. */
async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    return ((await call()) as { error?: unknown } | undefined)?.error;
  } catch (error) {
    return error;
  }
}

const PTY = { pty: true };
const WAITS = ['event', 'eof', 'kill'].map((onWaiting) => ({ onWaiting }));
const PROMPT = { onPrompt: () => null };
const TARGET = { target: { exec: ['sh'] } };
const DURABLE = { durable: true };
const CREDENTIALS = { credentials: {} };

/** The places in which a command gets options, each by a function that runs one with them. */
const PLACES: Record<string, (options: object) => unknown> = {
  'run()': (options) => run('echo', options),
  'jobs.start()': async (options) => {
    const jobs = new Jobs();
    try {
      return await jobs.start('echo', options).result;
    } finally {
      await jobs.dispose();
    }
  },
  'new Jobs()': (options) => new Jobs(options),
  'new ShellSession()': (options) => new ShellSession({ keep: 'state', ...options }).run('echo'),
  'session.start()': (options) => new ShellSession({ keep: 'state' }).start('echo', options).result,
  'createTools()': (options) => createTools('bash', options),
  'new BashJob()': (options) => new BashJob({ command: 'echo' }, process.cwd(), false, options).result,
};

/** Each option that is not there, with the places that have it. */
const OPTIONS: [object, string[]][] = [
  [PTY, ['run()', 'jobs.start()']],
  ...WAITS.map((wait): [object, string[]] => [wait, ['run()', 'jobs.start()', 'session.start()']]),
  [PROMPT, ['run()', 'jobs.start()', 'new ShellSession()', 'createTools()']],
  [TARGET, ['run()', 'jobs.start()', 'new ShellSession()', 'createTools()', 'new BashJob()']],
  [CREDENTIALS, ['run()', 'jobs.start()', 'new ShellSession()', 'createTools()']],
  [DURABLE, ['new Jobs()', 'createTools()']],
  [{ session: 'live' }, ['createTools()']],
];

const CASES = OPTIONS.flatMap(([options, places]) =>
  places.map((place): [string, string, object] => [place, JSON.stringify(Object.entries(options)), options]),
);

/** The command lines that ask for it, and what their errors name. */
const COMMAND_LINES: [string[], string][] = [
  [['run', '--pty', '--', 'echo'], 'pty'],
  [['run', '--target', 'ssh:host', 'echo'], 'target'],
  [['run', '--overlay', 'echo'], 'overlay'],
  [['jobs'], 'durable'],
  [['mcp', '--durable'], 'durable'],
  [['mcp', '--session', 'live'], 'session'],
  [['mcp', '--target', 'ssh:host'], 'target'],
];

describe('what is not there on Windows says so', () => {
  it.each(CASES)('in %s: %s', async (place, _, options) => {
    const error = await errorOf(() => PLACES[place]?.(options));
    expect(error).toMatchObject(UNAVAILABLE);
    // With what to use.
    expect((error as Error).message).toMatch(/; use |: run the command|expected 'process'/);
  });

  it.each(COMMAND_LINES)('on the command line: %j', async (words, name) => {
    const cli = `${process.cwd()}/entry/cli.js`;
    const { exitCode, stderr } = await run([process.execPath, cli, ...words]);
    expect(exitCode).toBeGreaterThan(0);
    expect(stderr.toLowerCase()).toContain(name);
    expect(stderr).toMatch(/use |: run the command/);
  });

  it.each<[string, () => unknown]>([
    ['a target', () => new Target({ exec: ['sh'] })],
    ['an overlay', () => new Overlay({ root: process.cwd() })],
    ['a session that keeps its shell', () => new ShellSession().run('echo')],
    ['loginEnvironment()', () => loginEnvironment()],
    ['loginState()', () => loginState()],
  ])('%s', async (_, call) => {
    expect(await errorOf(call)).toMatchObject(UNAVAILABLE);
  });

  it('waiting()', async () => {
    const jobs = new Jobs();
    const job = jobs.start(node(FOREVER));
    await expect(job.waiting()).rejects.toMatchObject(UNAVAILABLE);
    await jobs.dispose();
  });

  it('a sandbox', async () => {
    const { error } = await run('echo', { sandbox: 'read-only', root: process.cwd() });
    expect(error?.code).toBe('SANDBOX_UNAVAILABLE');
  });

  it('probe()', async () => {
    const { error, sandbox, treeLimits } = await probe();
    expect(error).toBeNull();
    expect(sandbox['read-only']).toMatchObject({ available: false });
    expect(treeLimits).toBeDefined();
  });
});
