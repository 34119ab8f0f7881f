import { randomUUID } from 'node:crypto';
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTools } from 'agent-bash/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { OnPrompt, Prompt } from '../../index.js';
import { Jobs, run, ShellSession } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { nothingFor } from '../support/waits.mjs';
import { textOf } from './support.js';

const ANSWER = 'hunter2-is-long';
const MARK = '[redacted:answer]';

/** A command that asks a question as git does. */
const asking = (text: string) => `"$GIT_ASKPASS" '${text}'`;

/** A function that answers, and the prompts that it has got. */
function person(answer: string | null = ANSWER) {
  const prompts: Prompt[] = [];
  const onPrompt: OnPrompt = (prompt) => {
    prompts.push(prompt);
    return answer;
  };
  return { prompts, onPrompt };
}

/** A function that answers when the test says so. */
function slowPerson() {
  const prompts: Prompt[] = [];
  let answer: (text: string | null) => void = () => undefined;
  const promise = new Promise<string | null>((resolve) => {
    answer = resolve;
  });
  const onPrompt: OnPrompt = (prompt) => {
    prompts.push(prompt);
    return promise;
  };
  return { prompts, onPrompt, answer, asked: () => until(() => prompts[0], 'somebody is asked') };
}

/** Collects the warnings of the process until the end of the test. */
function warnings(): string[] {
  const found: string[] = [];
  const listener = (warning: Error & { code?: string }) => {
    if (warning.code === 'PROMPT_FAILED') found.push(warning.message);
  };
  process.on('warning', listener);
  onTestFinished(() => {
    process.off('warning', listener);
  });
  return found;
}

describe.skipIf(process.platform !== 'linux')('a prompt', () => {
  it('goes to the person with all that is known of it, and the answer to the program', async () => {
    const { prompts, onPrompt } = person();
    const command = `[ "$(${asking('Password for server: ')})" = ${ANSWER} ] && echo same`;
    const { stdout } = await run(command, { onPrompt });
    expect(stdout).toBe('same\n');
    expect(prompts).toEqual([
      {
        kind: 'password',
        text: 'Password for server: ',
        program: expect.stringMatching(/^\/.*\/(bash|sh|dash)$/),
        verified: false,
        command,
        signal: expect.any(AbortSignal),
      },
    ]);
    expect(prompts[0]?.signal.aborted).toBe(false);
  });

  it.each([
    ["Username for 'https://example.org': ", '', 'text'],
    ['Are you sure you want to continue connecting (yes/no/[fingerprint])? ', '', 'confirm'],
    ['Allow use of key?', 'SSH_ASKPASS_PROMPT=confirm', 'confirm'],
    ['Confirm user presence for key', 'SSH_ASKPASS_PROMPT=none', 'confirm'],
    ['Enter passphrase for key: ', '', 'password'],
  ])('asks for the kind of answer that the program expects (%s)', async (text, variable, kind) => {
    const { prompts, onPrompt } = person('yes');
    const command = `${variable} "$SSH_ASKPASS" "$TEXT" | cat`;
    expect((await run(command, { onPrompt, env: { TEXT: text } })).stdout).toBe('yes\n');
    expect(prompts[0]).toMatchObject({ kind, text });
  });

  it('that is declined gives the program no answer, and exit code 1', async () => {
    const { stdout, stderr, exitCode } = await run(`x=$(${asking('?')}); echo $? "[$x]"`, {
      onPrompt: () => null,
    });
    expect({ stdout, stderr, exitCode }).toEqual({ stdout: '1 []\n', stderr: '', exitCode: 0 });
  });

  it.each<[string, OnPrompt, string]>([
    ['throws', () => Promise.reject(new Error('no dialog')), 'no dialog'],
    ['gives a number', (() => 123456789) as never, 'expected a string or null, got number'],
    ['gives two lines', () => `one\n${ANSWER}`, 'expected an answer of one line and at most 1024 bytes'],
    ['gives too much', () => ANSWER.repeat(100), 'expected an answer of one line and at most 1024 bytes'],
  ])('is declined with a warning if the function %s', async (_what, onPrompt, reason) => {
    const found = warnings();
    const { stdout } = await run(`x=$(${asking('?')}); echo $? "[$x]"`, { onPrompt });
    expect(stdout).toBe('1 []\n');
    await until(() => found.length > 0, 'the process warns');
    expect(found).toEqual([`The function 'onPrompt' has declined a prompt: ${reason}`]);
    expect(found[0]).not.toContain(ANSWER);
    expect(found[0]).not.toContain('123456789');
  });

  it('is the fifth of a command at most', async () => {
    const { prompts, onPrompt } = person('yes');
    const command = `for i in 1 2 3 4 5 6 7; do ${asking('?')} | cat; done`;
    expect((await run(command, { onPrompt })).stdout).toBe('yes\n'.repeat(5));
    expect(prompts).toHaveLength(5);
  });

  it('has the first 1,024 bytes of the text, with escape sequences for what can not be seen', async () => {
    const { prompts, onPrompt } = person();
    await run(`"$GIT_ASKPASS" "$(printf 'a\\033[2Jb\\u202e\\n%2000s')"`, { onPrompt });
    const [hidden, shown] = ['a\u{1b}[2Jb\u{202e}\n', 'a\\u{1b}[2Jb\\u{202e}\n'];
    expect(prompts[0]?.text).toBe(shown + ' '.repeat(1024 - Buffer.byteLength(hidden)));
  });

  it('has the path of a program on one line, with escape sequences for what can not be seen', async () => {
    const directory = temporaryDirectory();
    const name = 'ssh\n\u{1b}[2K\u{202e}';
    copyFileSync('/bin/bash', join(directory, name));
    const { prompts, onPrompt } = person();
    const env = { PROGRAM: join(directory, name) };
    await run(`"$PROGRAM" -c '"$GIT_ASKPASS" "?"; true'`, { onPrompt, env });
    expect(prompts[0]?.program).toBe(join(directory, 'ssh\\n\\u{1b}[2K\\u{202e}'));
  });

  it('shows the values of the option redact as marks', async () => {
    const { prompts, onPrompt } = person();
    const redact = { values: { KEY: 'k7-Q9xtZ4-mW2vB8' } };
    await run(asking('for k7-Q9xtZ4-mW2vB8:'), { onPrompt, redact });
    expect(prompts[0]).toMatchObject({ text: 'for [redacted:KEY]:', command: asking('for [redacted:KEY]:') });
  });

  it('is in the asynchronous context of the caller', async () => {
    const { AsyncLocalStorage } = await import('node:async_hooks');
    const store = new AsyncLocalStorage<string>();
    const onPrompt = () => store.getStore() ?? 'none';
    const command = `${asking('Username')} | tr a-z A-Z`;
    expect((await store.run('caller', () => run(command, { onPrompt }))).stdout).toBe('CALLER\n');
  });
});

describe.skipIf(process.platform !== 'linux')('the answer to a prompt', () => {
  it('is a mark in all output that follows', async () => {
    const { onPrompt } = person();
    await using table = new Jobs();
    const chunks: string[] = [];
    const job = table.start(`x=$(${asking('?')}); echo "$x"; echo "$x" >&2; printf %s "$x" | base64`, {
      onPrompt,
    });
    job.on('data', (chunk) => chunks.push(String(chunk)));
    const result = await job.result;
    expect(result.stdout).toBe(`${MARK}\n${MARK}\n`);
    expect(result.stderr).toBe(`${MARK}\n`);
    expect(textOf([result, chunks, job.read()])).not.toContain(ANSWER);
  });

  it('is a mark on the screen of a terminal', async () => {
    const { onPrompt } = person();
    const { output } = await run(`x=$(${asking('?')}); echo "is $x."`, { onPrompt, pty: true });
    expect(output).toContain(`is ${MARK}.`);
  });

  it('is asterisks in output that stays bytes', async () => {
    const { onPrompt } = person();
    const { stdout } = await run(asking('?'), { onPrompt, encoding: 'buffer' });
    expect(Buffer.from(stdout).toString()).toBe(`${'*'.repeat(ANSWER.length)}\n`);
  });

  it('stays as it is when it is a yes, or too short for a secret', async () => {
    const { onPrompt } = person('12345');
    expect((await run(asking('PIN:'), { onPrompt })).stdout).toBe('12345\n');
    const confirmed = await run(asking('(yes/no)'), { onPrompt: () => 'SHA256:abcdef' });
    expect(confirmed.stdout).toBe('SHA256:abcdef\n');
  });

  it('is in no arguments and no environment of a process', async () => {
    const directory = temporaryDirectory();
    // Other tests have the usual answer in their arguments.
    const answer = randomUUID();
    writeFileSync(join(directory, 'pattern'), `${answer}\n`);
    const { onPrompt } = person(answer);
    // The program still holds its answer in a pipe while all processes are searched.
    const search = 'cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | grep -caF -f pattern';
    const command = `${asking('?')} | { ${search}; cat >/dev/null; }`;
    expect((await run(command, { onPrompt, cwd: directory })).stdout).toBe('0\n');
  });

  it('is ignored when it comes too late', async () => {
    const { asked, onPrompt, answer, prompts } = slowPerson();
    await using table = new Jobs();
    const job = table.start(`${asking('?')}; echo ended`, { onPrompt });
    await asked();
    job.kill();
    expect((await job.result).status).toBe('signaled');
    expect(prompts[0]?.signal.aborted).toBe(true);
    answer(ANSWER);
    await nothingFor(20);
    expect(textOf(await job.result)).not.toContain('answer');
  });

  it('goes to no program of another job', async () => {
    const { onPrompt, asked, answer, prompts } = slowPerson();
    await using table = new Jobs();
    const one = table.start(`echo "$GIT_ASKPASS"; x=$(${asking('mine')}); echo "[\${#x}]"`, { onPrompt });
    await asked();
    const [program] = (one.read().chunks[0]?.text ?? '').split('\n');
    const { stdout } = await run(`x=$("${program}" stolen); echo $? "[$x]"`);
    expect(stdout).toBe('1 []\n');
    answer(ANSWER);
    expect((await one.result).stdout).toContain(`[${ANSWER.length}]`);
    expect(prompts.map(({ text }) => text)).toEqual(['mine']);
  });

  it('goes to no program of another job that has taken on the tag of this one', async () => {
    const { onPrompt, asked, answer, prompts } = slowPerson();
    await using table = new Jobs();
    const line = `echo "$GIT_ASKPASS"; grep locks /proc/self/limits; ${asking('mine')}`;
    const one = table.start(line, { onPrompt });
    await asked();
    const [program, limits] = (one.read().chunks[0]?.text ?? '').split('\n');
    const tag = /Max file locks +(\d+)/.exec(limits ?? '')?.[1];
    const { stdout } = await run(`prlimit --locks=${tag}:unlimited -- "${program}" stolen; echo $?`);
    expect(stdout).toBe('1\n');
    answer(null);
    await one.result;
    expect(prompts.map(({ text }) => text)).toEqual(['mine']);
  });

  it('goes to a program that only calls itself sudo as to any other', async () => {
    const directory = temporaryDirectory();
    copyFileSync('/bin/bash', join(directory, 'sudo'));
    const { prompts, onPrompt } = person();
    const forged = `"$SUDO_ASKPASS" "[sudo] password for you: "; true`;
    await run(`exec -a /usr/bin/sudo ./sudo -c '${forged}'`, { onPrompt, cwd: directory });
    expect(prompts).toMatchObject([{ program: join(directory, 'sudo'), verified: false }]);
  });
});

describe.skipIf(process.platform !== 'linux')('a command whose program asks', () => {
  it('has timeouts that stand still meanwhile', async () => {
    const onPrompt: OnPrompt = async () => {
      await nothingFor(400);
      return 'yes';
    };
    const options = { onPrompt, timeout: 300, idleTimeout: 300 };
    const one = await run(`${asking('?')}; sleep 0.01; echo on`, options);
    expect(one).toMatchObject({ status: 'exited', stdout: 'yes\non\n' });
    const other = await run(`${asking('?')} > /dev/null; ${asking('?')} | cat; exec sleep 60`, options);
    expect(['timeout', 'idle-timeout']).toContain(other.status);
  });

  it('still moves to the background in time', async () => {
    const { asked, onPrompt, answer } = slowPerson();
    await using table = new Jobs();
    const options = { onPrompt, jobs: table, timeout: 200, onTimeout: 'background' } as const;
    const result = await run(`${asking('?')} | tr a-z A-Z`, options);
    expect(result.status).toBe('background');
    await asked();
    answer('open sesame');
    expect((await table.get(result.jobId ?? '')?.result)?.stdout).toBe('OPEN SESAME\n');
  });

  it.each<[string, (job: { kill(): boolean }, controller: AbortController) => unknown]>([
    ['kill', (job) => job.kill()],
    ['abort', (_job, controller) => controller.abort()],
  ])('needs no answer after a %s', async (_what, end) => {
    const { asked, onPrompt } = slowPerson();
    const controller = new AbortController();
    const table = new Jobs();
    const job = table.start(asking('?'), { onPrompt, signal: controller.signal });
    const { signal } = await asked();
    end(job, controller);
    await job.result;
    expect(signal.aborted).toBe(true);
    await table.dispose();
  });

  it('needs no answer after its table was disposed', async () => {
    const { asked, onPrompt } = slowPerson();
    const table = new Jobs();
    table.start(asking('?'), { onPrompt });
    const { signal } = await asked();
    await table.dispose();
    expect(signal.aborted).toBe(true);
  });

  it('needs no answer when the program is gone, and may ask again', async () => {
    const { asked, onPrompt, prompts } = slowPerson();
    await using table = new Jobs();
    const job = table.start(`${asking('first')} & wait $!; echo gone; read -r x`, {
      onPrompt,
      stdin: 'pipe',
    });
    const { signal } = await asked();
    const path = `/proc/${job.pid}/task/${job.pid}/children`;
    const { readFileSync } = await import('node:fs');
    process.kill(Number(readFileSync(path, 'utf8').trim().split(' ')[0]), 'SIGKILL');
    await until(() => signal.aborted, 'the prompt is over');
    job.end('\n');
    expect((await job.result).stdout).toBe('gone\n');
    expect(prompts).toHaveLength(1);
  });

  it('needs no answer when nobody reads it', async () => {
    const { asked, onPrompt } = slowPerson();
    await using table = new Jobs();
    const cwd = temporaryDirectory();
    // The reader of the pipe ends when the test writes to the named one.
    const command = `mkfifo go; ${asking('first')} | cat go; echo on; read -r x`;
    const job = table.start(command, { cwd, onPrompt, stdin: 'pipe' });
    const { signal } = await asked();
    writeFileSync(join(cwd, 'go'), '');
    await until(() => signal.aborted, 'the prompt is over');
    job.end('\n');
    expect((await job.result).stdout).toBe('on\n');
  });

  it('has the variables that lead to the person, except those that env sets', async () => {
    const show = 'echo "$SUDO_ASKPASS $SSH_ASKPASS $SSH_ASKPASS_REQUIRE $GIT_ASKPASS"';
    const { onPrompt } = person();
    const own = { SSH_ASKPASS: '/own', GIT_ASKPASS: undefined };
    const path = String.raw`/\S+/agent-bash\.\S+/agent-bash-askpass`;
    const all = await run(show, { onPrompt, nonInteractive: true });
    expect(all.stdout).toMatch(new RegExp(`^(${path}) \\1 force \\1\n$`));
    const some = await run(show, { onPrompt, env: own });
    expect(some.stdout).toMatch(new RegExp(`^${path} /own  \n$`));
    expect((await run(show)).stdout).not.toContain('agent-bash-askpass');
  });

  it('leaves nothing of the directory in which it asks', async () => {
    const { onPrompt } = person();
    const { stdout } = await run('dirname "$GIT_ASKPASS"; stat -c %a "$(dirname "$GIT_ASKPASS")"', {
      onPrompt,
    });
    const [directory, mode] = stdout.split('\n');
    expect(mode).toBe('700');
    expect(() => readdirSync(directory ?? '')).toThrow('ENOENT');
  });
});

describe.skipIf(process.platform !== 'linux')('the option onPrompt', () => {
  it.each(['process', 'state'] as const)('asks in each command of a session (%s)', async (keep) => {
    const { prompts, onPrompt } = person();
    await using session = new ShellSession({ keep, onPrompt });
    for (const text of ['one', 'two', 'three']) {
      const command = `x=$(${asking(text)}); echo "$x"; cd .`;
      expect(await session.run(command)).toMatchObject({ stdout: `${MARK}\n`, stderr: '' });
      expect(prompts.at(-1)).toMatchObject({ text, command });
    }
    const many = `for i in 1 2 3 4 5 6; do ${asking('many')} > >(cat) || echo no; done; wait`;
    expect((await session.run(many)).stdout).toContain('no\n');
    expect(prompts).toHaveLength(8);
  });

  it.each(['process', 'state'] as const)(
    'has no open prompt after a command was killed (%s)',
    async (keep) => {
      const { asked, onPrompt } = slowPerson();
      await using session = new ShellSession({ keep, onPrompt });
      const job = session.start(asking('?'));
      const { signal } = await asked();
      job.kill();
      await job.result;
      expect(signal.aborted).toBe(true);
      expect((await session.run('echo alive')).stdout).toBe('alive\n');
    },
  );

  it('is refused while the shell of a session starts, when nobody watches a command', async () => {
    const { prompts, onPrompt } = person();
    const directory = temporaryDirectory();
    writeFileSync(join(directory, '.bashrc'), `x=$(${asking('?')}); echo "<$x>" >>${directory}/out\n`);
    const shell = { shell: '/bin/bash', startFiles: 'interactive', env: { HOME: directory } } as const;
    await using session = new ShellSession({ keep: 'process', onPrompt, ...shell });
    expect((await session.run(`cat ${directory}/out`)).stdout).toBe('<>\n');
    expect(prompts).toEqual([]);
  });

  it('keeps a program of its own that a session has exported', async () => {
    await using session = new ShellSession({ keep: 'state', onPrompt: () => ANSWER });
    await session.run('export GIT_ASKPASS=/bin/echo');
    expect((await session.run(asking('mine'))).stdout).toBe('mine\n');
  });

  it('asks in the commands of a toolset', async () => {
    const { prompts, onPrompt } = person();
    const toolset = createTools('bash', { onPrompt });
    const { text } = await toolset.call('bash', { command: `x=$(${asking('for the tool')}); echo "is $x"` });
    expect(text).toContain(`is ${MARK}`);
    expect(prompts).toMatchObject([{ text: 'for the tool' }]);
    const refused = await toolset.call('bash', { command: `echo ${MARK} > .env` });
    expect(refused.text).toContain(`The command contains ${MARK}, which stands for a secret.`);
    await toolset.dispose();
  });

  it('asks in a sandbox, and names the program', { tags: ['sandbox'] }, async () => {
    const { prompts, onPrompt } = person();
    const root = temporaryDirectory();
    const sandbox = { level: 'workspace-write' } as const;
    const { stdout } = await run(`x=$(${asking('inside')}); echo "is $x"`, { root, sandbox, onPrompt });
    expect(stdout).toBe(`is ${MARK}\n`);
    expect(prompts[0]).toMatchObject({
      text: 'inside',
      verified: false,
      program: expect.stringMatching(/bash$|sh$/),
    });
  });

  it('is refused where nobody could be asked', async () => {
    const { onPrompt } = person();
    const message = "'options.onPrompt': not available with a target";
    await expect(run('true', { onPrompt, target: { exec: ['sh'] } })).rejects.toThrow(message);
    await expect(run('true', { onPrompt: 'yes' } as never)).rejects.toThrow(
      "'options.onPrompt': expected a function",
    );
    const result = await new Jobs({ durable: { directory: temporaryDirectory() } } as never).start('true', {
      onPrompt,
    }).result;
    expect(result.error).toMatchObject({
      code: 'ERR_FEATURE_UNAVAILABLE',
      message: "a durable job can't have prompts that a person answers: that needs its host",
    });
  });
});
