import { spawnSync } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Jobs, keys } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { shown } from '../support/jobs.js';
import { blockThread } from '../support/waits.mjs';

const directory = temporaryDirectory();

/** A program that is not installed is skipped by name. */
function withProgram(name: string): typeof it {
  const isThere = spawnSync('which', [name]).status === 0;
  return (isThere ? it : it.skip) as typeof it;
}

describe('a screen', () => {
  it('shows what a person would see', async () => {
    await using table = new Jobs();
    const job = table.start("printf '\\033[3;5Hhello\\033[1;1Htop\\033]0;title\\007'; sleep 1000", {
      pty: { cols: 20, rows: 5 },
    });
    await shown(job, 'top');
    expect(job.screen()).toEqual({
      lines: ['top', '', '    hello', '', ''],
      text: 'top\n\n    hello',
      cursor: { row: 0, column: 3, visible: true },
      cols: 20,
      rows: 5,
      alternate: false,
      title: 'title',
      bracketedPaste: false,
      partial: false,
      scrollback: [],
      scrollbackLines: 0,
      revision: expect.any(Number),
    });
  });

  it('is reset softly, as `tput init` does', async () => {
    await using table = new Jobs();
    const modes = "printf 'text\\033[?25l\\033[?1h\\033[4h\\033[2;3r\\033[2;1H'";
    const job = table.start(`${modes}; printf '\\033[!p\\033[?3;4l\\033[4l\\033>end'; sleep 1000`, {
      pty: { cols: 20, rows: 5 },
    });
    await shown(job, 'end');
    expect(job.screen()).toMatchObject({ text: 'text\nend', cursor: { row: 1, column: 3, visible: true } });
  });

  it('keeps what has left it, and stays after the end', async () => {
    await using table = new Jobs();
    const job = table.start('seq 1 100', { pty: { rows: 10, scrollback: 50 } });
    await job.result;
    expect(job.screen().lines.slice(0, 2)).toEqual(['92', '93']);
    expect(job.screen().scrollbackLines).toBe(50);
    expect(job.screen({ scrollback: 3 }).scrollback).toEqual(['89', '90', '91']);
    expect(job.screen({ scrollback: 1000 }).text.split('\n')).toHaveLength(59);
  });

  it('has a revision that grows with each change alone', async () => {
    await using table = new Jobs();
    const job = table.start('echo one; read x; echo two; read y', { pty: true });
    await shown(job, 'one');
    const { revision } = job.screen();
    expect(job.screen().revision).toBe(revision);
    job.write('\r');
    await shown(job, 'two');
    expect(job.screen().revision).toBeGreaterThan(revision);
  });

  it('is empty for a command that could not be started', async () => {
    await using table = new Jobs();
    const job = table.start('true', { pty: { rows: 3 }, cwd: '/no/such/directory' });
    await job.result;
    expect(job.screen()).toMatchObject({ lines: ['', '', ''], text: '', revision: 0 });
  });

  it('answers programs that ask for the position of the cursor', async () => {
    await using table = new Jobs();
    const ask =
      "stty -icanon -echo; printf 'abc\\033[6n'; dd bs=1 count=6 2>/dev/null | od -An -c; sleep 1000";
    const job = table.start(ask, { pty: true });
    await shown(job, /033\s+\[\s+1\s+;\s+4\s+R/);
  });

  it('answers nothing with answerQueries: false', async () => {
    await using table = new Jobs();
    const ask =
      "stty -icanon -echo; printf '\\033[6nasked'; dd bs=1 count=1 2>/dev/null | od -An -c; sleep 1000";
    const job = table.start(ask, { pty: { answerQueries: false } });
    await shown(job, 'asked');
    job.write('x');
    await shown(job, /^asked +x$/m);
  });

  it.each([
    ['its name and version', '\\033[>0q', /^\\eP>\|agent-bash\([\d.]+\)\\e\\$/m],
    ['its kind', '\\033[c', /^\\e\[\?6c$/m],
    ['the kind of its hardware', '\\033[>c', /^\\e\[>0;\d+;1c$/m],
    ['the number of its unit', '\\033[=c', /^\\eP!\|00000000\\e\\$/m],
    ['the position in its page', '\\033[?6n', /^\\e\[\?1;1R$/m],
    ['the protocol of its keyboard', '\\033[?u', /^\\e\[\?0u$/m],
    ['its size in pixels', '\\033[14t', /^\\e\[4;160;240t$/m],
    ['the size of a cell', '\\033[16t', /^\\e\[6;16;8t$/m],
    ['its size in cells', '\\033[18t', /^\\e\[8;10;30t$/m],
  ])('answers programs that ask for %s', async (_, query, reply) => {
    await using table = new Jobs();
    // A last query, for the status, marks the end of the answers.
    const ask =
      `stty raw -echo; printf '${query}\\033[5n'; ` +
      `answer=; while case $answer in *'[0n') false;; esac; do answer=$answer$(dd bs=1 count=1 2>/dev/null); done; ` +
      `stty sane -echo; printf '%s\\n' "$answer" | sed 's/\\x1b\\[0n$//; s/\\x1b/\\\\e/g'; sleep 1000`;
    const job = table.start(ask, { pty: { cols: 30, rows: 10 }, shell: '/bin/bash' });
    await shown(job, reply);
  });
});

describe('waiting for a screen', () => {
  it('ends when the text is there, with its groups', async () => {
    await using table = new Jobs();
    const job = table.start('sleep 0.2; echo version 1.25; sleep 1000', { pty: true });
    const { status, match } = await job.waitForScreen(/version (\d+)\.(\d+)/g);
    expect({ status, match }).toEqual({ status: 'matched', match: ['version 1.25', '1', '25'] });
  });

  it('ends when nothing changes any more', async () => {
    await using table = new Jobs();
    const job = table.start('for i in 1 2 3 4; do echo $i; sleep 0.1; done; echo done; sleep 1000', {
      pty: true,
    });
    const { status, screen } = await job.waitForScreen('idle', { idle: 1_000 });
    expect(status).toBe('idle');
    expect(screen.text).toBe('1\n2\n3\n4\ndone');
  });

  it('is idle also after a change of which a busy event loop learns late', async () => {
    await using table = new Jobs();
    const job = table.start('printf before; read x; printf after; sleep 1000', { pty: true });
    await shown(job, 'before');
    const idle = job.waitForScreen('idle', { idle: 200, timeout: 20_000 });
    job.write('\r');
    await setImmediate();
    // Meanwhile the screen changes and the time is over: the timer runs before the event of the change.
    blockThread(1_000);
    const { status, screen } = await idle;
    expect({ status, isShown: screen.text.includes('after') }).toEqual({ status: 'idle', isShown: true });
  });

  it('ends with the job, its time or its signal', async () => {
    await using table = new Jobs();
    const short = table.start('echo over', { pty: true });
    expect(await short.waitForScreen('never')).toMatchObject({ status: 'exited', screen: { text: 'over' } });
    expect((await short.waitForScreen('over')).status).toBe('matched');
    const job = table.start('echo there; sleep 1000', { pty: true });
    expect((await job.waitForScreen('never', { timeout: 300 })).status).toBe('timeout');
    expect((await job.waitForScreen('never', { signal: AbortSignal.timeout(50) })).status).toBe('aborted');
    expect((await job.waitForScreen('never', { signal: AbortSignal.abort() })).screen.rows).toBe(24);
  });

  it('needs a pattern', async () => {
    await using table = new Jobs();
    const job = table.start('sleep 1000', { pty: true });
    await expect(job.waitForScreen('')).rejects.toThrow("'pattern'");
    await expect(job.waitForScreen('x', { idle: -1 })).rejects.toThrow("'options.idle'");
  });
});

describe.concurrent('a full-screen program', () => {
  withProgram('vim')('vim edits and saves a file', async () => {
    await using table = new Jobs();
    const job = table.start('vim -u NONE -N edited', { pty: true, cwd: directory });
    await shown(job, '"edited" [New]');
    expect(job.screen()).toMatchObject({ alternate: true });
    job.write(`ihello${keys('enter')}world${keys('escape', 'up')}`);
    await shown(job, /^hello\nworld\n~/);
    expect(job.screen().cursor.row).toBe(0);
    job.write(`:wq${keys('enter')}`);
    expect((await job.result).exitCode).toBe(0);
    expect(job.screen().alternate).toBe(false);
  });

  withProgram('less')('less pages, searches and goes back', async () => {
    await using table = new Jobs();
    const job = table.start('seq 1 1000 | less', { pty: true });
    await shown(job, /^1\n2\n/);
    job.write(' ');
    await shown(job, /^24\n25\n/);
    job.write(`/500${keys('enter')}`);
    await shown(job, /^500\n/);
    job.write(keys('up'));
    await shown(job, /^499\n/);
    job.write('q');
    expect((await job.result).exitCode).toBe(0);
  });

  withProgram('nano')('nano writes a file', async () => {
    await using table = new Jobs();
    const job = table.start('nano --ignorercfiles written', { pty: true, cwd: directory });
    await shown(job, 'New File');
    job.write('some text');
    await shown(job, 'some text');
    job.write(keys('ctrl-o'));
    await shown(job, 'File Name to Write: written');
    job.write(keys('enter'));
    await shown(job, 'Wrote 1 line');
    job.write(keys('ctrl-x'));
    expect((await job.result).exitCode).toBe(0);
  });

  withProgram('dialog')('dialog takes cursor keys in the form that it has asked for', async () => {
    await using table = new Jobs();
    const job = table.start('dialog --menu Which 12 40 3 a first b second c third 2>chosen; cat chosen', {
      pty: true,
      cwd: directory,
    });
    await shown(job, /third/);
    expect(job.screen().text).toContain('┌');
    job.write(keys('down', 'enter'));
    expect((await job.result).stdout.endsWith('b')).toBe(true);
  });

  withProgram('whiptail')('whiptail says no', async () => {
    await using table = new Jobs();
    const job = table.start('whiptail --yesno Sure? 8 40', { pty: true });
    await shown(job, 'Sure?');
    job.write(keys('tab', 'enter'));
    expect((await job.result).exitCode).toBe(1);
  });

  withProgram('fzf')('fzf finds', async () => {
    await using table = new Jobs();
    const job = table.start('seq 100 | fzf', { pty: true });
    await shown(job, '100/100');
    job.write('77');
    await shown(job, '1/100');
    job.write(keys('enter'));
    expect((await job.result).stdout).toContain('77');
  });

  withProgram('top')('top redraws and quits', async () => {
    await using table = new Jobs();
    const job = table.start('top -d 0.5', { pty: true });
    await shown(job, /PID USER/);
    job.write('q');
    expect((await job.result).exitCode).toBe(0);
  });

  withProgram('htop')('htop draws its bars and quits', async () => {
    await using table = new Jobs();
    const job = table.start('htop', { pty: { cols: 120, rows: 40 } });
    await shown(job, /F10Quit/);
    job.write(keys('f10'));
    expect((await job.result).exitCode).toBe(0);
  });

  withProgram('tmux')('tmux runs a shell in a window of its own', async () => {
    await using table = new Jobs();
    const job = table.start('tmux -L agent-bash-screen -f /dev/null new sh', {
      pty: true,
      background: 'kill',
    });
    await shown(job, /\[0\] 0:/);
    job.write('echo in-$((6 * 7))\r');
    await shown(job, 'in-42');
    job.write('exit\r');
    expect((await job.result).exitCode).toBe(0);
  });

  it('node has a prompt with history', async () => {
    await using table = new Jobs();
    const job = table.start([process.execPath, '-i'], { pty: true, env: { NODE_REPL_HISTORY: '' } });
    await shown(job, /^> $|\n>/);
    job.write('6 * 7\r');
    await shown(job, /\n42\n/);
    job.write(keys('up'));
    await shown(job, /42\n> 6 \* 7/);
    job.write(keys('ctrl-c', 'ctrl-d'));
    expect((await job.result).exitCode).toBe(0);
  });

  it('python has a prompt', { tags: ['python3'] }, async () => {
    await using table = new Jobs();
    const job = table.start(['python3', '-q'], { pty: true });
    await shown(job, '>>>');
    job.write('6 * 7\r');
    await shown(job, /\n42\n>>>/);
    job.write(keys('ctrl-d'));
    expect((await job.result).exitCode).toBe(0);
  });

  withProgram('git')('git add -p stages a part', async () => {
    await using table = new Jobs();
    const make = 'git init -q r && cd r && git config user.name a && git config user.email a';
    const job = table.start(
      `${make} && echo 1 >f && git add f && git commit -qm a && echo 2 >f && git add -p`,
      {
        pty: true,
        cwd: directory,
        env: { GIT_PAGER: 'cat' },
      },
    );
    await shown(job, 'Stage this hunk');
    job.write('y\r');
    expect((await job.result).exitCode).toBe(0);
  });
});
