import { readFileSync } from 'node:fs';
import { Live } from 'agent-bash/live';
import { createTools } from 'agent-bash/tools';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { Jobs } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { openPage, packageFile, row } from './support/browser.js';

const TAGS = { tags: ['chromium'] };
const root = temporaryDirectory();
const axe = () => readFileSync(packageFile('browser/node_modules/axe-core/axe.min.js'), 'utf8');
const open: { [Symbol.asyncDispose](): PromiseLike<void> }[] = [];

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

/** Returns a page with commands of every kind and a question. */
async function busyPage(options: Parameters<typeof openPage>[1] = {}) {
  const live = new Live({ control: 'all' });
  const jobs = new Jobs();
  const tools = createTools('bash', { root, approve: live.approve, policy: { mode: 'default' } });
  open.push(live, jobs, tools);
  live.add(jobs);
  live.add(tools);
  const { url } = await live.listen();
  // The rules of axe run in the page, whose policy would not let them in.
  const { page } = await openPage(url, { bypassCSP: true, ...options });
  await jobs.start('echo ok', { cwd: root }).result;
  await jobs.start('echo bad >&2; exit 2', { cwd: root }).result;
  jobs.start('read -rp "name: " n', { cwd: root, pty: true });
  jobs.start(
    'printf "\\e[31mred\\e[32mgreen\\e[33myellow\\e[34mblue\\e[35mmagenta\\e[36mcyan\\e[90mgrey\\e[0m\\n"; sleep 60',
    {
      cwd: root,
    },
  );
  const call = tools.call('bash', { command: 'touch x' });
  await page.locator('.question').waitFor();
  await row(page, 'printf').waitFor();
  return { page, call, jobs };
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe());
  // Buttons of a new question rest at first.
  await page.waitForTimeout(700);
  return page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: the global of a script.
    const { violations: found } = await (globalThis as any).axe.run(document, {
      rules: { region: { enabled: true } },
    });
    return found.flatMap(({ id, nodes }: { id: string; nodes: { html: string; failureSummary: string }[] }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    );
  });
}

describe('the page is accessible', TAGS, () => {
  it.each(['light', 'dark'] as const)('by the rules of axe, in %s', async (colorScheme) => {
    const { page } = await busyPage({ colorScheme });
    expect(await violations(page)).toEqual([]);
    await row(page, 'echo bad').click();
    expect(await violations(page)).toEqual([]);
  });

  it('in 360 pixels, without a scrollbar at its side', async () => {
    const { page } = await busyPage({ viewport: { width: 360, height: 740 } });
    const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(await isWide()).toBe(false);
    await row(page, 'echo bad').click();
    await page.locator('.out').waitFor();
    expect(await isWide()).toBe(false);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: '‹ Commands' }).click();
    await row(page, 'echo bad').waitFor();
  });

  it('offers the lines of a terminal to a screen reader, if that is wanted', async () => {
    const { page } = await busyPage();
    await row(page, 'read -rp').click();
    expect(await page.locator('.xterm-accessibility').count()).toBe(0);
    await page.getByRole('button', { name: 'Screen reader' }).click();
    await page.locator('.xterm-accessibility', { hasText: 'name:' }).waitFor({ state: 'attached' });
  });

  it('by the keyboard alone', async () => {
    const { page, call } = await busyPage();
    await page.keyboard.press('/');
    await page.keyboard.type('echo');
    await expect.poll(() => page.locator('button.row').count()).toBe(2);
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp']) await page.keyboard.press(key);
    await page.locator('.cmd', { hasText: 'echo bad' }).waitFor();
    await page.keyboard.press('Enter');
    const focused = () =>
      page.evaluate(() => document.querySelector('#live')?.shadowRoot?.activeElement?.className ?? '');
    await expect.poll(focused).toBe('out');
    await page.keyboard.press('F6');
    await expect.poll(focused).toBe('question');
    // No single key answers.
    for (const key of ['Enter', ' ', 'y', 'a']) await page.keyboard.press(key);
    expect(await page.locator('.question').count()).toBe(1);
    await page.waitForTimeout(600);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect((await call).isError).toBe(false);
  });
});
