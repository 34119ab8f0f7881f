import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, afterEach } from 'vitest';
import { find } from '../../../scripts/machine.mjs';

/** The complaints of a page, and its actions that no page of ours takes. */
export interface Complaints {
  all: string[];
}

let browser: Promise<Browser> | undefined;
const contexts: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
});

afterAll(async () => {
  await (await browser)?.close();
});

async function launch(): Promise<Browser> {
  // Without a browser, the package is not installed, and the tests are skipped.
  const { chromium } = await import('playwright-core');
  return chromium.launch({
    executablePath: find('chromium') as string,
    // Debian's has no sandbox for root.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}

/** Opens a page. Notes errors, reports of its policy, dialogs, and requests to elsewhere. */
export async function openPage(
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; complaints: Complaints }> {
  browser ??= launch();
  const context = await (await browser).newContext({ viewport: { width: 1200, height: 760 }, ...options });
  contexts.push(context);
  const page = await context.newPage();
  const complaints: Complaints = { all: [] };
  const note = (what: string) => complaints.all.push(what);
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') note(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => note(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    note(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  const { origin } = new URL(url);
  page.on('request', (request) => {
    const asked = request.url();
    if (!asked.startsWith(origin) && !asked.startsWith('blob:')) note(`request: ${asked}`);
  });
  await page.goto(url);
  return { page, complaints };
}

/** Returns the row of the list with a command. */
export function row(page: Page, command: string): Locator {
  return page.locator('button.row', { hasText: command }).first();
}

/** Returns the path of a file of a package that tests install: below `__test__`. */
export function packageFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
