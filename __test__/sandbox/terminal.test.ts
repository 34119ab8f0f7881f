import { existsSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Jobs, type PtyOptions, run } from '../../index.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { workspace } from './support.js';

const SHELLS = [
  ['bash', '--norc', '-i'],
  ['dash', '-i'],
  ['zsh', '-f', '-i'],
].filter(([shell]) => existsSync(`/bin/${shell}`));

/** Starts a command in a terminal and a sandbox. */
function terminal(command: string | string[], pty: boolean | PtyOptions = true) {
  const table = new Jobs();
  onTestFinished(async () => {
    await table.dispose();
  });
  const job = table.start(command, { ...workspace(), pty });
  const shows = (text: string) => until(() => job.screen().text.includes(text), `it shows ${text}`);
  return { job, shows };
}

describe('a terminal in a sandbox', { tags: ['sandbox'] }, () => {
  it('has a name, a size and the controlling terminal of its command', async () => {
    const { stdout } = await run('tty; stty size; echo typed > /dev/tty; test -t 0 && echo yes', {
      ...workspace(),
      pty: { cols: 33, rows: 7 },
    });
    expect(stdout).toBe('/dev/console\r\n7 33\r\ntyped\r\nyes\r\n');
  });

  it('tells its programs of a new size', async () => {
    const { job, shows } = terminal("trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done");
    await shows('ready');
    job.resize(77, 11);
    await shows('11 77');
  });

  it('interrupts its program by Ctrl-C', async () => {
    const { job, shows } = terminal(
      "trap 'echo interrupted; exit 3' INT; echo ready; while :; do sleep 0.05; done",
    );
    await shows('ready');
    job.write('\x03');
    expect((await job.result).exitCode).toBe(3);
    expect(job.screen().text).toContain('interrupted');
  });

  it.each(SHELLS)('has job control in %s', async (...shell) => {
    const own = tag();
    const { job, shows } = terminal(shell);
    job.write(`sleep ${own}\r`);
    await until(() => living(`sleep\0${own}`).length > 0, 'it sleeps');
    job.write('\x1a');
    await shows('\x20sleep');
    job.write('echo st""opped; jobs; fg\r');
    await shows('stopped');
    job.write('\x03');
    await until(() => living(`sleep\0${own}`).length === 0, 'it was interrupted');
    job.write('echo ba""ck\r');
    await shows('back');
    job.write('exit 4\r');
    const { exitCode, status } = await job.result;
    expect([status, exitCode]).toEqual(['exited', 4]);
    expect(job.screen().text).not.toMatch(/cannot set|no job control/i);
  });

  it('is the end of its programs when the command is killed', async () => {
    const own = tag();
    const { job } = terminal(`sleep ${own} & sleep ${own}`);
    await until(() => living(`sleep\0${own}`).length === 2, 'both sleep');
    job.kill();
    await job.result;
    expect(living(`sleep\0${own}`)).toEqual([]);
  });
});

describe('a command in a sandbox', { tags: ['ps', 'sandbox'] }, () => {
  it('leads a process group and a session, as without one', async () => {
    const { stdout } = await run('ps -o pid=,pgid=,sid= -p $$', workspace());
    const [pid, group, session] = stdout.trim().split(/\s+/);
    expect([group, session]).toEqual([pid, pid]);
    expect((await run('kill -TERM -- -$$; echo on', workspace())).signal).toBe('SIGTERM');
  });

  it('has the pid of its own process', async () => {
    const { root, sandbox } = workspace();
    await using table = new Jobs();
    const job = table.start(['sleep', tag()], { root, sandbox });
    await until(() => job.pid !== null, 'it runs');
    process.kill(job.pid ?? 0, 'SIGINT');
    expect((await job.result).signal).toBe('SIGINT');
  });
});
