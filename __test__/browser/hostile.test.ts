import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Live } from 'agent-bash/live';
import { afterEach, describe, expect, it } from 'vitest';
import { Jobs } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { openPage } from './support/browser.js';

const TAGS = { tags: ['chromium'] };
const root = temporaryDirectory();
const open: { [Symbol.asyncDispose](): PromiseLike<void> }[] = [];

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const ATTACKS = [
  '<img src=x onerror=alert(1)>',
  '</script><script>alert(2)</script>',
  '\x1b]0;stolen title\x07',
  '\x1b]8;;https://evil.example/\x07click\x1b]8;;\x07',
  '\x1b]52;c;c3RvbGVu\x07',
  '\x1bP+q544e\x1b\\',
  '\x9b6n\x1b[6n\x1b[c\x1b[>q\x1b[21t',
  '\x1b]10;?\x07',
  'a\u202ebc\u2066d',
].join('\n');

async function watched() {
  const live = new Live({ control: 'all', title: 'my agent' });
  const jobs = new Jobs();
  open.push(live, jobs);
  live.add(jobs);
  return { live, jobs, ...(await live.listen()) };
}

describe('hostile output', TAGS, () => {
  it.each([false, true])('does nothing but show its text, in a terminal: %s', async (pty) => {
    const { live, jobs, url } = await watched();
    const { page, complaints } = await openPage(url, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.evaluate(() => navigator.clipboard.writeText('before'));
    const typed: string[] = [];
    (async () => {
      for await (const event of live) if (event.type === 'input') typed.push(event.by);
    })();
    const job = jobs.start('printf %s "$ATTACK"; printf "\\nend of it\\n"; cat > /dev/null', {
      cwd: root,
      env: { ATTACK: ATTACKS },
      ...(pty ? { pty: true } : { stdin: 'pipe' }),
    });
    await expect.poll(() => page.locator(pty ? '.xterm-rows' : '.out').textContent()).toContain('end of it');
    await page.getByRole('button', { name: 'Type', exact: true }).click();
    await page.waitForTimeout(300);
    // The engine's terminal has answered the queries, and `cat` has that in its line.
    if (pty) job.write('\x04\x04');
    else job.end();
    await job.result;
    // An answer of the page's terminal would be typed.
    expect(typed).not.toContain('page');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('before');
    await expect.poll(() => page.title()).toMatch(/^(● )?my agent$/);
    expect(page.context().pages()).toHaveLength(1);
    expect(await page.locator('img, a[href*="evil"], script[src*="evil"]').count()).toBe(0);
    expect(complaints.all).toEqual([]);
  });

  it('of 10 MB in one line, and of a character that was cut, leaves the page usable', async () => {
    const { jobs, url } = await watched();
    const { page, complaints } = await openPage(url);
    await jobs.start("head -c 10000000 /dev/zero | tr '\\0' x; printf '\\n\\342\\202'", { cwd: root }).result;
    await page.locator('.status', { hasText: 'exit 0' }).waitFor();
    await page.locator('.line.gap').first().waitFor();
    const later = jobs.start('echo still usable', { cwd: root });
    await later.result;
    await page.locator('button.row', { hasText: 'still usable' }).click();
    await page.locator('.out').getByText('still usable').waitFor();
    expect(complaints.all).toEqual([]);
  });

  it('in the name of a command and in a denial is shown as characters', async () => {
    const { jobs, url } = await watched();
    const { page, complaints } = await openPage(url);
    await jobs.start(': "<img src=x onerror=alert(1)>" \u202e\u0007', { cwd: root }).result;
    await page.locator('.cmd', { hasText: '\\u202e\\u0007' }).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(complaints.all).toEqual([]);
  });
});

describe('a page of another origin', TAGS, () => {
  it('gets nothing by fetch, script, frame, form or a name that leads here', async () => {
    const { jobs, url } = await watched();
    const job = jobs.start('read -r x; exit 9', { cwd: root, stdin: 'pipe' });
    const { origin, hash, port } = new URL(url);
    const other = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><p>evil</p>');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { page } = await openPage(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    const token = hash.slice(1);
    const found = await page.evaluate(
      async ([target, secret]) => {
        const tried = (promise: Promise<Response>) =>
          promise.then(
            (response) => response.type,
            () => 'refused',
          );
        const headers = { authorization: `Bearer ${secret}` };
        const fetched = await tried(fetch(`${target}/stream`, { headers }));
        const simple = await tried(fetch(`${target}/send`, { method: 'POST', body: '{}' }));
        const script = await new Promise((resolve) => {
          const made = document.createElement('script');
          made.src = `${target}/component.mjs`;
          made.onload = () => resolve('loaded');
          made.onerror = () => resolve('refused');
          document.body.append(made);
        });
        const frame = document.createElement('iframe');
        frame.src = `${target}/#${secret}`;
        // Also the page in the place of a refused one is loaded.
        const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
        document.body.append(frame);
        await loaded;
        return { fetched, simple, script, frames: window.frames.length };
      },
      [origin, token],
    );
    expect(found).toMatchObject({ fetched: 'refused', simple: 'refused', script: 'refused' });
    const framed = page.frames().find((frame) => frame !== page.mainFrame());
    expect(await framed?.locator('#live').count()).toBe(0);
    // A name of the attacker for 127.0.0.1, which its own DNS would give.
    const named = spawn('curl', [
      '-s',
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      '--resolve',
      `evil.example:${port}:127.0.0.1`,
      '-H',
      `Authorization: Bearer ${token}`,
      `http://evil.example:${port}/stream`,
    ]);
    let code = '';
    for await (const chunk of named.stdout) code += chunk;
    expect(code).toBe('421');
    job.write('\n');
    expect((await job.result).exitCode).toBe(9);
    other.close();
  });
});
