import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  BashJob,
  bash,
  type CommandEndMessage,
  type CommandStartMessage,
  Jobs,
  run,
  ShellSession,
} from 'agent-bash';
import { createTools } from 'agent-bash/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';

/** The events of commands from now on, and the store of the caller at each start. */
function traced() {
  const caller = new AsyncLocalStorage<string>();
  const starts: Array<CommandStartMessage & { caller: string | undefined }> = [];
  const ends: CommandEndMessage[] = [];
  const onStart = (message: unknown) =>
    starts.push({ ...(message as CommandStartMessage), caller: caller.getStore() });
  const onEnd = (message: unknown) => ends.push(message as CommandEndMessage);
  subscribe('agent-bash:command:start', onStart);
  subscribe('agent-bash:command:end', onEnd);
  onTestFinished(() => {
    unsubscribe('agent-bash:command:start', onStart);
    unsubscribe('agent-bash:command:end', onEnd);
  });
  return { starts, ends, caller };
}

const command = 'echo out; exit 3';

/** The ways to run a command. */
const WAYS: Record<string, () => Promise<unknown>> = {
  'run()': () => run(command),
  'run() of a command that moves to a table': async () => {
    await using jobs = new Jobs();
    const { jobId } = await run('sleep 0.3; exit 3', { timeout: 50, onTimeout: 'background', jobs });
    await jobs.get(String(jobId))?.result;
  },
  'Jobs.start()': async () => {
    await using jobs = new Jobs();
    await jobs.start(command).result;
  },
  BashJob: () => new BashJob({ command }, '/tmp').result,
  'bash()': async () => {
    expect(await bash({ command }, '/tmp')).toBe('out\n\n[Exit code: 3]');
  },
  'run() of a session': async () => {
    await using session = new ShellSession({ shell: 'bash' });
    await session.run('(exit 3)');
  },
  'start() of a session': async () => {
    await using session = new ShellSession({ shell: 'bash' });
    await session.start('(exit 3)').result;
  },
  'run() of a session that keeps a state': async () => {
    await using session = new ShellSession({ shell: 'bash', keep: 'state' });
    await session.run('(exit 3)');
  },
  'a tool': async () => {
    await using toolset = createTools('bash');
    await toolset.call('bash', { command });
  },
  'a tool with updates': async () => {
    await using toolset = createTools('bash');
    await toolset.tools[0]?.execute({ command }, { onUpdate: () => {} });
  },
};

describe('the events of a command', () => {
  it.each(Object.entries(WAYS))('are its start and its end: %s', async (_way, act) => {
    const { starts, ends, caller } = traced();
    await caller.run('the caller', act);
    expect(starts).toEqual([
      expect.objectContaining({ id: expect.stringMatching(/^job-\d+$/), caller: 'the caller' }),
    ]);
    const { caller: _, ...start } = starts[0] as (typeof starts)[0];
    expect(ends).toEqual([
      {
        ...start,
        cwd: expect.stringMatching(/^\//),
        status: 'exited',
        exitCode: 3,
        signal: null,
        pid: expect.any(Number),
        durationMs: expect.any(Number),
        errorCode: null,
      },
    ]);
  });

  it('have the ids of the call, the job and the session', async () => {
    const { starts, ends } = traced();
    const toolset = createTools('bash');
    const { jobId } = await toolset.call(
      'bash',
      { command: 'sleep 60', background: true },
      { callId: 'call-1' },
    );
    expect(starts).toMatchObject([{ id: jobId, dialect: 'bash', tool: 'bash', callId: 'call-1' }]);
    expect(ends).toEqual([]);
    await toolset.dispose();
    expect(ends).toMatchObject([{ id: jobId, callId: 'call-1', status: 'signaled' }]);
    await using session = new ShellSession();
    await session.run('true');
    expect(starts[1]).toMatchObject({ sessionId: session.id });
  });

  it('have neither output nor input nor environment', async () => {
    const { starts, ends } = traced();
    await run('cat; echo "$SECRET" >&2', { input: 'a secret', env: { SECRET: 'another secret' } });
    expect(JSON.stringify([starts, ends])).not.toMatch(/a secret|another secret/);
    expect(ends).toHaveLength(1);
  });

  it('leave out the commands of the package itself', async () => {
    const { starts, ends } = traced();
    const cwd = temporaryDirectory();
    await using toolset = createTools('anthropic-bash', { cwd });
    await toolset.call('bash', { command: 'true' });
    await using moving = createTools('bash', { session: 'live', cwd });
    await moving.call('bash', { command: 'pwd', cwd: '/' });
    await until(() => ends.length >= 2, 'both commands have ended');
    expect(starts.map((start) => start.command)).toEqual(['true', 'pwd']);
  });

  it('are none for a command that may not run', async () => {
    const { starts, ends } = traced();
    await run('echo ran', { policy: { deny: ['Bash(echo:*)'] } });
    await run('echo ran', { signal: AbortSignal.abort() });
    expect([starts, ends]).toEqual([[], []]);
  });

  it('end with the code of an error', async () => {
    const { ends } = traced();
    await run('true', { cwd: '/no/such/directory' });
    expect(ends).toMatchObject([{ status: 'failed', errorCode: 'CWD_MISSING', pid: null }]);
  });
});
