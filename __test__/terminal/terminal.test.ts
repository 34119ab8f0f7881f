import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BashJob, type Job, Jobs, run } from '../../index.js';
import { until } from '../support/processes.mjs';
import { blockThread } from '../support/waits.mjs';

/** Waits until the output of a job contains a text. */
async function printed(job: Job, text: string): Promise<void> {
  const { status } = await job.waitForScreen(text);
  expect(status).toBe('matched');
}

/** Leaves a process that does not mind when its terminal is closed. */
const LEAVING = "trap '' HUP; sleep 1000 & echo $!";

describe('a command in a terminal', () => {
  it('has one terminal of the usual size as all of its streams', async () => {
    const { stdout, stderr } = await run(
      'tty; stty size; echo $TERM; test -t 0 && test -t 1 && test -t 2 && echo all',
      {
        pty: true,
      },
    );
    expect(stdout).toMatch(/^\/dev\/\S+\r\n24 80\r\nxterm-256color\r\nall\r\n$/);
    expect(stderr).toBe('');
  });

  it('has its screen although it ends while JavaScript is busy with its start', async () => {
    const busy = () => blockThread(500);
    subscribe('agent-bash:command:start', busy);
    const job = new Jobs().start('printf "one\\ntwo"', { pty: true });
    unsubscribe('agent-bash:command:start', busy);
    expect(await job.result).toMatchObject({ stdout: 'one\r\ntwo' });
    expect(job.screen().text).toBe('one\ntwo');
  });

  it('has the size and the name that it is given, and no size of another terminal', async () => {
    const env = { COLUMNS: '33', LINES: '11' };
    process.env.COLUMNS = '33';
    try {
      const { stdout } = await run('stty size; echo $TERM; env | grep -c ^COLUMNS=', {
        shell: '/bin/sh',
        pty: { cols: 132, rows: 50, term: 'vt100' },
      });
      expect(stdout).toBe('50 132\r\nvt100\r\n0\r\n');
    } finally {
      delete process.env.COLUMNS;
    }
    expect(
      (
        await run('env | grep -E "^(COLUMNS|TERM)=" | sort', {
          shell: '/bin/sh',
          pty: true,
          env: { ...env, TERM: 'mine' },
        })
      ).stdout,
    ).toBe('COLUMNS=33\r\nTERM=mine\r\n');
  });

  it('has it as its controlling terminal: Ctrl-C is a signal', async () => {
    await using table = new Jobs();
    const job = table.start('echo started; exec sleep 1000', { pty: true });
    await printed(job, 'started');
    job.write('\x03');
    expect(await job.result).toMatchObject({ status: 'signaled', signal: 'SIGINT' });
  });

  it('loses nothing, however fast it exits', async () => {
    for (let round = 0; round < 50; round++) {
      const { stdout } = await run('seq 1 3000', { pty: true });
      expect(stdout.split('\r\n')).toHaveLength(3001);
      expect(stdout.endsWith('2999\r\n3000\r\n')).toBe(true);
    }
  });

  it('may close it and open it again', async () => {
    const { stdout } = await run('exec <&- >&- 2>&-; sleep 0.3; echo again >/dev/tty', { pty: true });
    expect(stdout).toBe('again\r\n');
  });

  it('reads what is written, and its end', async () => {
    await using table = new Jobs();
    const job = table.start('cat; echo end', { pty: true });
    job.write('one\r');
    await printed(job, 'one\none');
    job.end('two');
    expect((await job.result).stdout).toBe('one\r\none\r\ntwotwoend\r\n');
    expect(job.write('late')).toBe(false);
  });

  it('gets a new size, and SIGWINCH', async () => {
    await using table = new Jobs();
    const job = table.start("trap 'stty size' WINCH; echo started; while :; do sleep 0.05; done", {
      pty: true,
    });
    await printed(job, 'started');
    expect(job.resize(100, 40)).toBe(true);
    await printed(job, '40 100');
    expect(job.screen()).toMatchObject({ cols: 100, rows: 40 });
    job.kill();
    await job.result;
    expect(job.resize(80, 24)).toBe(false);
  });

  it('has as many columns for its program as its screen has', async () => {
    await using table = new Jobs();
    const job = table.start('stty size; sleep 1000', { pty: { cols: 1, rows: 3 } });
    const { match } = await job.ready({ pattern: /^3 (\d+)$/ });
    expect(match?.[1]).toBe(String(job.screen().cols));
  });

  it('has a size within bounds', async () => {
    await using table = new Jobs();
    const job = table.start('stty size; sleep 1000', { pty: { cols: 5_000, rows: 0 } });
    await job.ready({ pattern: '1 1000' });
    expect(() => job.resize(1.5, 3)).toThrow("'cols'");
  });

  it('runs as a BashJob too', async () => {
    const job = new BashJob({ command: 'read name; echo "hello $name"; tty' }, '.', false, { pty: true });
    job.write('you\r');
    const { output, exitCode } = await job.result;
    expect(exitCode).toBe(0);
    expect(output).toMatch(/hello you\r\n\/dev\//);
    expect(job.screen().text).toContain('hello you');
  });

  it('is reached by its times and its end like any other', async () => {
    const start = performance.now();
    expect(await run('sleep 1000', { pty: true, timeout: 100 })).toMatchObject({ status: 'timeout' });
    expect(await run('sleep 1000', { pty: true, idleTimeout: 100 })).toMatchObject({ status: 'idleTimeout' });
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it('may go on in the background', async () => {
    await using table = new Jobs();
    const result = await run('echo one; sleep 0.3; echo two; sleep 1000', {
      pty: true,
      timeout: 100,
      onTimeout: 'background',
      jobs: table,
    });
    expect(result.status).toBe('background');
    const job = table.get(result.jobId ?? '');
    await job?.ready({ pattern: 'two' });
    expect(job?.screen().lines.slice(0, 2)).toEqual(['one', 'two']);
  });

  it('ends at a kill, also as an interactive shell, which ignores SIGTERM', async () => {
    await using table = new Jobs();
    const job = table.start("PS1='prompt> ' exec sh -i", { pty: true });
    await printed(job, 'prompt>');
    job.write('sleep 1000\r');
    const start = performance.now();
    job.kill();
    await job.result;
    // SIGKILL would come after 5 seconds.
    expect(performance.now() - start).toBeLessThan(4_500);
  });

  it('leaves those that it has left their terminal, until they are killed', async () => {
    const left = await run(LEAVING, { pty: true, shell: '/bin/sh' });
    const [pid = 0] = left.backgroundPids;
    expect(left.stdout).toBe(`${pid}\r\n`);
    expect(process.kill(pid, 0)).toBe(true);
    process.kill(pid, 'SIGKILL');
    const killed = await run(LEAVING, { pty: true, shell: '/bin/sh', background: 'kill' });
    const other = Number(killed.stdout.trim());
    await until(() => {
      try {
        return !process.kill(other, 0);
      } catch {
        return true;
      }
    });
  });

  it.skipIf(process.platform !== 'linux')('leaves no descriptor open', async () => {
    const count = () => readdirSync('/proc/self/fd').length;
    await run('true', { pty: true });
    await run('echo hello', { pty: true });
    const before = count();
    for (let round = 0; round < 50; round++) await run('echo hello', { pty: true });
    await until(() => count() <= before);
  });

  it('is typed into as a stream too', async () => {
    await using table = new Jobs();
    const job = table.start('read a; echo "got $a"', { pty: true });
    job.stdin?.write('streamed\r');
    expect((await job.result).stdout).toContain('got streamed');
  });

  it('has plain text with stripAnsi', async () => {
    const { stdout } = await run("printf '\\033[31mred\\033[0m 50%%\\n100%%\\n'", {
      pty: true,
      output: { stripAnsi: true },
    });
    expect(stdout).toBe('red 50%\n100%\n');
  });
});

describe('options', () => {
  it('that leave no room for a terminal are errors', async () => {
    await using table = new Jobs();
    await expect(run('cat', { pty: true, input: 'x' })).rejects.toThrow("'options.input'");
    await expect(run('cat', { pty: true, output: { merge: true } })).rejects.toThrow(
      "'options.output.merge'",
    );
    expect(() => table.start('cat', { pty: true, stdin: 'pipe' })).toThrow("'options.stdin'");
    expect(() => table.start('cat', { pty: 'yes' as unknown as true })).toThrow("'options.pty'");
    expect(() => table.start('cat', { pty: { columns: 3 } as object })).toThrow("'options.pty.columns'");
    expect(() => table.start('cat', { pty: { cols: 1.5 } })).toThrow("'options.pty.cols'");
    expect(() => table.start('cat', { pty: { scrollback: -1 } })).toThrow("'options.pty.scrollback'");
  });

  it('are needed for a screen', async () => {
    await using table = new Jobs();
    const job = table.start('sleep 1000');
    expect(() => job.screen()).toThrow(expect.objectContaining({ code: 'NO_TERMINAL' }));
    expect(() => job.resize(1, 1)).toThrow(expect.objectContaining({ code: 'NO_TERMINAL' }));
    await expect(job.waitForScreen('x')).rejects.toThrow(expect.objectContaining({ code: 'NO_TERMINAL' }));
  });
});

it('a job that is forgotten has no screen any more', async () => {
  await using table = new Jobs({ maxFinished: 0 });
  const job = table.start('echo hello', { pty: true });
  const exit = once(job, 'exit');
  await exit;
  table.start('true', { pty: true });
  expect(() => job.screen()).toThrow(expect.objectContaining({ code: 'JOB_NOT_FOUND' }));
});
