import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createTools } from 'agent-bash/tools';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { run, Target, type TargetOptions } from '../../index.js';
import { HELPER } from '../install/support/repository.js';
import { temporaryDirectory } from '../support/directory.js';
import { askNode, INDEX, NodeProcess } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { deliberateDelay } from '../support/waits.mjs';
import { importBusybox, PODMAN, podman } from './podman.js';

/** The directory of the package. */
const PACKAGE = dirname(INDEX);

type ImageOptions = Extract<NonNullable<TargetOptions['container']>, { image: string }>;

describe('a target that is a container of its own', { tags: ['podman'], timeout: 120_000 }, () => {
  const image = `localhost/agent-bash-own-${process.pid}:1`;

  function options(more: Partial<ImageOptions> = {}): TargetOptions {
    return { container: { engine: PODMAN, image, ...more } };
  }

  function newTarget(more: Partial<ImageOptions> = {}): Target {
    const target = new Target(options(more));
    onTestFinished(() => target.dispose());
    return target;
  }

  /** Returns the names of the containers of this image. */
  function containers(): string[] {
    const names = podman('ps', '--all', '--filter', `ancestor=${image}`, '--format', '{{.Names}}');
    return names === '' ? [] : names.split('\n');
  }

  beforeAll(() => importBusybox(image));
  afterAll(() => {
    podman('rmi', '-f', image);
  });

  it('fails with the option and the path of a workspace that can not be used', async () => {
    const workspace = temporaryDirectory();
    symlinkSync('/', join(workspace, 'memo'));
    writeFileSync(join(workspace, 'file'), '');
    const errorOf = async (more: Partial<ImageOptions>) =>
      (await run('true', { target: options(more) })).error?.message;
    const refusal = (name: string, errno: string) =>
      `container.workspace: '${join(workspace, name)}' can't be used as a directory: ${errno}.`;
    for (const protectedPaths of [['memo'], []]) {
      const more = (name: string) => ({ workspace: join(workspace, name), protected: protectedPaths });
      expect(await errorOf(more('missing'))).toContain(refusal('missing', 'ENOENT'));
      expect(await errorOf(more('file'))).toContain(refusal('file', 'ENOTDIR'));
    }
    expect(await errorOf({ workspace, protected: ['memo'] })).toContain(
      `container.protected: '${join(workspace, 'memo')}' is a symbolic link`,
    );
  });

  it('names the workspace there if the user of the container can not enter it', async () => {
    const workspace = temporaryDirectory();
    chownSync(workspace, 1000, 1000);
    chmodSync(workspace, 0o700);
    const { error } = await run('true', { target: options({ workspace, protected: [] }) });
    expect(error?.code).toBe('CWD_NOT_ACCESSIBLE');
    expect(error?.message).toContain('not accessible: /workspace');
  });

  it('says that an image can not be pulled', async () => {
    const { error } = await run('true', { target: options({ image: 'localhost:1/none', pull: 'missing' }) });
    expect(error?.code).toBe('TARGET_IMAGE');
    expect(error?.message).toContain("The image 'localhost:1/none' can't be pulled: ");
  });

  it('runs commands, and leaves no container when it is disposed', async () => {
    const target = newTarget();
    for (const code of [0, 1, 125, 126, 127, 137, 255]) {
      const result = await run(`echo out; echo err >&2; exit ${code}`, { target });
      expect(result).toMatchObject({ status: 'exited', exitCode: code, stdout: 'out\n', stderr: 'err\n' });
    }
    const { target: report } = await run('true', { target });
    expect(containers()).toEqual([report?.container]);
    expect(target.state).toBe('open');
    expect(report).toMatchObject({ kind: 'container', missing: [], copiedBytes: 0 });
    await target.dispose();
    expect(containers()).toEqual([]);
  });

  it('has the files of the workspace, whose new ones keep their owner', async () => {
    const workspace = join(temporaryDirectory(), 'a "b", c\nd');
    mkdirSync(workspace);
    writeFileSync(join(workspace, 'file'), 'text');
    const result = await run('cat file; touch new; pwd', { root: workspace, target: options() });
    expect(result).toMatchObject({ stdout: 'text/workspace\n', cwd: '/workspace', stderr: '' });
    expect(statSync(join(workspace, 'new')).uid).toBe(process.getuid?.());
    const target = newTarget({ workspace, user: '12345:12345' });
    chownSync(workspace, 12345, 12345);
    expect((await run('touch other; id -u', { target })).stdout).toBe('12345\n');
    expect(statSync(join(workspace, 'other')).uid).toBe(12345);
  });

  it('takes paths below the workspace here and there', async () => {
    const workspace = temporaryDirectory();
    mkdirSync(join(workspace, 'src'));
    const target = newTarget({ workspace });
    for (const cwd of ['src', '/workspace/src', join(workspace, 'src')]) {
      expect(await run('pwd', { target, cwd })).toMatchObject({
        cwd: '/workspace/src',
        stdout: '/workspace/src\n',
      });
    }
    const outside = await run('pwd', { target, root: '/workspace', cwd: '/tmp' });
    expect(outside.error?.code).toBe('CWD_OUTSIDE');
  });

  it.each([
    'echo x >memo/a',
    'echo x >memo/new',
    'rm memo/a',
    'rm -r memo',
    'mv memo other',
    'mv memo/a a',
    'ln memo/a b',
    'chmod 777 memo/a',
    'ln -s /tmp memo/link',
    'mkdir memo/d',
    'umount memo',
    'mount -o remount,rw memo',
  ])('keeps `%s` from changing a protected path', async (line) => {
    const workspace = temporaryDirectory();
    mkdirSync(join(workspace, 'memo'));
    writeFileSync(join(workspace, 'memo/a'), 'kept');
    const target = options({ protected: ['memo'] });
    const result = await run(`${line}; echo "$?"`, { root: workspace, target });
    expect(result.stdout).not.toBe('0\n');
    expect(readdirSync(join(workspace, 'memo'))).toEqual(['a']);
    expect(readFileSync(join(workspace, 'memo/a'), 'utf8')).toBe('kept');
  });

  it.each([
    'mv .git old && mkdir -p .git/hooks && echo x >.git/hooks/pre-commit',
    'rm -r .git; mkdir -p .git/hooks && echo x >.git/hooks/pre-commit',
    'mv a/b c && mkdir -p a/b/c && echo x >a/b/c/new',
    'mv a c && mkdir -p a/b/c && echo x >a/b/c/new',
    'mv store c && mkdir -p store/data && echo x >store/data/new',
  ])('keeps `%s` from replacing a directory above a protected path', async (line) => {
    const workspace = temporaryDirectory();
    for (const name of ['.git/hooks', 'a/b/c', 'store/data'])
      mkdirSync(join(workspace, name), { recursive: true });
    const mounts = [{ source: temporaryDirectory(), target: '/workspace/store/data', readOnly: true }];
    const target = options({ protected: ['.git/hooks', 'a/b/c'], mounts });
    const result = await run(line, { root: workspace, target });
    expect(result.exitCode).not.toBe(0);
    const files = readdirSync(workspace, { recursive: true });
    expect(files).toEqual(expect.arrayContaining(['.git/hooks', 'a/b/c', 'store/data']));
    expect(files.filter((name) => /new|pre-commit/.test(String(name)))).toEqual([]);
  });

  it('protects a path once that is named twice, and leaves a place for a mount of the caller', async () => {
    const source = temporaryDirectory();
    writeFileSync(join(source, 'stored'), '');
    const mounts = [{ source, target: '/workspace/memo', readOnly: true }];
    const workspace = temporaryDirectory();
    const target = options({ protected: ['memo', 'a', 'a', 'a/b'], mounts });
    const result = await run('ls memo; touch a/b/c; echo x >file', { root: workspace, target });
    expect(result).toMatchObject({ status: 'exited', exitCode: 0, stdout: 'stored\n' });
    expect(result.stderr).toContain('Read-only file system');
  });

  it('makes a writable mount at a protected path or below it read-only, and leaves no place of it', async () => {
    const source = temporaryDirectory();
    mkdirSync(join(source, 'session'));
    const mounts = ['/workspace/memo/', '/workspace/memo/session', '/workspace/free'].map((target) => ({
      source,
      target,
    }));
    const workspace = temporaryDirectory();
    const target = newTarget({ workspace, protected: ['memo'], mounts });
    const result = await run('touch memo/a memo/session/b; touch free/c && ls', { target });
    expect(result).toMatchObject({ status: 'exited', exitCode: 0, stdout: 'free\nmemo\n' });
    expect(result.stderr.match(/Read-only file system/g)).toHaveLength(2);
    await target.dispose();
    expect(readdirSync(source).sort()).toEqual(['c', 'session']);
    expect(readdirSync(workspace)).toEqual([]);
  });

  it('has nothing in its workspace that nobody asked for', async () => {
    const workspace = temporaryDirectory();
    expect((await run('ls -A', { root: workspace, target: options() })).stdout).toBe('');
    expect(readdirSync(workspace)).toEqual([]);
  });

  it('makes a missing protected path, and removes it at the end', async () => {
    const workspace = temporaryDirectory();
    const target = newTarget({ workspace, protected: ['memo/session'] });
    const result = await run('mkdir memo/other; touch memo/session/a', { target });
    expect(result.stderr).toContain('Read-only file system');
    expect(existsSync(join(workspace, 'memo/session'))).toBe(true);
    await target.dispose();
    expect(existsSync(join(workspace, 'memo/session'))).toBe(false);
  });

  it('has no network, no capabilities and limits that the engine has applied', async () => {
    const target = newTarget({ memory: 64 << 20, pids: 32 });
    const { stdout } = await run('ls /sys/class/net; grep -h CapEff /proc/self/status', { target });
    expect(stdout).toMatch(/^lo\nCapEff:\t0+\n$/);
    const line = 'for i in $(seq 60); do sleep 5 & done; wait';
    const forks = await run(line, { target, background: 'kill' });
    expect(forks.stderr).toContain("can't fork");
    expect((await run('true', { target })).status).toBe('exited');
  });

  it('says that a command has run out of memory, and runs the next one', async () => {
    const target = newTarget({ memory: 64 << 20 });
    const result = await run('awk \'BEGIN { x = "x"; while (1) x = x x }\'', { target });
    expect(result).toMatchObject({ error: { code: 'OUT_OF_MEMORY' } });
    expect(result.exitCode === 137 || result.signal === 'SIGKILL').toBe(true);
    expect(await run('echo on', { target })).toMatchObject({ stdout: 'on\n', error: null });
  });

  it.each(['/tmp', '/var/tmp', '/run', '/dev/shm'])('runs commands on while its %s is full', async (path) => {
    const target = newTarget({ memory: 64 << 20 });
    const full = await run(`dd if=/dev/zero of=${path}/a bs=64k count=4096; echo $?`, { target });
    expect(full).toMatchObject({ status: 'exited', stdout: '1\n', error: null });
    expect(full.stderr).toContain('No space left on device');
    const next = await run(`ls ${path}; rm ${path}/a`, { target });
    expect(next).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('a\n') });
    expect(next.target?.container).toBe(full.target?.container);
  });

  it('says that memory is short for the start of a command, and is made anew then', async () => {
    const target = newTarget({ memory: 48 << 20, user: '0:0' });
    // The engine gives this file system a size that is beyond the memory.
    const full = await until(async () => {
      const { error } = await run('yes >>/dev/a', { target });
      return error?.code === 'OUT_OF_MEMORY' && error;
    }, 'the memory is full');
    expect(full.message).not.toContain('connection');
    const next = await until(async () => {
      const result = await run('ls /dev', { target });
      return result.status === 'exited' && result;
    }, 'a command runs again');
    expect(next.stdout.split('\n')).not.toContain('a');
  });

  it('mounts what is asked for', async () => {
    const source = temporaryDirectory();
    writeFileSync(join(source, 'a'), 'text');
    const mounts = [{ source, target: '/data', readOnly: true }];
    const result = await run('cat /data/a; touch /data/b', { target: options({ mounts }) });
    expect(result.stdout).toBe('text');
    expect(result.stderr).toContain('Read-only file system');
  });

  it('names the option of a mount whose source is missing', async () => {
    const mounts = [{ source: '/nowhere/at all', target: '/data' }];
    const { error } = await run('true', { target: options({ mounts }) });
    expect(error).toEqual({
      code: 'TARGET_START',
      message: "container.mounts: '/nowhere/at all' does not exist on the machine of the engine.",
    });
  });

  it('copies the helper over the stream where the engine can not mount it', async () => {
    const engine = join(temporaryDirectory(), 'engine');
    const refusal = 'echo "Error: statfs agent-bash-helper: no such file" >&2; exit 125';
    const script = `case "$*" in *dst=/run/agent-bash-helper*) ${refusal};; esac\nexec ${PODMAN.join(' ')} "$@"`;
    writeFileSync(engine, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
    const result = await run('echo here', { target: options({ engine }) });
    expect(result.stdout).toBe('here\n');
    expect(result.target?.copiedBytes).toBeGreaterThan(0);
  });

  it('names what is missing', async () => {
    const unknown = await run('true', { target: options({ image: 'localhost/agent-bash-nowhere' }) });
    expect(unknown.error).toEqual({
      code: 'TARGET_IMAGE',
      message: "The image 'localhost/agent-bash-nowhere' is not here; pull it, or set pull: 'missing'.",
    });
    const engineless = await run('true', { target: options({ engine: '/nowhere/podman' }) });
    expect(engineless.error?.code).toBe('TARGET_ENGINE');
    const odd = await run('true', { target: options({ network: 'nowhere' }) });
    expect(odd.error?.code).toBe('TARGET_START');
    expect(odd.error?.message).toContain('nowhere');
  });

  it('is lost when its container is removed, and the next command has a new one', async () => {
    const target = newTarget();
    const first = await run('touch /tmp/a', { target });
    const running = run('sleep 1000', { target });
    await run('true', { target });
    podman('rm', '-f', '--time', '0', first.target?.container ?? '');
    expect(await running).toMatchObject({ status: 'failed', error: { code: 'TARGET_LOST' } });
    const next = await run('ls /tmp', { target });
    expect(next).toMatchObject({ status: 'exited', stdout: '' });
    expect(next.target?.container).not.toBe(first.target?.container);
  });

  it('loses a command before its supervisor when memory is short', async () => {
    const { stdout } = await run('cat /proc/1/oom_score_adj /proc/self/oom_score_adj', { target: options() });
    const [supervisor, command] = stdout.split('\n').map(Number);
    expect(command).toBe((supervisor ?? 0) + 100);
  });

  it('gets the helper that was read, also when its file is replaced meanwhile', async () => {
    const directory = temporaryDirectory();
    for (const name of readdirSync(PACKAGE)) {
      const isOwn = /^(index\.js|package\.json|native\.cjs|bundle|agent-bash.*)$/.test(name);
      if (isOwn) cpSync(join(PACKAGE, name), join(directory, name), { recursive: true });
    }
    const program = `
      import { appendFileSync, copyFileSync, renameSync } from 'node:fs';
      const { run } = await import(${JSON.stringify(join(directory, 'index.js'))});
      await run('true', { target: { exec: ['sh', '-c', 'exec "$@"', 'x'] } });
      const helper = ${JSON.stringify(join(directory, HELPER))};
      copyFileSync(helper, helper + '-new');
      appendFileSync(helper + '-new', 'another version');
      renameSync(helper + '-new', helper);
      const { status, stdout, target } = await run('echo up', { target: ${JSON.stringify(options())} });
      console.log(JSON.stringify({ status, stdout, isCopied: target.copiedBytes > 0 }));
    `;
    expect(await askNode(program)).toEqual({ status: 'exited', stdout: 'up\n', isCopied: true });
  });

  it('that has replaced a lost one is named to a model once', async () => {
    await using tools = createTools('agentrail', { root: temporaryDirectory(), target: options() });
    const bash = async (command: string) => (await tools.call('Bash', { command })).text;
    await bash('touch /tmp/a');
    podman('rm', '-f', '--time', '0', ...containers());
    // A call that has met the loss says so.
    const first = await until(async () => {
      const text = await bash('ls /tmp; echo listed');
      return text.includes('listed') && text;
    }, 'a command runs again');
    expect(first).toContain('this is a new one: its /tmp is empty');
    expect(await bash('echo again')).not.toContain('this is a new one');
  });

  it('is gone some seconds after Node.js was killed, also while it starts', async () => {
    const program = `
      import { run } from ${JSON.stringify(INDEX)};
      const container = { engine: ${JSON.stringify(PODMAN)}, image: ${JSON.stringify(image)} };
      await run('(setsid sleep ' + TAG + ' &); yes & sleep ' + TAG, { target: { container } });
    `;
    for (const delay of [300, 450, 600, 800, 1_500]) {
      const seconds = tag();
      const node = new NodeProcess(program, { tag: seconds });
      await deliberateDelay(delay);
      node.process.kill('SIGKILL');
      await until(() => living(seconds).length === 0, 'no process is left', 15_000);
      await until(() => containers().length === 0, 'no container is left', 15_000);
    }
  });

  it('is gone after a dispose while it starts', async () => {
    const target = newTarget();
    const running = run('sleep 1000', { target });
    await deliberateDelay(50);
    await target.dispose();
    expect((await running).error?.code).toBe('TARGET_CLOSED');
    expect(containers()).toEqual([]);
  });

  it.each([true, undefined])(
    'keeps the memo of AgentRail in a store elsewhere: readOnly %s',
    async (readOnly) => {
      const root = temporaryDirectory();
      const source = temporaryDirectory();
      mkdirSync(join(source, 'session'));
      writeFileSync(join(source, 'session/NOTES.md'), 'kept\n');
      const mounts = [{ source, target: '/workspace/memo', readOnly }];
      await using tools = createTools('agentrail', { root, target: options({ mounts }) });
      const command = 'cat memo/session/NOTES.md; echo x >/workspace/memo/session/NOTES.md';
      expect((await tools.call('Bash', { command })).data).toMatchObject({
        stdout: 'kept\n',
        stderr: expect.stringContaining('Read-only file system'),
      });
      expect(readFileSync(join(source, 'session/NOTES.md'), 'utf8')).toBe('kept\n');
    },
  );

  it('is the sandbox of AgentRail', async () => {
    const root = temporaryDirectory();
    mkdirSync(join(root, 'memo/session'), { recursive: true });
    await using tools = createTools('agentrail', { root, target: options() });
    const bash = (args: object) => tools.call('Bash', args);
    expect(tools.get('Bash')?.description).toContain('/workspace/memo is read-only');
    expect((await bash({ command: 'pwd' })).text).toBe('/workspace\n\n[exit code: 0]');
    const written = await bash({ command: 'echo x >/workspace/memo/session/a' });
    expect(written.text).toMatch(/Read-only file system\n+\[exit code: 1\]/);
    const outside = await bash({ command: 'pwd', working_directory: '/tmp' });
    expect(outside.isError).toBe(true);
    const here = await bash({ command: 'pwd', working_directory: join(root, 'memo') });
    expect(here.text).toContain('/workspace/memo\n');
    // The command would be refused on this machine.
    const dangerous = await bash({ command: 'rm -rf /' });
    expect(dangerous.text).not.toContain('known-dangerous');
    const background = await bash({ command: 'echo up; sleep 100', timeout: 1_000 });
    expect(background.text).toBe('Process is running in background\nup\n');
    expect(background.data).toMatchObject({ mode: 'background', job_id: expect.any(String) });
    expect(background.data).not.toHaveProperty('pid');
    await tools.dispose();
    expect(containers()).toEqual([]);
  });

  it('excludes another sandbox', async () => {
    const target = options();
    await expect(run('true', { target, root: '/', sandbox: 'read-only' })).rejects.toThrow(
      'none next to a container of its own',
    );
  });

  it('removes containers of hosts that are gone, and no others', async () => {
    const sleeper = spawn('sleep', ['1000']);
    onTestFinished(() => void sleeper.kill());
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const { ino } = statSync('/proc/self/ns/pid');
    const start = readFileSync(`/proc/${sleeper.pid}/stat`, 'utf8').split(' ')[21];
    const name = (kind: string) => `agent-bash-test-${kind}-${process.pid}`;
    const create = (kind: string, owner: string) => {
      const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024', '--network', 'none'];
      const label = `agent-bash.owner=${owner}`;
      podman('create', ...limits, '--name', name(kind), '--label', label, image, 'sleep', '9');
    };
    const uid = process.getuid?.();
    create('living', `${boot}:${ino}:${sleeper.pid}:${start}:${uid}`);
    create('gone', `${boot}:${ino}:${sleeper.pid}:${Number(start) + 1}:${uid}`);
    // This process may have swept already.
    const container = { engine: PODMAN, image };
    const program = `
      import { run } from ${JSON.stringify(INDEX)};
      await run('sleep 5', { target: { container: ${JSON.stringify(container)} } });
    `;
    const node = new NodeProcess(program);
    await until(() => !containers().includes(name('gone')), 'the abandoned container is removed', 30_000);
    expect(containers()).toContain(name('living'));
    await node.ended;
    podman('rm', '-f', '--time', '0', name('living'));
  });
});
