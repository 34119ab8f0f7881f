import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Job } from '../../index.js';
import { Jobs } from '../../index.js';
import { endedOnce } from '../support/asking.js';
import { temporaryDirectory } from '../support/directory.js';
import { gitServer } from '../support/git-server.js';
import { shown } from '../support/jobs.js';
import { asUserOfSudo } from '../support/sudo-user.js';
import { BIN } from './support.js';

const ANSWER = 'hunter2-is-long';
const STARS = '*'.repeat(ANSWER.length);
const MARK = 'modes are as before';

/** The command line, for a shell in a terminal. */
const RUN = `'${process.execPath}' '${BIN}' run`;

/** Runs a command as a person at a terminal does. */
function atTerminal(command: string, flags = '', env: Record<string, string> = {}): Job {
  const table = new Jobs();
  onTestFinished(() => table.dispose());
  const line = `old=$(stty -g); ${RUN} ${flags} -- "$COMMAND"; echo "code $?"
    [ "$old" = "$(stty -g)" ] && echo ${MARK}; sleep 1000`;
  // Not those of the editor or the desktop in which the tests run.
  const none = { GIT_ASKPASS: undefined, SSH_ASKPASS: undefined, SUDO_ASKPASS: undefined };
  return table.start(line, {
    pty: { cols: 200, rows: 30 },
    env: { ...none, COMMAND: command, ...env },
  });
}

/** Types an answer once the terminal shows a question. */
async function answer(job: Job, question: RegExp, text: string): Promise<string> {
  const screen = await shown(job, question);
  job.write(text);
  return screen;
}

const asking = (text: string) => `x=$("$GIT_ASKPASS" '${text}'); echo "is <$x>"`;

describe.skipIf(process.platform !== 'linux')('a prompt of agent-bash run at a terminal', () => {
  it('for a password is answered without showing it', async () => {
    const job = atTerminal(asking('Password: '));
    await answer(job, /^\/\S+ asks:\nPassword: *$/m, `${ANSWER}\r`);
    const text = await shown(job, MARK);
    expect(text).toMatch(new RegExp(`^is <${STARS.replaceAll('*', '\\*')}>$`, 'm'));
    expect(text).toMatch(/^code 0$/m);
    expect(text).not.toContain(ANSWER);
  });

  it('for a text shows what is typed', async () => {
    const job = atTerminal(asking('Username: '));
    await answer(job, /^Username: *$/m, 'somx\x7febody\r');
    const text = await shown(job, MARK);
    expect(text).toMatch(/^Username: somebody$/m);
    expect(text).toMatch(/^is <\*{8}>$/m);
  });

  it('waits for the one before it', async () => {
    const job = atTerminal(`(${asking('Username: ')}) & ${asking('Username: ')}; wait`);
    await answer(job, /^Username: *$/m, 'one\r');
    await answer(job, /^Username: one\n(is <one>\n)?\S+ asks:\nUsername: /m, 'two\r');
    const text = await shown(job, MARK);
    // The output of the command may follow the question on its line.
    expect(text).toMatch(/is <one>$/m);
    expect(text).toMatch(/^is <two>$/m);
  });

  it('is declined by Ctrl-D', async () => {
    const job = atTerminal(asking('Password: '));
    await answer(job, /^Password: *$/m, '\x04');
    expect(await shown(job, MARK)).toMatch(/^is <>\ncode 0$/m);
  });

  it('is left by Ctrl-C, which ends the command', async () => {
    const job = atTerminal(asking('Password: '));
    await answer(job, /^Password: *$/m, '\x03');
    expect(await shown(job, MARK)).toMatch(/^code 130$/m);
  });

  it('is closed when its program has ended', async () => {
    const file = join(temporaryDirectory(), 'asked');
    const job = atTerminal(endedOnce(file, 'Password: '));
    await shown(job, /^Password: *$/m);
    writeFileSync(file, '');
    const text = await shown(job, MARK);
    // The output of the command may come before the line of the question has ended.
    expect(text).toMatch(/is 143$/m);
    expect(text).toMatch(/code 0$/m);
  });

  it('leaves the program to which the user has bound prompts', async () => {
    const job = atTerminal('"$GIT_ASKPASS" own', '', { GIT_ASKPASS: '/bin/echo' });
    expect(await shown(job, MARK)).toMatch(/^own$/m);
  });

  it('is left to the terminal of the command with --pty', async () => {
    const job = atTerminal('echo "<$GIT_ASKPASS>"; read -r -p "Name: " x; echo "is $x"', '--pty');
    await answer(job, /^<>\nName: *$/m, 'somebody\r');
    expect(await shown(job, MARK)).toMatch(/^is somebody$/m);
  });

  it('of ssh-keygen opens a key', { tags: ['ssh-keygen'] }, async () => {
    const key = join(temporaryDirectory(), 'key');
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', ANSWER, '-f', key]);
    const job = atTerminal(`ssh-keygen -y -f ${key}`);
    await answer(job, /ssh-keygen asks:\nEnter passphrase: *$/m, `${ANSWER}\r`);
    const text = await shown(job, MARK);
    expect(text).toContain(readFileSync(`${key}.pub`, 'utf8').split(' ')[1]);
    expect(text).not.toContain(ANSWER);
  });

  it('of git signs in at a server', { tags: ['git'] }, async () => {
    const { url } = await gitServer('somebody', ANSWER);
    const line = `git -c credential.helper= ls-remote ${url}/app.git`;
    const job = atTerminal(line, '', { HOME: temporaryDirectory() });
    await answer(job, /^Username for '\S+': *$/m, 'somebody\r');
    await answer(job, /^Password for '\S+': *$/m, `${ANSWER}\r`);
    const text = await shown(job, MARK);
    expect(text).toContain('refs/heads/main');
    expect(text).not.toContain(ANSWER);
  });

  it('of sudo becomes root', { tags: ['sudo', 'mounts'] }, async () => {
    const words = asUserOfSudo(ANSWER, [process.execPath, BIN, 'run', '--', 'sudo -k -A id -u']);
    const table = new Jobs();
    onTestFinished(() => table.dispose());
    const job = table.start(words, { pty: true });
    await answer(job, /^sudo asks \(verified\):\n\[sudo\] password for asker: *$/m, `${ANSWER}\r`);
    const { stdout } = await job.result;
    expect(stdout).toMatch(/^0\r$/m);
    expect(stdout).not.toContain(ANSWER);
  });
});

describe('a prompt of agent-bash run without a terminal', { tags: ['git'] }, () => {
  it('is declined, since nobody can be asked', async () => {
    const env = {
      ...process.env,
      GIT_ASKPASS: undefined,
      SSH_ASKPASS: undefined,
      HOME: temporaryDirectory(),
    };
    const command = `printf 'protocol=http\\nhost=a.test\\n' | git -c credential.helper= credential fill; echo "is $?"`;
    // A session of its own has no terminal.
    const child = spawn(process.execPath, [BIN, 'run', '--', command], { detached: true, env });
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    await once(child, 'close');
    expect(text).toBe('is 128\n');
  });
});
