import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { run } from 'agent-bash';
import { createTool } from 'agent-bash/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { session } from '../session/support.js';
import { INDEX } from '../support/node.js';
import { withoutNamespaces, workspace } from './support.js';

/** A directory that the sandbox shows: not below /tmp, which is private to it. */
function visibleDirectory() {
  const directory = mkdtempSync('/var/tmp/agent-bash-test-');
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A server on a UNIX socket, which greets each client. */
async function server(path: string, greeting = 'hello'): Promise<Server> {
  const listening = createServer((client) => client.end(greeting)).on('error', () => {});
  await new Promise<void>((done) => listening.listen(path, done));
  onTestFinished(() => void listening.close());
  return listening;
}

/** Connects to a socket, and prints what its server says, or the error. */
function client(path: string) {
  const script = `
    require('node:net').connect(process.argv[1]).on('error', (error) => console.log(error.code)).pipe(process.stdout)`;
  return { file: process.execPath, args: ['-e', script, path] };
}

const lineOf = ({ file, args }: ReturnType<typeof client>) =>
  [file, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');

/** Starts an agent of ssh with one key, and returns the options by which commands reach it. */
function agent(directory: string, level: object = {}) {
  const [socket, home] = [join(directory, 'agent'), join(directory, 'home')];
  mkdirSync(join(home, '.ssh'), { recursive: true, mode: 0o700 });
  const key = join(home, '.ssh/id_ed25519');
  const started = String(execFileSync('ssh-agent', ['-s', '-a', socket]));
  const pid = Number(/SSH_AGENT_PID=(\d+)/.exec(started)?.[1]);
  onTestFinished(() => void process.kill(pid));
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'of the test', '-f', key]);
  const env = { ...process.env, SSH_AUTH_SOCK: socket };
  execFileSync('ssh-add', ['-q', key], { env });
  const list = () => String(execFileSync('ssh-add', ['-l'], { env }));
  return {
    key,
    list,
    options: {
      ...workspace({ sockets: ['ssh-agent'], ...level }),
      env: { HOME: home, SSH_AUTH_SOCK: socket },
    },
  };
}

describe('the agent of ssh in a sandbox', { tags: ['sandbox', 'ssh-keygen'] }, () => {
  it.each(['workspace-write', 'read-only', 'isolated'])('lists its keys at the level %s', async (level) => {
    const { options, list } = agent(visibleDirectory(), { level });
    const { stdout, sandbox } = await run('ssh-add -l; test -S "$SSH_AUTH_SOCK" && echo seen', options);
    expect(stdout).toBe(`${list()}seen\n`);
    expect(sandbox?.sockets).toEqual([{ path: options.env.SSH_AUTH_SOCK, gives: 'lists keys and signs' }]);
  });

  it('signs a commit with nothing else', async () => {
    const { options, key } = agent(visibleDirectory());
    writeFileSync(join(options.root, 'signers'), `me@example.org ${execFileSync('cat', [`${key}.pub`])}`);
    const line = `
      git init -q . && echo x > file && git add file &&
      git -c user.name=me -c user.email=me@example.org -c gpg.format=ssh -c user.signingkey=~/.ssh/id_ed25519.pub \\
        commit -q -S -m signed &&
      git -c gpg.ssh.allowedSignersFile=signers verify-commit HEAD 2>&1; cat ~/.ssh/id_ed25519`;
    const { stdout, stderr } = await run(line, { ...options, sandbox: { ...options.sandbox, git: 'all' } });
    expect(stdout).toMatch(/^Good "git" signature for me@example.org/);
    expect(stderr).toMatch(/id_ed25519: No such file/);
  });

  it('is reached where the private /tmp and a hidden directory are', async () => {
    for (const place of [mkdtempSync('/tmp/agent-bash-test-'), visibleDirectory()]) {
      onTestFinished(() => rmSync(place, { recursive: true, force: true }));
      const { options, list } = agent(place, { hidden: [place] });
      expect((await run('ssh-add -l', options)).stdout).toBe(list());
    }
  });

  it('adds, removes and locks no key', async () => {
    const { options, key, list } = agent(visibleDirectory());
    const before = list();
    const line = `
      ssh-keygen -q -t ed25519 -N '' -f new
      for do in new '-d new.pub' -D '-s /usr/lib/none.so' '-t 60 new' '-c new'; do
        ssh-add $do </dev/null >/dev/null 2>&1 && echo "did $do"
      done
      ssh-add -d ~/.ssh/id_ed25519.pub && echo removed
      printf 'x\\nx\\n' | setsid ssh-add -x && echo locked
      true`;
    const { stdout } = await run(line, { ...options, env: { ...options.env, SSH_ASKPASS: 'echo' } });
    expect(stdout).toBe('');
    expect(list()).toBe(before);
    expect(key).toBeTruthy();
  });

  it.each([
    ['is empty', '00000000'],
    ['is huge', 'ffffffff0b'],
    ['locks', '0000000616000000017800'],
  ])('serves others after a message that %s', async (_, message) => {
    const { options, list } = agent(visibleDirectory());
    const script = `
      const socket = require('node:net').connect(process.env.SSH_AUTH_SOCK);
      socket.on('data', (data) => { console.log(data.toString('hex')); socket.end(); });
      socket.on('close', () => console.log('closed')).on('error', () => {});
      socket.write(Buffer.from('${message}', 'hex'));`;
    const { stdout } = await run(`"${process.execPath}" -e "${script}"; ssh-add -l`, options);
    expect(stdout.replace(/^0000000105\n/, '')).toBe(`closed\n${list()}`);
  });

  it('works through a session', async () => {
    const { options, list } = agent(visibleDirectory());
    const shell = session({ ...options, keep: 'process' });
    expect((await shell.run('ssh-add -l')).stdout).toBe(list());
    expect((await shell.run('ssh-add -l')).stdout).toBe(list());
  });

  it('is needed by name: without it, the variable is withheld and the socket refused', async () => {
    const { options } = agent(visibleDirectory(), { sockets: [] });
    const { SSH_AUTH_SOCK: socket, HOME } = options.env;
    const { stdout, sandbox } = await run('ssh-add -l 2>&1; SSH_AUTH_SOCK=$0 ssh-add -l', {
      ...options,
      env: { HOME, SSH_AUTH_SOCK: socket },
      sandbox: { ...options.sandbox, sockets: [] },
    });
    expect(stdout).not.toContain('ED25519');
    expect(sandbox?.refused).toContainEqual({ kind: 'socket', path: socket });
  });

  it('says what it needs', async () => {
    const { options } = agent(visibleDirectory());
    const { error, status } = await run('true', { ...options, env: { SSH_AUTH_SOCK: undefined } });
    expect(status).toBe('failed');
    expect(error).toMatchObject({
      code: 'SANDBOX_SOCKET',
      message: "'ssh-agent' needs SSH_AUTH_SOCK, which is not set",
    });
  });
});

/** Starts two servers in a directory, and returns options that list the socket of the first one. */
async function twoServers() {
  const directory = visibleDirectory();
  const listed = join(directory, 'listed');
  const neighbour = join(directory, 'neighbour');
  await server(listed);
  await server(neighbour);
  return { listed, neighbour, options: workspace({ sockets: [listed] }) };
}

describe('a socket by its path in a sandbox', { tags: ['sandbox'] }, () => {
  it('is connected to, and its neighbour is not', async () => {
    const { listed, neighbour, options } = await twoServers();
    const line = `${lineOf(client(listed))}; ${lineOf(client(neighbour))}`;
    const { stdout, sandbox } = await run(line, options);
    expect(stdout).toBe('helloEACCES\n');
    expect(sandbox?.sockets).toEqual([{ path: listed, gives: 'whatever its server does' }]);
    expect(sandbox?.refused).toEqual([{ kind: 'socket', path: neighbour }]);
  });

  it('is not widened by a link to its neighbour', async () => {
    const { neighbour, options } = await twoServers();
    const line = `ln -s ${neighbour} link; ${lineOf(client('link'))}`;
    expect((await run(line, options)).stdout).toBe('EACCES\n');
  });

  it('is not the one that has taken its place since', async () => {
    const directory = visibleDirectory();
    const [listed, other] = [join(directory, 'listed'), join(directory, 'other')];
    await server(listed);
    await server(other, 'other');
    const shell = session({ ...workspace({ sockets: [listed] }), keep: 'process' });
    expect((await shell.run(lineOf(client(listed)))).stdout).toBe('hello');
    renameSync(other, listed);
    expect((await shell.run(lineOf(client(listed)))).stdout).not.toBe('other');
  });

  it('does not follow a link that a command has left in its place', async () => {
    const directory = visibleDirectory();
    await server(join(directory, 'outside'));
    const options = workspace({ sockets: ['./app.sock'] });
    symlinkSync(join(directory, 'outside'), join(options.root, 'app.sock'));
    const { error } = await run('true', options);
    expect(error?.code).toBe('SANDBOX_SOCKET');
    expect(error?.message).toContain('leads out of');
  });

  it.each([
    ['is missing', 'does not exist', () => {}],
    ['is a file', 'is no socket', (path: string) => writeFileSync(path, '')],
  ] as const)('that %s is an error', async (_, message, make) => {
    const path = join(visibleDirectory(), 'listed');
    make(path);
    const { error } = await run('true', workspace({ sockets: [path] }));
    expect(error).toMatchObject({ code: 'SANDBOX_SOCKET', message: `'${path}' ${message}` });
  });

  it('is an error where a machine has Landlock alone', async () => {
    const path = join(visibleDirectory(), 'listed');
    await server(path);
    const { root, sandbox } = workspace({ level: 'read-only', sockets: [path], onUnavailable: 'weaker' });
    const program = join(root, 'program.mjs');
    const text = `
      import { run } from ${JSON.stringify(INDEX)};
      const { error } = await run('true', ${JSON.stringify({ root, sandbox })});
      console.log(error.code, error.message);`;
    writeFileSync(program, text);
    const { stdout } = await withoutNamespaces(`${process.execPath} ${program}`);
    expect(stdout).toMatch(
      /^SANDBOX_SOCKET sandbox\.sockets needs namespaces, and this machine has Landlock alone/,
    );
  });

  it('is refused by name when it is docker and not listed', async () => {
    const docker = join(visibleDirectory(), 'docker.sock');
    await server(docker);
    const options = { ...workspace(), env: { DOCKER_HOST: `unix://${docker}` } };
    expect((await run(lineOf(client(docker)), options)).stdout).toBe('EACCES\n');
    const listed = { ...options, sandbox: { ...options.sandbox, sockets: ['docker'] } };
    const { stdout, sandbox } = await run(`${lineOf(client(docker))}; echo " $DOCKER_HOST"`, listed);
    expect(stdout).toBe(`hello unix://${docker}\n`);
    expect(sandbox?.sockets).toEqual([{ path: docker, gives: 'root on the host' }]);
  });

  it.each([
    [['ssh_agent'], /sandbox\.sockets.*'ssh_agent': expected 'ssh-agent'/],
    [Array.from({ length: 17 }, () => '/x'), /at most 16 sockets, got 17/],
    ['ssh-agent', /sandbox.sockets.*a list of/],
    [[7], /sandbox.sockets.*a list of/],
  ])('is checked: %j', async (sockets, message) => {
    const { root, sandbox } = workspace();
    await expect(run('true', { root, sandbox: { ...sandbox, sockets } as never })).rejects.toThrow(message);
  });
});

describe('the description of a tool with sockets', { tags: ['sandbox'] }, () => {
  it('names them, whether or not their servers run', async () => {
    const tool = createTool('bash', workspace({ sockets: ['ssh-agent', 'docker'] }));
    expect(tool.description).toContain(
      'They can connect to these sockets of the host: ssh-agent (lists keys and signs) and docker (root on the host).',
    );
    await tool[Symbol.asyncDispose]();
  });
});

describe('the agent of GnuPG in a sandbox', { tags: ['sandbox', 'gpg'] }, () => {
  it('signs and decrypts, and exports no secret key', async () => {
    const home = visibleDirectory();
    mkdirSync(join(home, '.gnupg'), { mode: 0o700 });
    const env = { ...process.env, HOME: home };
    const gpg = (...words: string[]) => execFileSync('gpg', ['--batch', ...words], { env, stdio: 'pipe' });
    onTestFinished(() => void execFileSync('gpgconf', ['--kill', 'gpg-agent'], { env }));
    gpg('--passphrase', '', '--quick-gen-key', 'me@example.org', 'default', 'default', 'never');
    gpg('--check-trustdb');
    const line = `
      git init -q . &&
      git -c user.name=me -c user.email=me@example.org -c user.signingkey=me@example.org \\
        commit -q -S --allow-empty -m signed && git log --format=%G? -1
      echo secret text | gpg --batch -q --trust-model always -r me@example.org -e | gpg --batch -q -d
      gpg --batch -q --armor --export-secret-keys; gpg --batch -q --passphrase '' --quick-gen-key you@example.org`;
    const options = { ...workspace({ sockets: ['gpg-agent'], git: 'all' }), env: { HOME: home } };
    const { stdout, stderr, sandbox } = await run(line, options);
    expect(stdout).toBe('G\nsecret text\n');
    expect(stderr).toContain('Forbidden');
    expect(sandbox?.sockets).toEqual([
      { path: expect.stringContaining('S.gpg-agent'), gives: 'signs and decrypts' },
    ]);
  });
});
