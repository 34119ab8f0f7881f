import { Live } from 'agent-bash/live';
import { createTools } from 'agent-bash/tools';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { Jobs } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { openPage, row } from './support/browser.js';

const TAGS = { tags: ['chromium'] };
const root = temporaryDirectory();
const open: { [Symbol.asyncDispose](): PromiseLike<void> }[] = [];

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

/** Returns a live view with a table, and their page. */
async function watched(control: 'none' | 'approve' | 'all', options: Parameters<typeof openPage>[1] = {}) {
  const live = new Live({ control, title: 'my agent' });
  const jobs = new Jobs({ maxRunning: 50, maxFinished: 1_000 });
  open.push(live, jobs);
  live.add(jobs);
  const listens = await live.listen();
  const { page, complaints } = await openPage(listens.url, options);
  await page.getByText('live', { exact: true }).waitFor();
  return { live, jobs, listens, page, complaints };
}

/** Saves the output of the command, and returns what is in the file. */
async function saved(page: Page): Promise<string> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save .cast' }).click();
  const chunks: Buffer[] = [];
  for await (const chunk of await (await download).createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const output = (page: Page) => page.locator('.out');

describe('the page of a live view', TAGS, () => {
  it('shows the newest running command with its output, its status and its errors', async () => {
    const { jobs, page, complaints } = await watched('none');
    const job = jobs.start('echo one; echo two >&2; read -r x; exit 3', { cwd: root, stdin: 'pipe' });
    await output(page).getByText('one').waitFor();
    expect(await page.locator('.line.err').textContent()).toBe('two');
    expect(await page.locator('.status').textContent()).toMatch(/running|waits/);
    expect(await page.locator('.facts').textContent()).toContain(root);
    job.write('\n');
    await page.locator('.status', { hasText: 'exit 3' }).waitFor();
    expect(await row(page, 'echo one').textContent()).toContain('exit 3');
    expect(new URL(page.url()).hash).toBe('');
    await expect.poll(() => page.title()).toContain('my agent');
    expect(complaints.all).toEqual([]);
  });

  it('filters commands, and stays at the one that was chosen', async () => {
    const { jobs, page } = await watched('none');
    await jobs.start('echo first; exit 1', { cwd: root }).result;
    await jobs.start('echo second', { cwd: root }).result;
    await page.getByRole('button', { name: 'failed' }).click();
    expect(await page.locator('button.row').count()).toBe(1);
    await page.getByRole('button', { name: 'all' }).click();
    await page.getByRole('searchbox').fill('second');
    await expect.poll(() => page.locator('button.row').count()).toBe(1);
    await page.getByRole('searchbox').fill('');
    await row(page, 'echo first').click();
    const later = jobs.start('echo later; sleep 60', { cwd: root });
    await row(page, 'echo later').waitFor();
    expect(await page.locator('.cmd').textContent()).toContain('echo first');
    await page.getByRole('button', { name: 'Follow newest' }).click();
    await page.locator('.cmd', { hasText: 'echo later' }).waitFor();
    later.kill();
  });

  it('follows the end of the output until it is scrolled up', async () => {
    const { jobs, page } = await watched('none');
    const job = jobs.start('seq 500; read -r x; seq 501 600; read -r y', { cwd: root, stdin: 'pipe' });
    await output(page).getByText('500', { exact: true }).waitFor();
    const atEnd = () =>
      output(page).evaluate((place) => place.scrollTop + place.clientHeight >= place.scrollHeight - 40);
    await expect.poll(atEnd).toBe(true);
    await output(page).evaluate((place) => place.scrollTo(0, 0));
    await page.getByRole('button', { name: 'Latest' }).waitFor();
    job.write('\n');
    await output(page).getByText('600', { exact: true }).waitFor({ state: 'attached' });
    expect(await output(page).evaluate((place) => place.scrollTop)).toBe(0);
    await page.getByRole('button', { name: 'Latest' }).click();
    await expect.poll(atEnd).toBe(true);
    job.kill();
  });

  it('ends a command with all of its processes', async () => {
    const { jobs, page } = await watched('all');
    const job = jobs.start('sleep 300 & sleep 301; wait', { cwd: root });
    await page.getByRole('button', { name: 'Kill', exact: true }).click();
    expect((await job.result).signal).toBe('SIGTERM');
    await page.locator('.status', { hasText: 'SIGTERM' }).waitFor();
  });

  it('types into a terminal, and gives it the size of the page', async () => {
    const { jobs, page, complaints } = await watched('all');
    const job = jobs.start('read -rp "name: " n; echo "<$n>"; stty size; sleep 60', { pty: true, cwd: root });
    await page.locator('.facts', { hasText: 'waits for a line: name:' }).waitFor();
    await page.getByRole('button', { name: 'Fit', exact: true }).click();
    await page.getByRole('button', { name: 'Type', exact: true }).click();
    await page.keyboard.type('me');
    await page.keyboard.press('Enter');
    await job.waitForScreen('<me>');
    await job.waitForScreen(/^\d+ \d+$/m);
    const { cols, rows } = job.screen();
    expect(cols).toBeGreaterThan(90);
    expect(job.screen().text).toContain(`${rows} ${cols}`);
    await page.keyboard.press('F6');
    await page.keyboard.type('x');
    expect(job.screen().text).not.toContain('x');
    expect(complaints.all).toEqual([]);
    job.kill();
  });

  it('asks before it pastes several lines', async () => {
    const { jobs, page } = await watched('all');
    const job = jobs.start('cat; sleep 60', { pty: true, cwd: root });
    await page.locator('.xterm-screen').waitFor();
    await page.getByRole('button', { name: 'Type', exact: true }).click();
    const paste = (text: string) =>
      page.locator('.xterm-helper-textarea').evaluate((area, data) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', data);
        area.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true }),
        );
      }, text);
    await paste('rm -rf x\nsecond\n');
    await page.getByText('Paste 3 lines').waitFor();
    expect(job.screen().text).toBe('');
    await page.getByRole('button', { name: 'Paste', exact: true }).click();
    await job.waitForScreen('second');
    await paste('one line');
    await job.waitForScreen('one line');
    job.kill();
  });

  it('can only look with the URL for that', async () => {
    const { jobs, listens } = await watched('all');
    const { page } = await openPage(listens.viewUrl);
    const job = jobs.start('echo hi; sleep 60', { cwd: root, stdin: 'pipe' });
    await output(page).getByText('hi', { exact: true }).waitFor();
    for (const name of ['Kill', 'Type', 'Fit']) {
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    }
    job.kill();
  });

  it('plays the output of an ended command again, and saves it', async () => {
    const { jobs, page } = await watched('none');
    await jobs.start('echo one; sleep 0.4; echo two', { cwd: root }).result;
    await output(page).getByText('two').waitFor();
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('slider').waitFor();
    await expect.poll(() => output(page).textContent()).toBe('one');
    await expect.poll(() => output(page).textContent()).toBe('onetwo');
    await page.getByRole('slider').fill('0');
    await expect.poll(() => output(page).textContent()).toBe('one');
    const [header, ...lines] = (await saved(page))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(header).toMatchObject({ version: 3, term: { cols: 100, rows: 30 } });
    expect(lines.map(([, code, text]) => [code, text])).toEqual([
      ['o', 'one\r\n'],
      ['o', 'two\r\n'],
      ['x', '0'],
    ]);
  });

  it('keeps the latest output alone of a command that writes much', async () => {
    const { jobs, page } = await watched('none');
    const write =
      "for i in 1 2 3 4 5 6 7 8; do head -c 900000 /dev/zero | tr '\\0' x | fold -w 900; sleep 0.2; done";
    await jobs.start(`${write}; echo; echo the end`, { cwd: root }).result;
    await output(page).getByText('the end').waitFor();
    const text = await saved(page);
    expect(text).toContain('the end');
    expect(text.length).toBeLessThan(5_000_000);
    expect(text).toMatch(/"m","gap: \d{4,7} bytes"/);
  });

  it('connects again after a loss, and misses nothing', async () => {
    const { jobs, page } = await watched('none');
    const job = jobs.start('echo before; read -r x; echo after; read -r y', { cwd: root, stdin: 'pipe' });
    await output(page).getByText('before').waitFor();
    await page.context().setOffline(true);
    // The connection that is open stays: the server ends it.
    await page.evaluate(() => window.dispatchEvent(new Event('offline')));
    job.write('\n');
    await page.context().setOffline(false);
    await output(page).getByText('after').waitFor();
    expect(await output(page).textContent()).toBe('beforeafter');
    job.kill();
  });
});

describe('questions at a page', TAGS, () => {
  async function asked(command: string, control: 'none' | 'approve' = 'approve') {
    const live = new Live({ control });
    const tools = createTools('bash', { root, approve: live.approve, policy: { mode: 'default' } });
    open.push(live, tools);
    live.add(tools);
    const { url } = await live.listen();
    const { page, complaints } = await openPage(url);
    await page.getByText('live', { exact: true }).waitFor();
    return { page, complaints, tools, call: tools.call('bash', { command }) };
  }

  it('show the whole command, and are answered once it was seen', async () => {
    const { page, call, complaints } = await asked('touch a  # \u202e hidden');
    const card = page.locator('.question');
    expect(await card.locator('.whole').textContent()).toBe('touch a  # \\u202e hidden');
    const allow = card.getByRole('button', { name: 'Allow once' });
    await page.waitForFunction(
      () =>
        (document.querySelector('#live')?.shadowRoot?.querySelector('.answers button') as HTMLButtonElement)
          ?.disabled === false,
    );
    await expect.poll(() => page.title()).toContain('(1)');
    await allow.click();
    expect((await call).isError).toBe(false);
    await card.waitFor({ state: 'detached' });
    expect(complaints.all).toEqual([]);
  });

  it('keep their buttons from a click that was meant for something else', async () => {
    const { page, call } = await asked('touch b');
    const allow = page.getByRole('button', { name: 'Allow once' });
    await allow.waitFor();
    expect(await allow.isDisabled()).toBe(true);
    await allow.click();
    expect((await call).isError).toBe(false);
  });

  it('may be allowed for the toolset: the second call is not asked about', async () => {
    const { page, call, tools } = await asked('npm install left-pad --dry-run --offline --version');
    const all = page.getByRole('button', { name: 'Allow for toolset' });
    expect(await all.textContent()).toMatch(/Bash\(npm install:?\*?/);
    await all.click();
    await call;
    await tools.call('bash', { command: 'npm install left-pad --dry-run --offline --version' });
    expect(await page.locator('.question').count()).toBe(0);
  });

  it('are denied with a reason, which the model reads', async () => {
    const { page, call } = await asked('touch c');
    await page.getByRole('button', { name: 'Deny…' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('use make');
    await page.keyboard.press('Enter');
    const { isError, text } = await call;
    expect([isError, text]).toEqual([true, expect.stringContaining('use make')]);
    await row(page, 'touch c').waitFor();
    expect(await row(page, 'touch c').textContent()).toContain('denied');
  });
});
