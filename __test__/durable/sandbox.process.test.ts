import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Jobs, Overlay, type SandboxLevel } from 'agent-bash';
import { createTools } from 'agent-bash/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { leftOf, makeWorkspace } from '../support/killed-sandboxes.mjs';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { durableDirectory, durableHost, durableJobs } from './support.js';

const LEVELS: SandboxLevel[] = ['read-only', 'workspace-write', 'isolated'];

/** Attempts to leave a sandbox: each prints a line only if it succeeds. */
const ATTEMPTS = `
  (touch OUTSIDE/new) 2>/dev/null && echo wrote
  (chmod 777 OUTSIDE/file) 2>/dev/null && echo changed
  (cat JOBS/*/job) 2>/dev/null && echo read
  (kill -0 HOST) 2>/dev/null && echo signalled
  (echo > .git/hooks/pre-commit) 2>/dev/null && echo hooked
  (exec 3<>/dev/tcp/127.0.0.1/PORT) 2>/dev/null && echo connected
  (mount -t tmpfs none /mnt) 2>/dev/null && echo mounted
  true`;

/** A repository, a directory outside of it, and a table of durable jobs. */
function place() {
  const directory = temporaryDirectory();
  const outside = join(directory, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'file'), '', { mode: 0o600 });
  const root = makeWorkspace(directory);
  const durable = durableDirectory();
  return { root, outside, durable, jobs: durableJobs(durable, { root }) };
}

/** A server on the loopback interface of the host. */
async function listening(): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => {}).end('served\n'));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as { port: number }).port;
}

async function idOf(jobs: Jobs): Promise<string> {
  const [found] = await jobs.find({ running: true });
  return found?.id as string;
}

describe('a durable job in a sandbox', { tags: ['sandbox'] }, () => {
  it.each(LEVELS)('of the level %s leaves nothing that the sandbox forbids', async (level) => {
    const { root, outside, durable, jobs } = place();
    const port = await listening();
    const command = ATTEMPTS.replaceAll('OUTSIDE', outside)
      .replaceAll('JOBS', durable)
      .replace('HOST', String(process.pid))
      .replace('PORT', String(port));
    const free = await jobs.start(['bash', '-c', command.replace(/.*(hooks|mount).*\n/g, '')], { root })
      .result;
    expect(free.stdout).toMatch(/wrote\nchanged\n(?:.|\n)*read\nsignalled\nconnected\n$/);
    const job = jobs.start(['bash', '-c', command], { root, sandbox: level });
    const { stdout, status, sandbox } = await job.result;
    expect({ stdout, status }).toEqual({ stdout: '', status: 'exited' });
    expect(sandbox).toMatchObject({ level, mechanism: 'namespaces', missing: [], created: [] });
    expect(job.durable?.sandbox).toMatchObject({ level, options: level, applied: sandbox?.applied });
  });

  it('tells each reader what was refused, and which paths it should not have left', async () => {
    const { root, durable, jobs } = place();
    const command = 'mkdir .vscode; exec 3<>/dev/tcp/10.0.0.1/80';
    const job = jobs.start(['bash', '-c', command], { root, sandbox: 'workspace-write' });
    const { sandbox } = await job.result;
    expect(sandbox?.refused).toEqual([{ kind: 'no-network', reason: 'unreachable' }]);
    expect(sandbox?.created).toEqual([join(root, '.vscode')]);
    const later = await durableJobs(durable).attach(job.id);
    expect((await later.result).sandbox).toEqual(sandbox);
  });

  it('has the network that it was given, and its refusals are those of the sandbox', async () => {
    const { root, jobs } = place();
    const port = await listening();
    const command = `cat <>/dev/tcp/127.0.0.1/${port}; exec 4<>/dev/tcp/10.0.0.1/80`;
    const start = (network: 'loopback' | 'on') =>
      jobs.start(['bash', '-c', command.replace(/;.*/, network === 'on' ? '' : '$&')], {
        root,
        sandbox: { level: 'workspace-write', network },
      }).result;
    const { stdout, sandbox } = await start('loopback');
    expect(stdout).toBe('served\n');
    expect(sandbox?.refused).toEqual([
      { kind: 'network', host: '10.0.0.1', port: 80, reason: 'not-loopback' },
    ]);
    expect(await start('on')).toMatchObject({ stdout: 'served\n', sandbox: { refused: [] } });
  });

  it('stays as it is when its host is killed, and leaves nothing after its end', async () => {
    const { root, outside, durable, jobs } = place();
    const seconds = tag();
    const command = `echo kept > /tmp/own; sleep ${seconds} & echo ready; read -r line; cat /tmp/own; touch ${outside}/new; kill %1`;
    const host = durableHost(
      durable,
      `const job = jobs.start(${JSON.stringify(command)}, {
        root: ${JSON.stringify(root)}, sandbox: 'workspace-write', stdin: 'pipe',
      });
      await job.ready({ pattern: 'ready' });
      console.log('runs');
      setInterval(() => {}, 1_000);`,
    );
    await host.printed('runs');
    host.process.kill('SIGKILL');
    await host.ended;
    const [found] = await jobs.find({ all: true });
    expect(found).toMatchObject({ end: null, sandbox: { level: 'workspace-write', missing: [] } });
    const job = await jobs.attach(found?.id as string, { since: 0 });
    job.write('go on\n');
    const { stdout, stderr, sandbox } = await job.result;
    expect(stdout).toBe('ready\nkept\n');
    expect(stderr).toContain('cannot touch');
    expect(existsSync(join(outside, 'new'))).toBe(false);
    expect(sandbox?.applied).toContain('write');
    const left = () => leftOf(root, seconds, host.process.pid as number);
    await until(() => left().length === 0, 'nothing is left').catch(() => {});
    expect(left()).toEqual([]);
  });

  it('is killed with its whole tree, and its stubs go', async () => {
    const { root, jobs } = place();
    const seconds = tag();
    const command = `trap "" TERM; setsid sleep ${seconds} & (setsid sh -c 'trap "" TERM; sleep ${seconds}' &) ; echo ready; sleep ${seconds}`;
    const sandbox = { level: 'workspace-write' as const, protected: ['memo', 'deep/er/notes'] };
    const job = jobs.start(command, { root, sandbox, forceKillAfterDelay: 100 });
    await job.ready({ pattern: 'ready' });
    await until(() => living(`sleep\0${seconds}`).length === 3, 'all three sleep');
    expect(existsSync(join(root, 'memo'))).toBe(true);
    job.kill();
    expect((await job.result).durable?.end).toMatchObject({ cause: 'kill', signal: 'SIGKILL' });
    expect(living(seconds)).toEqual([]);
    expect(['memo', 'deep'].filter((name) => existsSync(join(root, name)))).toEqual([]);
  });

  it('gets the signal of a kill itself, and exits as it likes', async () => {
    const { root, jobs } = place();
    const command = `trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.02; done`;
    const job = jobs.start(command, { root, sandbox: 'workspace-write' });
    await job.ready({ pattern: 'ready' });
    job.kill();
    expect(await job.result).toMatchObject({ exitCode: 5, stdout: 'ready\nbye\n' });
  });

  it('goes on as long as a process of it runs behind its leader', async () => {
    const { root, jobs } = place();
    const job = jobs.start(`mkfifo fifo; (setsid sh -c 'read -r line < fifo; echo "got $line"' &); exit 3`, {
      root,
      sandbox: 'workspace-write',
    });
    await until(() => job.durable !== null, 'it runs');
    await until(() => existsSync(join(root, 'fifo')), 'the pipe is there');
    expect(await jobs.find({ running: true })).toHaveLength(1);
    writeFileSync(join(root, 'fifo'), 'it\n');
    expect(await job.result).toMatchObject({ exitCode: 3, stdout: 'got it\n' });
  });

  it('ends with its supervisor', async () => {
    const { root, durable, jobs } = place();
    const seconds = tag();
    const job = jobs.start(`setsid sleep ${seconds} & sleep ${seconds}`, {
      root,
      sandbox: 'workspace-write',
    });
    await until(() => living(`sleep\0${seconds}`).length === 2, 'both sleep');
    const facts = readFileSync(join(durable, await idOf(jobs), 'job'), 'utf8');
    process.kill(Number(/^supervisor=(\d+)$/m.exec(facts)?.[1]), 'SIGKILL');
    expect((await job.result).error?.code).toBe('DURABLE_LOST');
    await until(() => living(seconds).length === 0, 'none sleeps');
  });

  it('has its terminal, its limits and the directories of the other commands of its root', async () => {
    const { root, jobs } = place();
    const first = jobs.start('echo shared > /tmp/file', { root, sandbox: 'workspace-write' });
    await first.result;
    const job = jobs.start('cat /tmp/file; tty; ulimit -n; echo $AGENT_BASH_SANDBOX', {
      root,
      sandbox: 'workspace-write',
      pty: true,
      limits: { openFiles: 99 },
    });
    const { stdout } = await job.result;
    expect(stdout.trim().split(/\r?\n/)).toEqual(['shared', '/dev/console', '99', 'workspace-write']);
  });

  it('reports a command that is not there, and a directory that it can not have', async () => {
    const { root, jobs } = place();
    const missing = jobs.start(['/nonexistent/program'], { root, sandbox: 'workspace-write' });
    expect((await missing.result).error?.code).toBe('ENOENT');
    const sandbox = { level: 'workspace-write' as const, writable: ['/nonexistent'] };
    expect((await jobs.start('true', { root, sandbox }).result).error?.code).toBe('SANDBOX_PATH');
    expect(await jobs.find()).toEqual([]);
  });

  it.each([
    ['allowed hosts', { sandbox: { level: 'workspace-write', network: { allow: ['a.example:443'] } } }],
    ['the agent of ssh', { sandbox: { level: 'workspace-write', sockets: ['ssh-agent'] } }],
    ['an overlay', { sandbox: 'workspace-write', overlay: true }],
  ])('does not start with %s, which needs its host', async (_, options) => {
    const { root, jobs } = place();
    const overlay = 'overlay' in options ? new Overlay({ root }) : undefined;
    const { error } = await jobs.start('true', { root, ...options, overlay } as object).result;
    await overlay?.discard();
    expect(error?.code).toBe('ERR_FEATURE_UNAVAILABLE');
    expect(error?.message).toContain('needs its host');
  });
});

describe('a toolset with durable and a sandbox', { tags: ['sandbox'] }, () => {
  it('adopts a job of an earlier session, and asks before input if its sandbox is another one', async () => {
    const { root, durable } = place();
    const asked: (string | undefined)[] = [];
    const session = (level: SandboxLevel) => {
      const toolset = createTools('bash', {
        durable: { directory: durable },
        root,
        sandbox: level,
        approve: ({ escalation }) => {
          if (escalation) asked.push(escalation.text);
          return 'allow';
        },
      });
      onTestFinished(() => toolset.dispose());
      return toolset;
    };
    const first = session('workspace-write');
    const command = 'while read -r line; do echo "got $line"; done';
    const { jobId, text, isError } = await first.call('bash', { command, background: true });
    expect({ isError, text }).toMatchObject({ isError: false, text: expect.stringContaining('outlives') });
    await first.dispose();
    const write = async (level: SandboxLevel) => {
      const toolset = session(level);
      await toolset.call('bash_write', { job: jobId, text: `${level}\n` });
      await toolset.jobs.get(jobId as string)?.ready({ pattern: `got ${level}` });
      await toolset.dispose();
      return asked.length;
    };
    expect(await write('workspace-write')).toBe(0);
    expect(await write('isolated')).toBe(1);
    expect(asked[0]).toContain('is of an earlier session');
  });
});
