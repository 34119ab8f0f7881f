import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Prompt } from '../../index.js';
import { run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { gitServer } from '../support/git-server.js';
import { INDEX } from '../support/node.js';
import { privateDirectoriesOf } from '../support/private-directories.js';
import { living, until } from '../support/processes.mjs';
import { asUserOfSudo } from '../support/sudo-user.js';
import { tag } from '../support/tag.js';
import { textOf } from './support.js';

const ANSWER = 'hunter2-is-long';

/** A function that answers by the first of these whose text a prompt contains, and the prompts. */
function person(answers: Record<string, string>) {
  const prompts: Prompt[] = [];
  const onPrompt = (prompt: Prompt) => {
    prompts.push(prompt);
    return Object.entries(answers).find(([text]) => prompt.text.includes(text))?.[1] ?? null;
  };
  return { prompts, onPrompt };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe.skipIf(process.platform !== 'linux')('a prompt of a real program', () => {
  it('opens a key of ssh', { tags: ['ssh-keygen'] }, async () => {
    const directory = temporaryDirectory();
    const key = join(directory, 'key');
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', ANSWER, '-f', key]);
    const { prompts, onPrompt } = person({ passphrase: ANSWER });
    const result = await run(`ssh-keygen -y -f ${key}`, { onPrompt });
    expect(result.stdout.split(' ').slice(0, 2)).toEqual(
      readFileSync(`${key}.pub`, 'utf8').split(' ').slice(0, 2),
    );
    expect(prompts).toMatchObject([
      { kind: 'password', program: expect.stringMatching(/\/ssh-keygen$/), verified: false },
    ]);
    expect(textOf(result)).not.toContain(ANSWER);
  });

  it('adds a key to an agent after a second attempt', { tags: ['ssh-keygen'] }, async () => {
    const key = join(temporaryDirectory(), 'key');
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', ANSWER, '-f', key]);
    const answers = ['wrong-passphrase', ANSWER];
    const onPrompt = () => answers.shift() ?? null;
    const { stdout, stderr } = await run(`ssh-agent sh -c 'ssh-add ${key} && ssh-add -l'`, { onPrompt });
    expect(stdout).toContain('ED25519');
    expect(stderr).toContain('Identity added');
  });

  it('signs in at a server of git over HTTP', { tags: ['git'] }, async () => {
    const { url, seen } = await gitServer('somebody', ANSWER);
    const { prompts, onPrompt } = person({ Username: 'somebody', Password: ANSWER });
    const command = `GIT_CURL_VERBOSE=1 git -c credential.helper= ls-remote ${url}/app.git`;
    const result = await run(command, { onPrompt, env: { HOME: temporaryDirectory() } });
    expect(result.stdout).toContain('refs/heads/main');
    expect(seen).toContain(`Basic ${Buffer.from(`somebody:${ANSWER}`).toString('base64')}`);
    expect(prompts).toMatchObject([
      { kind: 'text', text: `Username for '${url}': ` },
      { kind: 'password', text: `Password for '${url.replace('//', '//somebody@')}': `, verified: false },
    ]);
    expect(textOf(result)).not.toContain(ANSWER);
  });

  it('trusts a host of ssh, and opens the key for it', { tags: ['sshd'] }, async () => {
    const directory = temporaryDirectory();
    const [key, hostKey] = [join(directory, 'key'), join(directory, 'host-key')];
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', ANSWER, '-f', key]);
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', hostKey]);
    mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    const port = await freePort();
    const settings = [
      'ListenAddress=127.0.0.1',
      'UsePAM=no',
      'StrictModes=no',
      'PermitRootLogin=yes',
      `AuthorizedKeysFile=${key}.pub`,
    ].flatMap((setting) => ['-o', setting]);
    const words = ['-D', '-e', '-f', '/dev/null', '-h', hostKey, '-p', `${port}`, ...settings];
    const server = spawn('/usr/sbin/sshd', words, { stdio: 'ignore' });
    onTestFinished(() => {
      server.kill('SIGKILL');
    });
    await until(async () => {
      const socket = connect(port, '127.0.0.1');
      const isOpen = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      socket.destroy();
      return isOpen;
    }, 'sshd listens');
    const { prompts, onPrompt } = person({ 'yes/no': 'yes', passphrase: ANSWER });
    const options = `-F none -p ${port} -i ${key} -o IdentitiesOnly=yes -o IdentityAgent=none`;
    const known = `-o UserKnownHostsFile=${join(directory, 'known')} -o PreferredAuthentications=publickey`;
    const { stdout } = await run(`ssh ${options} ${known} root@127.0.0.1 echo there`, { onPrompt });
    expect(stdout).toBe('there\n');
    expect(prompts.map(({ kind }) => kind)).toEqual(['confirm', 'password']);
    expect(prompts.every(({ program, verified }) => program.endsWith('/ssh') && !verified)).toBe(true);
  });
});

/** Runs a program of a host as a user whose password is the answer. */
async function hostOfSudo(program: string): Promise<{ stdout: string; stderr: string }> {
  const source = `import { run } from ${JSON.stringify(INDEX)};\n${program}`;
  const words = asUserOfSudo(ANSWER, [process.execPath, '--input-type=module', '-e', source]);
  const child = spawn(words[0] as string, words.slice(1));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await once(child, 'close');
  return { stdout, stderr };
}

describe('a prompt of sudo', { tags: ['sudo', 'mounts'] }, () => {
  it('is verified, and its answer becomes root', async () => {
    const { stdout, stderr } = await hostOfSudo(`
      const prompts = [];
      const onPrompt = (prompt) => (prompts.push(prompt), ${JSON.stringify(ANSWER)});
      const result = await run('sudo -k -A id -u', { onPrompt });
      console.log(JSON.stringify({ result, prompts }));`);
    expect(stderr).toBe('');
    const { result, prompts } = JSON.parse(stdout);
    expect(result).toMatchObject({ stdout: '0\n', exitCode: 0 });
    expect(prompts).toMatchObject([
      { kind: 'password', text: '[sudo] password for asker: ', program: 'sudo', verified: true },
    ]);
    expect(stdout).not.toContain(ANSWER);
  });

  it('is not verified if the command reads the answer itself', async () => {
    const { stdout } = await hostOfSudo(`
      const prompts = [];
      const onPrompt = (prompt) => (prompts.push(prompt), ${JSON.stringify(ANSWER)});
      // A script of the command's becomes the program that asks: sudo is its parent, but not the reader.
      const script = '#!/bin/bash\\nexec "$GIT_ASKPASS" "$1" > >(cat > /dev/null)\\n';
      const forged = 'printf %s "$SCRIPT" > /tmp/ask.$$; chmod 755 /tmp/ask.$$; '
        + 'SUDO_ASKPASS=/tmp/ask.$$ sudo -k -A id -u; rm /tmp/ask.$$';
      const { stdout } = await run(forged, { onPrompt, env: { SCRIPT: script } });
      const own = await run('"$SUDO_ASKPASS" "[sudo] password for asker: "', { onPrompt });
      console.log(JSON.stringify({ prompts, stdout }));`);
    const { prompts } = JSON.parse(stdout);
    expect(prompts).toMatchObject([
      { program: 'sudo', verified: false },
      { program: expect.stringMatching(/agent-bash-helper/), verified: false },
    ]);
  });
});

describe.skipIf(process.platform !== 'linux')('a host that is killed while it asks', () => {
  it('leaves no directory and no process', async () => {
    const own = tag();
    const program = `
      import { run } from ${JSON.stringify(INDEX)};
      const onPrompt = () => new Promise(() => console.log('asked'));
      await run('"$GIT_ASKPASS" "?"; sleep ${own}', { onPrompt });`;
    const host = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(host.stdout, 'data');
    expect(privateDirectoriesOf(host.pid)).toHaveLength(1);
    host.kill('SIGKILL');
    await until(() => living(own).length === 0, 'the command is gone');
    await until(() => privateDirectoriesOf(host.pid).length === 0, 'the directory is gone');
  });

  it('and one that exits leaves none either', async () => {
    const program = `
      import { run } from ${JSON.stringify(INDEX)};
      const onPrompt = () => process.exit(0);
      await run('"$GIT_ASKPASS" "?"', { onPrompt });`;
    const host = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
    await once(host, 'exit');
    await until(() => privateDirectoriesOf(host.pid).length === 0, 'the directory is gone');
  });
});
