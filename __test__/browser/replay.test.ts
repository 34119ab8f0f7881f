import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTools } from 'agent-bash/tools';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { openPage, packageFile, row } from './support/browser.js';

const TAGS = { tags: ['chromium'] };
const BIN = fileURLToPath(new URL('../../entry/cli.js', import.meta.url));

/** Plays recordings by the command line, and passes the page to `act`. */
async function played(path: string, act: (page: Page, complaints: string[]) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, [BIN, 'live', path], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [url] = await once(child.stdout.setEncoding('utf8'), 'data');
    const { page, complaints } = await openPage(url.trim());
    await act(page, complaints.all);
  } finally {
    child.kill('SIGINT');
    await once(child, 'exit');
  }
}

describe('a replay', TAGS, () => {
  it('has the commands, denials and output of the recording, and goes to any time', async () => {
    const directory = mkdtempSync(join(temporaryDirectory(), 'cast-'));
    const file = join(directory, 'a.cast');
    const tools = createTools('bash', {
      root: directory,
      record: file,
      policy: { mode: 'default', allow: ['Bash(echo:*)', 'Bash(sleep:*)'] },
      approve: () => ({ verdict: 'deny', reason: 'not now' }),
    });
    await tools.call('bash', { command: 'echo one; sleep 0.3; echo two >&2; sleep 0.3; echo three' });
    await tools.call('bash', { command: 'touch x' });
    await tools.dispose();
    await played(file, async (page, complaints) => {
      await row(page, 'touch x').waitFor();
      expect(await row(page, 'touch x').textContent()).toContain('denied');
      await row(page, 'echo one').click();
      await expect.poll(() => page.locator('.out').textContent()).toBe('onetwothree');
      let shown: string | undefined;
      for (let position = 0; shown !== 'one' && position < 5_000; position += 50) {
        await page.getByRole('slider').fill(String(position));
        await page.evaluate(() => new Promise(requestAnimationFrame));
        [shown] = await page.locator('.out').allTextContents();
      }
      expect(shown).toBe('one');
      expect(await row(page, 'touch x').count()).toBe(0);
      await expect.poll(() => page.locator('.status').textContent()).toContain('running');
      expect(complaints).toEqual([]);
    });
  });

  it('of a directory has the commands of all its files, and shows terminals', async () => {
    const directory = mkdtempSync(join(temporaryDirectory(), 'casts-'));
    await using jobs = new Jobs({ record: { directory: join(directory, 'c') } });
    await jobs.start('echo text; echo bad >&2').result;
    await jobs.start('printf "\\e[5;5Hplaced"', { pty: { cols: 60, rows: 10 } }).result;
    await jobs.dispose();
    expect(readdirSync(join(directory, 'c'))).toHaveLength(2);
    await played(join(directory, 'c'), async (page) => {
      await row(page, 'echo text').click();
      await expect.poll(() => page.locator('.line.err').textContent()).toBe('bad');
      await row(page, 'placed').click();
      await expect.poll(() => page.locator('.xterm-rows').textContent()).toContain('placed');
      expect(await page.locator('.facts').textContent()).toContain('60 × 10');
    });
  });

  it.each([
    ['{"version":2,"width":80,"height":24}\n', ':1: expected the header'],
    ['{"version":3,"term":{"cols":80,"rows":24}}\n[0.1,"o"\n[0.1,"o","x"]\n', ':2: expected JSON'],
    ['{"version":3,"term":{"cols":80,"rows":24}}\n{"a":1}\n', ':2: expected [interval, code, data]'],
  ])('refuses %j, and names the line', async (text, message) => {
    const file = join(mkdtempSync(join(temporaryDirectory(), 'bad-')), 'x.cast');
    writeFileSync(file, text);
    const { stderr, exitCode } = await run(`"${process.execPath}" "${BIN}" live "${file}"`);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${file}${message}`)]);
  });
});

describe('asciinema-player', TAGS, () => {
  /** Plays a file to its end. Returns the last screen, and the markers. */
  async function playedByAsciinema(file: string): Promise<{ text: string; markers: string[] }> {
    const names: Record<string, string> = {
      '/player.js': packageFile(
        'recording/node_modules/asciinema-player/dist/bundle/asciinema-player.min.js',
      ),
      '/player.css': packageFile('recording/node_modules/asciinema-player/dist/bundle/asciinema-player.css'),
      '/x.cast': file,
    };
    const server = createServer(({ url = '' }, response) => {
      if (names[url] !== undefined) {
        createReadStream(names[url]).pipe(response);
        return;
      }
      response.setHeader('content-type', 'text/html');
      response.end(
        '<!doctype html><link rel="icon" href="data:,"><div id="d"></div><script src="/player.js"></script>',
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { page } = await openPage(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    try {
      return await page.evaluate(
        () =>
          new Promise<{ text: string; markers: string[] }>((resolve, reject) => {
            // biome-ignore lint/suspicious/noExplicitAny: the global of a script.
            const { AsciinemaPlayer } = globalThis as any;
            const markers: string[] = [];
            const place = document.querySelector('#d') as HTMLElement;
            const player = AsciinemaPlayer.create('/x.cast', place, { speed: 50, pauseOnMarkers: false });
            player.addEventListener('marker', ({ label }: { label: string }) => markers.push(label));
            player.addEventListener('error', () => reject(new Error('it can not be played')));
            const report = () => resolve({ text: place.textContent ?? '', markers });
            // The player draws before the next frame.
            player.addEventListener('ended', () =>
              requestAnimationFrame(() => requestAnimationFrame(report)),
            );
            player.play();
          }),
      );
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  it('plays the recording of a terminal to the screen that the engine has', async () => {
    const file = join(mkdtempSync(join(temporaryDirectory(), 'player-')), 'pty.cast');
    await using jobs = new Jobs();
    const command =
      'for i in 1 2 3 4 5 6; do printf "\\e[$i;${i}Hrow $i"; sleep 0.05; done; printf "\\e[8;1H"';
    const job = jobs.start(command, { pty: { cols: 60, rows: 10 }, record: file });
    await job.result;
    const { text } = await playedByAsciinema(file);
    for (const line of job.screen().lines.filter((each) => each.trim() !== ''))
      expect(text).toContain(line.trim());
  });

  it('plays the recording of several commands, with its markers', async () => {
    const file = join(mkdtempSync(join(temporaryDirectory(), 'player-')), 'all.cast');
    await using jobs = new Jobs({ record: file });
    await jobs.start('echo first').result;
    await jobs.start('echo second; exit 3').result;
    await jobs.dispose();
    const { text, markers } = await playedByAsciinema(file);
    expect(text).toContain('second');
    const own = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('['))
      .map((line) => JSON.parse(line))
      .filter(([, code]) => code === 'm')
      .map(([, , label]) => label);
    expect(own).toContain('exit 3: echo second; exit 3');
    // The player shows no marker at its beginning.
    expect(markers).toEqual(own.slice(1));
  });
});
