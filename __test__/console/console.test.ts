import { once } from 'node:events';
import { Console } from 'agent-bash/console';
import { describe, expect, it } from 'vitest';
import { type Job, Jobs, keys } from '../../index.js';
import { until } from '../support/processes.mjs';

const SIZE = { cols: 40, rows: 4 };

/** Waits until the console shows a line. */
async function shows(view: Console, line: string): Promise<void> {
  await until(() => view.render(SIZE).includes(line), `it shows ${line}`);
}

describe('a console', () => {
  it('has the styles of the screen, and no other sequence of the program', async () => {
    await using table = new Jobs();
    const program = `stty -echo; printf '\\033]52;c;YQ==\\007\\033[6n\\033[1;31mred\\033[0m\\033]8;;http://x\\033\\\\link'; sleep 1000`;
    const view = new Console(table.start(program, { pty: true }));
    await shows(view, '\x1b[0;1;31mred\x1b[0mlink\x1b[0m');
    view.detach();
  });

  it('gives the terminal the size of what is rendered', async () => {
    await using table = new Jobs();
    const view = new Console(table.start('until stty size | grep "4 40"; do sleep 0.1; done', { pty: true }));
    expect(view.render(SIZE)).toHaveLength(4);
    expect(await once(view, 'end')).toEqual(['exited']);
    expect(view.render(SIZE)).toContain('4 40');
  });

  it('keeps the last screen when the job is forgotten, and says where the cursor is', async () => {
    await using table = new Jobs();
    const job = table.start('printf "one\\ntwo"', { pty: true });
    const view = new Console(job);
    await once(view, 'end');
    await table.dispose();
    expect(view.render(SIZE)).toEqual(['one', 'two', '', '']);
    expect(view.cursor).toEqual({ row: 1, column: 3, visible: true });
  });

  it('passes on bytes as they are, and keys in the form that the program wants', async () => {
    await using table = new Jobs();
    const program = `stty raw -echo; printf '\\033[?1hready'; dd bs=1 count=6 2>/dev/null | od -An -tx1; sleep 1000`;
    const view = new Console(table.start(program, { pty: true }));
    await shows(view, 'ready');
    view.input(Buffer.from([0xff, 0xc3, 0xa9]));
    view.input(keys('up'));
    await until(() => view.render(SIZE).join('\n').includes('ff c3 a9 1b 4f 41'), 'it gets the bytes');
  });

  it.each([
    ['kill', 'killed'],
    ['auto', 'killed'],
    ['detach', 'detached'],
  ] as const)('ends at Escape with the option %s', async (option, reason) => {
    await using table = new Jobs();
    const view = new Console(table.start('sleep 1000', { pty: true }), { escape: option });
    view.input(keys('escape'));
    expect(await once(view, 'end')).toEqual([reason]);
    expect(view.ended).toBe(reason);
  });

  it('ends at Escape in two bytes only if the second is Escape too', async () => {
    await using table = new Jobs();
    const view = new Console(table.start('cat -v', { pty: true }));
    view.input('\x1b');
    view.input('b');
    await shows(view, '^[b');
    view.input('\x1b\x1b');
    expect(await once(view, 'end')).toEqual(['killed']);
  });

  it('ends at the detach key, after what was typed before', async () => {
    await using table = new Jobs();
    const job = table.start('read x; echo "got $x"; sleep 1000', { pty: true });
    const view = new Console(job);
    const ended = once(view, 'end');
    view.input('before\r\x1dafter');
    expect(await ended).toEqual(['detached']);
    const { status } = await job.waitForScreen('got before');
    expect(status).toBe('matched');
    job.kill();
  });

  it('ends at once for a job that is over', async () => {
    await using table = new Jobs();
    const job = table.start('echo done', { pty: true });
    await job.result;
    const view = new Console(job);
    expect(await once(view, 'end')).toEqual(['exited']);
    expect(view.render(SIZE)[0]).toBe('done');
  });

  it('names what is wrong with its options', async () => {
    await using table = new Jobs();
    const job = table.start('sleep 1000', { pty: true });
    const piped = table.start('sleep 1000');
    expect(() => new Console(piped)).toThrow(expect.objectContaining({ code: 'NO_TERMINAL' }));
    expect(() => new Console({} as Job)).toThrow(/'job': expected a Job that runs in a terminal/);
    expect(() => new Console(job, { escape: 'x' as 'kill' })).toThrow(/'options.escape'/);
    expect(() => new Console(job, { detachKey: 'x' as 'ctrl-]' })).toThrow(/'options.detachKey'/);
    const view = new Console(job);
    expect(() => view.render({ cols: 0, rows: 1 })).toThrow(/'size.cols': expected an integer from 2/);
    expect(() => view.input(1 as unknown as string)).toThrow(/'typed'/);
  });
});

describe('the event screen', () => {
  it('comes for an unfinished line too, where escape sequences are stripped, and before the end', async () => {
    await using table = new Jobs();
    const job = table.start('printf "name? "; read x', { pty: true, output: { stripAnsi: true } });
    const texts: string[] = [];
    const look = () => texts.push(job.screen().text);
    job.on('screen', look);
    look();
    await until(() => texts.includes('name?'), 'it has come');
    job.write('you\r');
    const isEnded = once(job, 'exit').then(() => texts.at(-1));
    expect(await isEnded).toBe('name? you');
  });

  it('does not come to those who no longer listen', async () => {
    await using table = new Jobs();
    const job = table.start('cat', { pty: true });
    let count = 0;
    const listener = () => {
      count += 1;
    };
    job.on('screen', listener);
    job.write('one\r');
    await job.waitForScreen(/one\none/);
    job.off('screen', listener);
    const before = count;
    job.write('two\r');
    await job.waitForScreen(/two\ntwo/);
    expect(before).toBeGreaterThan(0);
    expect(count).toBe(before);
  });
});

describe('screen({ ansi })', () => {
  it('has the styles of the scrollback and the screen, also after the end', async () => {
    await using table = new Jobs();
    const program = `printf '\\033[32m1\\033[0m\\n2\\n3\\n'`;
    const job = table.start(program, { pty: { cols: 20, rows: 2 } });
    await job.result;
    expect(job.screen({ ansi: true, scrollback: 9 }).ansi).toEqual(['\x1b[0;32m1\x1b[0m', '2', '3', '']);
    expect(job.screen({ ansi: true }).ansi).toEqual(['3', '']);
    expect(job.screen()).not.toHaveProperty('ansi');
    expect(() => job.screen({ ansi: 1 as unknown as boolean })).toThrow(/'options.ansi'/);
  });

  it('is blank for a command that could not be started', async () => {
    await using table = new Jobs();
    const job = table.start(['/no/such/program'], { pty: { cols: 20, rows: 2 } });
    await job.result;
    expect(job.screen({ ansi: true }).ansi).toEqual(['', '']);
  });
});
