import { createTools } from 'agent-bash/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LineClient } from '../cli/support.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { durableDirectory, durableJobs } from './support.js';

type Options = Parameters<typeof createTools>[1];

/** A toolset with durable jobs in a directory, as a session of an agent has one. */
function session(directory: string, options: Options = {}) {
  const toolset = createTools('bash', { durable: { directory }, root: process.cwd(), ...options });
  onTestFinished(() => toolset.dispose());
  return toolset;
}

describe('a toolset with durable', () => {
  it('says of a job that it starts that it outlives the session, and until when', async () => {
    const toolset = session(durableDirectory());
    const { text, jobId } = await toolset.call('bash', { command: 'sleep 100', background: true });
    expect(text).toMatch(
      new RegExp(
        `\\n\\nJob ${jobId} outlives this session, until \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC, or 8 h without a session\\.$`,
      ),
    );
    expect((await toolset.call('bash', { command: 'echo hi' })).text).not.toContain('outlives');
  });

  it('lets its jobs run, which the next one adopts, and says so in its first answer alone', async () => {
    const directory = durableDirectory();
    const first = session(directory);
    const command = 'echo begun; read -r x; echo "got $x"; exit 4';
    const { jobId } = await first.call('bash', { command, background: true });
    await first.dispose();
    const second = session(directory);
    const { text } = await second.call('bash', { command: 'echo hi' });
    expect(text).toMatch(/^hi\n/);
    expect(text).toContain(`\n\nJobs of an earlier session: ${jobId} "${command}" runs (0 s).`);
    expect((await second.call('bash', { command: 'echo hi' })).text).not.toContain('earlier');
    expect((await second.call('bash_read', { job: jobId })).text).toContain('begun');
    const wrote = await second.call('bash_write', { job: jobId, text: 'it\n' });
    expect(wrote.isError).toBe(false);
    await until(() => second.jobs.get(jobId as string)?.status === 'exited', 'it has ended');
    const rest = await second.call('bash_read', { job: jobId });
    expect(wrote.text + rest.text).toContain('got it');
    expect(wrote.text + rest.text).toContain('[exit code: 4]');
  });

  it('does not adopt the jobs of another root or owner, and keeps no foreground commands', async () => {
    const directory = durableDirectory();
    await session(directory).call('bash', { command: 'sleep 100', background: true });
    const other = session(directory, { root: temporaryDirectory() });
    expect((await other.call('bash', { command: 'echo hi' })).text).not.toContain('earlier');
    expect(await durableJobs(directory).find({ all: true })).toHaveLength(1);
  });

  it('has a command that goes on as a job end with it', async () => {
    const directory = durableDirectory();
    const toolset = session(directory, { timeout: { yield: 1 } });
    const { text } = await toolset.call('bash', { command: 'sleep 100' });
    expect(text).not.toContain('outlives');
    await toolset.dispose();
    expect(await durableJobs(directory).find({ all: true })).toEqual([]);
  });

  it('tells of a job that was lost, and keeps its output', async () => {
    const directory = durableDirectory();
    const first = session(directory);
    const { jobId } = await first.call('bash', { command: 'echo begun; sleep 100', background: true });
    const job = first.jobs.get(jobId as string);
    await job?.ready({ pattern: 'begun' });
    const supervisor = await supervisorOf(directory, jobId as string);
    await first.dispose();
    process.kill(supervisor, 'SIGKILL');
    const jobs = durableJobs(directory);
    await until(async () => (await jobs.find({ running: true, all: true })).length === 0, 'it is lost');
    const { text } = await session(directory).call('bash', { command: 'echo hi' });
    expect(text).toContain(
      `Job ${jobId} was lost (killed). Its exit code is unknown; 6 bytes of output are kept.`,
    );
  });

  it('asks before the first input to a job of an earlier session, with a sandbox', {
    tags: ['sandbox'],
  }, async () => {
    const directory = durableDirectory();
    const first = session(directory);
    const { jobId } = await first.call('bash', { command: 'cat', background: true });
    await first.dispose();
    const asked: (string | undefined)[] = [];
    const second = session(directory, {
      sandbox: 'workspace-write',
      approve: ({ escalation }) => {
        asked.push(escalation?.text);
        return asked.length === 1 ? 'deny' : 'allow';
      },
    });
    const write = () => second.call('bash_write', { job: jobId, text: 'x\n' });
    expect((await write()).isError).toBe(true);
    expect((await write()).isError).toBe(false);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain('is of an earlier session');
  });

  it.each([
    [{ durable: { onwer: 'me' } }, "did you mean 'owner'?"],
    [{ durable: true, target: { exec: ['sh'] } }, "'options.durable': expected none next to a target"],
  ])('refuses %j', (options, message) => {
    expect(() => createTools('bash', options as Options)).toThrow(message);
  });
});

describe('agent-bash mcp --durable', () => {
  it('serves the jobs of the server before it', async () => {
    const state = temporaryDirectory();
    process.env.XDG_STATE_HOME = state;
    const directory = `${state}/agent-bash/jobs`;
    onTestFinished(async () => {
      delete process.env.XDG_STATE_HOME;
      const jobs = durableJobs(directory);
      for (const { id } of await jobs.find({ all: true, running: true })) await jobs.stop(id, 'SIGKILL');
      await until(async () => (await jobs.find({ all: true, running: true })).length === 0, 'all ended');
    });
    const first = new LineClient('--durable', '--mode', 'auto');
    await first.initialize();
    const started = await first.answer(first.call('sleep 100', { background: true }));
    expect(started.result.content[0].text).toContain('outlives this session');
    first.process.kill('SIGKILL');
    await first.ended;
    const second = new LineClient('--durable', '--mode', 'auto');
    await second.initialize();
    const answer = await second.answer(second.call('echo hi'));
    expect(answer.result.content[0].text).toMatch(/Jobs of an earlier session: d\w{7} "sleep 100" runs/);
    second.process.stdin?.end();
    await second.ended;
    expect(await durableJobs(directory).find({ running: true })).toHaveLength(1);
  });
});

/** Returns the pid of the supervisor of a job, which its facts tell people. */
async function supervisorOf(directory: string, id: string): Promise<number> {
  const { readFileSync } = await import('node:fs');
  const facts = readFileSync(`${directory}/${id}/job`, 'utf8');
  return Number(/^supervisor=(\d+)$/m.exec(facts)?.[1]);
}
