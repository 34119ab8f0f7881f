import { describe, expect, it } from 'vitest';
import {
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

describe('what is not there on Windows says so', () => {
  it.each<[string, () => unknown]>([
    ['a terminal', () => run('echo', { pty: true })],
    ['onWaiting', () => run('echo', { onWaiting: 'eof' })],
    ['onPrompt', () => run('echo', { onPrompt: () => null })],
    ['a target', () => new Target({ exec: ['sh'] })],
    ['an overlay', () => new Overlay({ root: process.cwd() })],
    ['a session that keeps its shell', () => new ShellSession().run('echo')],
    ['loginEnvironment()', () => loginEnvironment()],
    ['loginState()', () => loginState()],
    ['durable jobs', () => new Jobs({ durable: {} } as never)],
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
