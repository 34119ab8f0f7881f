import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Jobs, keys, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { newFile, readCast } from './cast.js';
import { played } from './player.js';

/**
 * Draws with colours, margins, the alternate screen and characters of two columns, and then waits for its
 * end.
 */
const DRAWS = String.raw`
  printf 'plain\n\033[31mred\033[0m\033[1;7mbold\033[0m\n'
  printf '\033[?1049h\033[2J\033[5;10Hone\033[3;8r\033[8;1Hbottom\n\n\033[r\033[20;3H'
  printf '日本語\033[3D\033[Kx\tto\033[1;1Htop\033[10;70Hlong line that wraps at the end of the row'
  printf '\033]0;title\007\033[6n\033]11;?\007'
`;

describe('a recorded command in a terminal', () => {
  it('has the size of its terminal and its bytes alone, so that its screen is exact', async () => {
    const file = newFile();
    await using jobs = new Jobs();
    const job = jobs.start(`${DRAWS}; read -r line`, { pty: { cols: 90, rows: 25 }, record: file });
    await job.waitForScreen('long line that wraps');
    const { lines, cursor } = job.screen();
    job.kill();
    await job.result;
    const { header, output } = readCast(file);
    expect(header.term).toMatchObject({ cols: 90, rows: 25 });
    const again = await drawn(output, 90, 25);
    expect(again).toEqual({ lines, cursor });
    expect(output).not.toMatch(/title|\x1b\[6n|\?\x07/);
  });

  it('has each new size', async () => {
    const file = newFile();
    await using jobs = new Jobs();
    const job = jobs.start('stty size; read -r line; stty size', { pty: true, record: file });
    await job.waitForScreen('24 80');
    job.resize(100, 40);
    job.write('\r');
    await job.result;
    const sizes = readCast(file).events.filter(([, code]) => code === 'r');
    expect(sizes.map(([, , size]) => size)).toEqual(['100x40']);
    expect((await played(readFileSync(file, 'utf8'))).size).toBe('100x40');
  });

  it('has the screen for itself in a file of several commands, which is as before it at its end', async () => {
    const file = newFile();
    await using jobs = new Jobs({ record: file });
    await jobs.start('echo before').result;
    await jobs.start(DRAWS, { pty: { cols: 90, rows: 25 } }).result;
    await jobs.start('echo after').result;
    await jobs.dispose();
    const { events, output } = readCast(file);
    expect(events.filter(([, code]) => code === 'r').map(([, , size]) => size)).toEqual(['90x25', '100x30']);
    const { lines } = await drawn(output, 100, 30);
    expect(lines.slice(0, 3)).toEqual([expect.stringContaining('[exit 0'), '$ echo after', 'after']);
  });

  it('goes on as lines when another command starts', async () => {
    const file = newFile();
    await using jobs = new Jobs({ record: file });
    const terminal = jobs.start('echo one; read -r line; printf "50%%\\r60%%\\ndone\\n"', { pty: true });
    await terminal.waitForScreen('one');
    // Output within 5 ms has one time, by which the commands are sorted.
    const other = await jobs.start('echo other; sleep 0.1').result;
    terminal.write('\r');
    await terminal.result;
    await jobs.dispose();
    const { output } = readCast(file);
    const after = output.slice(output.indexOf('$ echo other'));
    expect(after.replace(/\x1b\[[\d;]*m/g, '')).toMatch(
      /^\$ echo other; sleep 0\.1\r\nother\r\n\[exit 0.*\r\n==> job-\d+: .* <==\r\n\r\n60%\r\ndone\r\n\[exit 0/,
    );
    expect(other.exitCode).toBe(0);
  });

  it('has what is typed into an echoing terminal where that is asked for, and no password', async () => {
    const files = [newFile(), newFile()];
    for (const [index, file] of files.entries()) {
      await using jobs = new Jobs();
      const command =
        'read -rp "name: " x; read -rsp "password: " y; echo; read -rn1 -p "key: " z; echo done';
      const job = jobs.start(command, { pty: true, record: { file, input: index === 0 } });
      for (const [prompt, text] of [
        ['name:', 'ada\r'],
        ['password:', 'secret\r'],
        ['key:', 'k'],
      ] as const) {
        const waiting = new Promise((resolve) => job.once('waiting', resolve));
        await job.waitForScreen(prompt);
        await waiting;
        job.write(text);
      }
      await job.result;
    }
    const typed = files.map((file) =>
      readCast(file)
        .events.filter(([, code]) => code === 'i')
        .map(([, , text]) => text),
    );
    expect(typed).toEqual([['ada\r'], []]);
    for (const file of files) expect(readFileSync(file, 'utf8')).not.toContain('secret');
    expect(readCast(files[0]).markers).toContain('waits: name:');
  });

  it('has keys whose bytes the program has asked for, and the wait that they end', async () => {
    const file = newFile();
    await using jobs = new Jobs();
    const job = jobs.start('read -rp "> " x', { pty: true, record: file });
    await new Promise((resolve) => job.once('waiting', resolve));
    job.write(keys('enter'));
    await job.result;
    const { comments } = readCast(file);
    expect(
      comments.map(({ type, bytes, by, wait }) => [type, bytes ?? by ?? (wait as { kind?: string })?.kind]),
    ).toEqual([
      ['start', undefined],
      ['waiting', 'line'],
      ['input', 1],
      ['waiting', undefined],
      ['end', undefined],
    ]);
  });
});

describe('asciinema-player', () => {
  it('plays a recording to its end, with its markers and its size', async () => {
    const file = newFile();
    await using jobs = new Jobs({ record: { file, cols: 120, rows: 40 } });
    jobs.start(DRAWS, { pty: true });
    jobs.start('seq 2000; echo "a\tb" >&2; exit 3');
    await jobs.wait();
    jobs.start('printf "\\303"; cat /dev/null; head -c 3000 /dev/urandom');
    await jobs.wait();
    await jobs.dispose();
    const { output, markers } = readCast(file);
    const shown = await played(readFileSync(file, 'utf8'));
    expect(shown.output).toBe(output);
    expect(shown.markers).toEqual(markers);
    expect(shown.first).toBe('120x40');
  });

  it('plays a recording of one command, also of one without output', async () => {
    for (const [command, pty] of [
      ['true', false],
      ['true', true],
      ['seq 10000', true],
    ] as const) {
      const file = newFile();
      await run(command, { pty, record: file });
      const { output, markers } = readCast(file);
      expect(await played(readFileSync(file, 'utf8'))).toMatchObject({ output, markers });
    }
  });
});

/** Returns the screen of a terminal that has got this output. */
async function drawn(
  output: string,
  cols: number,
  rows: number,
): Promise<{ lines: string[]; cursor: object }> {
  await using jobs = new Jobs();
  const show = 'stty raw -echo; cat "$0"; printf "\\033]0;all is shown\\007"; read -r line';
  const job = jobs.start(['sh', '-c', show, fileWith(output)], { pty: { cols, rows } });
  await until(() => job.screen().title === 'all is shown', 'the whole output is shown');
  const { lines, cursor } = job.screen();
  job.kill();
  await job.result;
  return { lines, cursor };
}

function fileWith(text: string): string {
  const path = join(temporaryDirectory(), 'output');
  writeFileSync(path, text);
  return path;
}
