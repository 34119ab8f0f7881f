import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { createTools } from 'agent-bash/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Jobs, run, type SandboxOptions } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { askNode, INDEX, NodeProcess } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

/** Runs a command in a sandbox over a fresh workspace. */
function sandboxed(command: string | readonly string[], more: object = {}, level: object = {}) {
  const root = temporaryDirectory();
  const sandbox = { level: 'workspace-write', ...level } as SandboxOptions;
  return run(command, { root, sandbox, timeout: 60_000, ...more });
}

/** Whether the machine's loopback has an address of IPv6. */
const HAS_IPV6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

describe('a command in a sandbox', { tags: ['sandbox'] }, () => {
  it('writes in its workspace, and nowhere else on the host', async () => {
    const root = temporaryDirectory();
    const outside = join(temporaryDirectory(), 'outside');
    const without = await run(`echo x > ${outside} && rm ${outside}`, { root });
    expect(without.exitCode).toBe(0);
    const result = await run(`echo in > inside; cat inside; echo x > ${outside}`, {
      root,
      sandbox: 'workspace-write',
    });
    expect(result.stdout).toBe('in\n');
    expect(result.exitCode).not.toBe(0);
    expect(readFileSync(join(root, 'inside'), 'utf8')).toBe('in\n');
    expect(existsSync(outside)).toBe(false);
    expect(result.sandbox).toEqual({
      level: 'workspace-write',
      mechanism: 'namespaces',
      applied: ['write', 'metadata', 'protected', 'hidden', 'processes', 'network', 'tmp', 'home'],
      missing: [],
      refused: [],
      moreRefused: 0,
      used: [],
      sockets: [],
      created: [],
    });
  });

  it('that is killed runs no further command of any of its shells', async () => {
    await using table = new Jobs();
    const root = temporaryDirectory();
    const seconds = tag();
    const shells = `for i in $(seq 60); do (sleep ${seconds}; touch ran-$i) & done; wait`;
    const job = table.start(shells, { root, sandbox: 'workspace-write', killSignal: 'SIGKILL' });
    await until(() => living(`sleep\0${seconds}`).length === 60, 'all sleep');
    job.kill();
    await job.result;
    expect(readdirSync(root)).toEqual([]);
  });

  it('that may only read writes nothing in its workspace', async () => {
    const root = temporaryDirectory();
    writeFileSync(join(root, 'file'), 'text');
    const { stdout, exitCode } = await run('cat file; echo x > new', { root, sandbox: 'read-only' });
    expect([stdout, exitCode]).toEqual(['text', 1]);
    expect(readdirSync(root)).toEqual(['file']);
  });

  it('ends as it would without: exit code, signal, missing program, streams and input', async () => {
    expect((await sandboxed('exit 7')).exitCode).toBe(7);
    expect((await sandboxed('kill -9 $$')).signal).toBe('SIGKILL');
    expect((await sandboxed(['/no/such'])).error).toEqual({
      code: 'ENOENT',
      message: 'spawn /no/such ENOENT',
    });
    const both = await sandboxed('echo out; echo err >&2; cat', { input: 'in' });
    expect([both.stdout, both.stderr]).toEqual(['out\nin', 'err\n']);
    const long = await sandboxed(`echo $(( 1 + 1 )) #${'x'.repeat(300_000)}`);
    expect(long.stdout).toBe('2\n');
  });

  it('has a terminal', async () => {
    const { stdout } = await sandboxed('tty', { pty: true });
    expect(stdout).toBe('/dev/console\r\n');
  });

  it('has no processes of the host, and no network', async () => {
    const { stdout } = await sandboxed(
      `ls /proc | grep -c '^[0-9]'; (exec 3<>/dev/tcp/1.1.1.1/80) 2>/dev/null && echo reached; kill -0 ${process.pid}`,
    );
    expect(Number(stdout.split('\n')[0])).toBeLessThan(8);
    expect(stdout).not.toContain('reached');
  });

  it('reaches a server of the command before with the network loopback, and not without', async () => {
    const root = temporaryDirectory();
    const sandbox: SandboxOptions = { level: 'workspace-write', network: 'loopback' };
    const serve = `require('node:http').createServer((request, response) => response.end('hi'))
      .listen(0, function () { require('node:fs').writeFileSync('port', String(this.address().port)); })`;
    const ask = `fetch('http://localhost:' + require('node:fs').readFileSync('port'))
      .then((answer) => answer.text()).then(console.log, () => console.log('refused'))`;
    await using table = new Jobs();
    table.start([process.execPath, '-e', serve], { root, sandbox });
    await until(
      () => existsSync(join(root, 'port')) && readFileSync(join(root, 'port'), 'utf8'),
      'it listens',
    );
    const asked = async (own: SandboxOptions) =>
      (await run([process.execPath, '-e', ask], { root, sandbox: own })).stdout;
    expect(await asked(sandbox)).toBe('hi\n');
    expect(await asked({ level: 'read-only', network: 'loopback' })).toBe('hi\n');
    expect(await asked({ level: 'workspace-write' })).toBe('refused\n');
  });

  it.each([...(HAS_IPV6 ? ['::'] : []), '0.0.0.0', undefined])(
    'is served at each name of loopback by a server on %s',
    async (host) => {
      const root = temporaryDirectory();
      const sandbox: SandboxOptions = { level: 'workspace-write', network: 'loopback' };
      const names = host === '0.0.0.0' || !HAS_IPV6 ? ['127.0.0.1'] : ['127.0.0.1', '[::1]'];
      const serve = `require('node:http').createServer((request, response) => response.end('hi'))
      .listen({ port: 0, host: ${JSON.stringify(host)} }, function () {
        require('node:fs').writeFileSync('port', String(this.address().port));
      })`;
      await using table = new Jobs();
      table.start([process.execPath, '-e', serve], { root, sandbox });
      await until(
        () => existsSync(join(root, 'port')) && readFileSync(join(root, 'port'), 'utf8'),
        'it listens',
      );
      for (const name of names) {
        const ask = `fetch('http://${name}:' + require('node:fs').readFileSync('port'))
        .then((answer) => answer.text()).then(console.log, (error) => console.log(String(error.cause)))`;
        const { stdout } = await run([process.execPath, '-e', ask], { root, sandbox });
        expect({ name, stdout }).toEqual({ name, stdout: 'hi\n' });
      }
    },
  );

  it('says which UNIX socket was refused', async () => {
    // In /tmp, it would not even be visible.
    const socket = `/var/tmp/agent-bash-test-${tag()}`;
    onTestFinished(() => rmSync(socket, { force: true }));
    const listen = `require('node:net').createServer().listen('${socket}', () => console.log('up'))`;
    await using table = new Jobs();
    await table.start([process.execPath, '-e', listen]).ready({ pattern: 'up' });
    const connect = [
      process.execPath,
      '-e',
      `require('node:net').connect('${socket}', () => { console.log('connected'); process.exit(); })
        .on('error', ({ code }) => console.log(code))`,
    ];
    expect((await run(connect)).stdout).toBe('connected\n');
    const { stdout, sandbox } = await sandboxed(connect);
    expect(stdout).not.toBe('connected\n');
    expect(sandbox?.refused).toEqual([{ kind: 'socket', path: socket }]);
  });

  it('can be killed with all that it has started', async () => {
    const own = tag();
    const command = `trap '' TERM; setsid sleep ${own} & sleep ${own}`;
    const result = await sandboxed(command, { timeout: 1_000, forceKillAfterDelay: 100 });
    expect([result.status, result.signal, result.error?.message]).toEqual(['timeout', 'SIGKILL', undefined]);
    expect(living(`sleep\0${own}`)).toEqual([]);
  });

  it('reports what it leaves in the background, which stays in the sandbox', async () => {
    const own = tag();
    const root = temporaryDirectory();
    await using table = new Jobs();
    const result = await run(
      `(sleep 0.3; echo x > /etc/agent-bash-test; echo $? > end; exec sleep ${own}) & echo up`,
      {
        root,
        sandbox: 'workspace-write',
        jobs: table,
        background: 'adopt',
      },
    );
    expect(result.backgroundPids.length).toBeGreaterThan(0);
    await until(() => existsSync(join(root, 'end')), 'the background process has tried');
    expect(readFileSync(join(root, 'end'), 'utf8')).toBe('1\n');
    await table.dispose();
    expect(living(`sleep\0${own}`)).toEqual([]);
  });

  it('can not make a missing protected path, and leaves nothing in its place', async () => {
    const root = temporaryDirectory();
    const sandbox: SandboxOptions = { level: 'workspace-write', protected: ['memo'] };
    const result = await run('mkdir memo; touch memo/x; git init -q 2>&1', { root, sandbox });
    expect(result.stderr).toContain('memo');
    await until(() => !existsSync(join(root, 'memo')), 'the stub is gone');
  });

  it('can not change the hooks of its repository', async () => {
    const root = temporaryDirectory();
    await run('git init -q .', { root });
    const { exitCode, stdout } = await run(
      'echo x > f && git add f && git -c user.name=a -c user.email=b commit -qm m && echo done; echo x > .git/hooks/pre-commit',
      { root, sandbox: 'workspace-write' },
    );
    expect([exitCode, stdout]).toEqual([1, 'done\n']);
  });

  it('inherits no secrets, but what the caller passes', async () => {
    const report = await askNode<string>(
      `
        process.env.MY_TOKEN = 'secret';
        process.env.MY_URL = 'postgres://user:password@host/db';
        process.env.PLAIN = 'plain';
        const { run } = await import(${JSON.stringify(INDEX)});
        const options = { root: ${JSON.stringify(temporaryDirectory())}, env: { GIVEN_TOKEN: 'given' } };
        const line = 'echo $MY_TOKEN-$MY_URL-$PLAIN-$GIVEN_TOKEN';
        const outputs = [];
        for (const more of [
          {},
          { sandbox: 'workspace-write' },
          { sandbox: 'workspace-write', environment: { include: ['MY_*'] } },
          { environment: { inherit: 'safe' } },
          { environment: { inherit: ['PLA*'] } },
          { environment: { inherit: 'none' }, env: { PLAIN: 'own' } },
          { environment: { exclude: ['PLAIN'] } },
        ]) {
          outputs.push((await run(line, { ...options, ...more })).stdout.trim());
        }
        console.log(JSON.stringify(outputs.join(' | ')));
      `,
    );
    expect(report.split(' | ')).toEqual([
      'secret-postgres://user:password@host/db-plain-given',
      '--plain-given',
      'secret-postgres://user:password@host/db-plain-given',
      '--plain-given',
      '--plain-given',
      '--own-',
      'secret-postgres://user:password@host/db--given',
    ]);
  });

  it('dies with a host that is killed, and leaves no stub', async () => {
    const own = tag();
    const root = temporaryDirectory();
    const host = new NodeProcess(`
      const { run } = await import(${JSON.stringify(INDEX)});
      const sandbox = { level: 'workspace-write', protected: ['memo'] };
      void run('setsid sleep ${own} & sleep ${own}', { root: ${JSON.stringify(root)}, sandbox });
    `);
    await until(() => living(`sleep\0${own}`).length === 2, 'both sleep');
    host.process.kill('SIGKILL');
    await until(() => living(`sleep\0${own}`).length === 0, 'both are gone');
    await until(() => !existsSync(join(root, 'memo')), 'the stub is gone');
  });

  it('does not run without its sandbox: wrong options are named', async () => {
    const root = temporaryDirectory();
    const wrong = async (options: object) =>
      run('true', options).then(
        () => 'it ran',
        ({ message }: Error) => message,
      );
    expect(await wrong({ sandbox: 'workspace-write' })).toBe(
      "Invalid option 'options.root': expected a directory next to a sandbox, got undefined",
    );
    expect(await wrong({ root, sandbox: 'all' })).toContain(
      "Invalid option 'options.sandbox': unknown variant `all`",
    );
    expect(await wrong({ root, sandbox: { level: 'read-only', net: 'off' } })).toContain(
      'unknown field `net`',
    );
    expect(await wrong({ root, sandbox: 7 })).toContain("Invalid option 'options.sandbox'");
    expect(await wrong({ root: '/', sandbox: 'read-only' })).toContain("'/' can't be the workspace");
    const missing = await run('true', { root, sandbox: { level: 'workspace-write', writable: ['no-such'] } });
    expect([missing.status, missing.error?.code]).toEqual(['failed', 'SANDBOX_PATH']);
  });

  it('may be one of a tool', async () => {
    const root = temporaryDirectory();
    mkdirSync(join(root, 'memo'));
    await using toolset = createTools('bash', {
      root,
      sandbox: { level: 'workspace-write', protected: ['memo'] },
    });
    const [tool] = toolset.tools;
    const { text } = (await tool?.execute({ command: 'echo x > a; cat a; echo x > memo/a' })) ?? {};
    expect(text).toContain('x\n');
    expect(text).toContain('Read-only file system');
    expect(readdirSync(join(root, 'memo'))).toEqual([]);
  });

  it('runs while other hosts make and remove their private directories', async () => {
    const program = `
      const { mkdtempSync, rmdirSync } = require('node:fs');
      const round = () => {
        const made = Array.from({ length: 30 }, () => mkdtempSync('/var/tmp/agent-bash.4194998.'));
        setTimeout(() => { for (const path of made) rmdirSync(path); round(); }, 2);
      };
      round();
      console.log('up');
    `;
    const other = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(other.stdout, 'data');
      const results = await Promise.all(Array.from({ length: 40 }, () => sandboxed('echo up')));
      expect(results.map(({ stdout, error }) => error?.message ?? stdout)).toEqual(Array(40).fill('up\n'));
    } finally {
      other.kill('SIGKILL');
      await once(other, 'close');
      const left = readdirSync('/var/tmp').filter((name) => name.startsWith('agent-bash.4194998.'));
      for (const name of left) rmSync(`/var/tmp/${name}`, { recursive: true });
    }
  });

  it('runs beside many others', async () => {
    const root = temporaryDirectory();
    const runs = Array.from({ length: 100 }, (_, index) =>
      run(`echo ${index}`, { root, sandbox: 'workspace-write' }),
    );
    const results = await Promise.all(runs);
    expect(results.map(({ stdout }) => stdout)).toEqual(runs.map((_, index) => `${index}\n`));
  });
});
