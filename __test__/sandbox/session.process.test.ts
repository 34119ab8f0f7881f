import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SessionOptions } from '../../index.js';
import { SHELLS, session } from '../session/support.js';
import { temporaryDirectory } from '../support/directory.js';
import { INDEX, NodeProcess } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { workspace } from './support.js';

const KEPT = ['process', 'state'] as const;
const cases = KEPT.flatMap((keep) => SHELLS.map((shell) => ({ keep, shell })));

describe('a session in a sandbox', { tags: ['sandbox'] }, () => {
  describe.each(cases)('that keeps its $keep, in $shell', (options) => {
    it('keeps directory, variables and functions, and writes in its workspace alone', async () => {
      const { root, sandbox } = workspace();
      const outside = join(temporaryDirectory(), 'outside');
      const shell = session({ root, sandbox, ...options });
      await shell.run('mkdir sub; cd sub; x=1; export y=2; alias f="echo f"');
      const result = await shell.run(`echo $x$y; f 3; echo in > inside; echo out > ${outside}`);
      expect([result.stdout, result.exitCode === 0]).toEqual(['12\nf 3\n', false]);
      expect(result.cwd).toBe(join(realpathSync(root), 'sub'));
      expect(readFileSync(join(root, 'sub/inside'), 'utf8')).toBe('in\n');
      expect(existsSync(outside)).toBe(false);
      expect(result.sandbox).toMatchObject({
        level: 'workspace-write',
        mechanism: 'namespaces',
        missing: [],
      });
    });

    it('keeps its state when a timeout ends a command, whose rest does not run', async () => {
      const own = tag();
      const { root, sandbox } = workspace();
      const shell = session({ root, sandbox, ...options });
      await shell.run('x=1');
      const ended = await shell.run(`(setsid sleep ${own} &) ; sleep ${own}; echo x > rest`, {
        timeout: 1_000,
      });
      expect(ended.status).toBe('timeout');
      await until(() => living(`sleep\0${own}`).length === 0, 'all processes of the command are gone');
      expect((await shell.run('echo $x')).stdout).toBe('1\n');
      expect(existsSync(join(root, 'rest'))).toBe(false);
    });

    it('has a directory of its own in /tmp, where it may be', async () => {
      const { root, sandbox } = workspace();
      const shell = session({ root, sandbox, ...options });
      expect((await shell.run('mkdir /tmp/own; cd /tmp/own')).cwd).toBe('/tmp/own');
      expect((await shell.run('pwd')).stdout).toBe('/tmp/own\n');
      expect(existsSync('/tmp/own')).toBe(false);
    });

    it('passes input, and tells the exit codes of programs', async () => {
      const { root, sandbox } = workspace();
      const shell = session({ root, sandbox, ...options });
      expect((await shell.run('cat; exit_code() { return 7; }; exit_code', { input: 'in' })).stdout).toBe(
        'in',
      );
      expect((await shell.run('(exit 7)')).exitCode).toBe(7);
      const job = shell.start('read x; echo "got $x"', { stdin: 'pipe' });
      job.write('word\n');
      expect((await job.result).stdout).toBe('got word\n');
    });

    it('can be interrupted', async () => {
      const own = tag();
      const { root, sandbox } = workspace();
      const shell = session({ root, sandbox, ...options });
      const running = shell.run(`sleep ${own}`);
      await until(() => living(`sleep\0${own}`).length > 0, 'it sleeps');
      expect(shell.interrupt()).toBe(true);
      await running;
      expect(living(`sleep\0${own}`)).toEqual([]);
      expect((await shell.run('echo on')).stdout).toBe('on\n');
    });

    it('ends what it has left in the background when it is closed', async () => {
      const own = tag();
      const { root, sandbox } = workspace();
      const shell = session({ root, sandbox, ...options });
      const { backgroundPids } = await shell.run(`sleep ${own} > /dev/null 2>&1 & (setsid sleep ${own} &)`);
      expect(backgroundPids.length).toBeGreaterThan(0);
      await shell.close();
      await until(() => living(`sleep\0${own}`).length === 0, 'both are gone');
    });

    it('starts again in a sandbox', async () => {
      const { root, sandbox } = workspace();
      const shell = session({ root, sandbox, ...options });
      expect((await shell.run('x=1; exit 3')).exitCode).toBe(3);
      expect((await shell.run('echo $x-; echo x > /etc/agent-bash-test')).exitCode).not.toBe(0);
      await shell.restart();
      const { stdout, sandbox: report } = await shell.run('echo "<$x>"');
      expect([stdout, report?.level]).toEqual(['<>\n', 'workspace-write']);
    });
  });

  describe.each(KEPT)('that keeps its %s', (keep) => {
    it('runs nothing if its sandbox is none', async () => {
      const { root } = workspace();
      const sandbox = { level: 'workspace-write', writable: ['no-such'] } as const;
      const shell = session({ root, sandbox, keep });
      const { status, error } = await shell.run('echo x > file');
      expect([status, error?.code]).toEqual(['failed', 'SANDBOX_PATH']);
      expect(existsSync(join(root, 'file'))).toBe(false);
    });

    it('gives no way out through its own files', async () => {
      const { root, sandbox } = workspace();
      const victim = join(temporaryDirectory(), 'victim');
      writeFileSync(victim, 'as it was');
      const shell = session({ root, sandbox, keep });
      // A process in the background puts links in the place of every file, again and again.
      const attack = `
        for directory in /dev/shm/agent-bash.* /run/user/*/agent-bash.*; do
          (cd "$directory" 2>/dev/null || exit
          while :; do
            for file in * command i p; do
              case $file in l) ;; *) ln -sf ${victim} l; mv -Tf l "$file";; esac
            done
          done) > /dev/null 2>&1 &
        done 2>/dev/null; :`;
      await shell.run(attack);
      for (let count = 0; count < 5; count++) {
        await shell.run('echo more', { input: 'input', timeout: 2_000, forceKillAfterDelay: 100 });
      }
      expect(readFileSync(victim, 'utf8')).toBe('as it was');
      await shell.close();
      expect(readFileSync(victim, 'utf8')).toBe('as it was');
    });

    it('tells no content of a hidden file as its directory', async () => {
      const { root, sandbox } = workspace();
      const secret = join(temporaryDirectory(), 'secret');
      writeFileSync(secret, '/secret');
      const shell = session({ root, sandbox: { ...sandbox, hidden: [secret] }, keep });
      await shell.run(':');
      const { cwd } = await shell.run(
        `trap 'for f in /dev/shm/agent-bash.*/next-*-cwd; do ln -sf ${secret} "$f"; done' EXIT`,
      );
      expect(cwd).toBe(realpathSync(root));
      expect((await shell.run('echo on')).stdout).toBe('on\n');
    });
  });

  it('has the pid of its shell', async () => {
    const { root, sandbox } = workspace();
    const shell = session({ root, sandbox });
    const { pid, stdout } = await shell.run('exec 9>&1; readlink /proc/$$/exe');
    expect(pid).toBe(shell.pid);
    expect(realpathSync(`/proc/${pid}/exe`)).toBe(stdout.trim());
  });

  it('says which UNIX socket each command was refused', async () => {
    const { root, sandbox } = workspace();
    const shell = session({ root, sandbox });
    for (const name of ['first', 'second']) {
      // In /tmp, it would not even be visible.
      const path = `/var/tmp/agent-bash-test-${tag()}-${name}`;
      const server = createServer().listen(path);
      onTestFinished(() => void server.close());
      await once(server, 'listening');
      const connect = `require('node:net').connect('${path}').on('error', () => {})`;
      const { sandbox: report } = await shell.run(`${process.execPath} -e "${connect}"`);
      expect(report?.refused).toEqual([{ kind: 'socket', path }]);
    }
  });

  it('can not make a missing protected path, and leaves nothing in its place', async () => {
    const { root, sandbox } = workspace({ protected: ['memo'] });
    const shell = session({ root, sandbox });
    expect((await shell.run('mkdir -p memo/x')).exitCode).toBe(1);
    await shell.close();
    await until(() => !existsSync(join(root, 'memo')), 'the stub is gone');
  });

  it('dies with a host that is killed, and leaves no directory', async () => {
    const own = tag();
    const { root, sandbox } = workspace();
    const host = new NodeProcess(`
      const { ShellSession } = await import(${JSON.stringify(INDEX)});
      const session = new ShellSession(${JSON.stringify({ root, sandbox })});
      void session.run('(setsid sleep ${own} &); sleep ${own}');
    `);
    await until(() => living(`sleep\0${own}`).length === 2, 'both sleep');
    host.process.kill('SIGKILL');
    await until(() => living(`sleep\0${own}`).length === 0, 'both are gone');
  });

  it('refuses wrong options before it starts anything', () => {
    const { root } = workspace();
    const wrong = (options: object) => () => session(options as SessionOptions);
    expect(wrong({ sandbox: 'read-only' })).toThrow(
      "Invalid option 'options.root': expected a directory next to a sandbox, got undefined",
    );
    expect(wrong({ root, sandbox: 'all' })).toThrow(
      "Invalid option 'options.sandbox': unknown variant `all`",
    );
    expect(wrong({ root: '/', sandbox: 'read-only' })).toThrow("'/' can't be the workspace");
  });

  it('works at each level', async () => {
    for (const level of ['read-only', 'isolated'] as const) {
      for (const keep of KEPT) {
        const { root } = workspace();
        mkdirSync(join(root, 'sub'));
        const shell = session({ root, sandbox: level, keep });
        await shell.run('cd sub; x=1');
        const { stdout, cwd } = await shell.run('echo $x');
        expect([level, keep, stdout, cwd]).toEqual([level, keep, '1\n', join(realpathSync(root), 'sub')]);
      }
    }
  });
});
