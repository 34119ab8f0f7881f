import { describe, expect, it } from 'vitest';
import { Jobs } from '../../index.js';

const PTY = { cols: 20, rows: 5 };

describe('text that is longer than a row', () => {
  it('is found by waitForScreen(), and is one line of the text', async () => {
    await using table = new Jobs();
    const url = `https://example.com/${'0123456789'.repeat(5)}`;
    const job = table.start(`printf 'open ${url}\\nnow'; sleep 1000`, { pty: PTY });
    const { status, match, screen } = await job.waitForScreen(/https:\S+0123456789\n/, { timeout: 20_000 });
    expect({ status, match }).toEqual({ status: 'matched', match: [`${url}\n`] });
    expect(screen.text).toBe(`open ${url}\nnow`);
    expect(screen.lines[0]).toBe('open https://example');
  });

  it('keeps the blanks where a row ends', async () => {
    await using table = new Jobs();
    const job = table.start("printf 'twenty characters   and more'; sleep 1000", { pty: PTY });
    const { status } = await job.waitForScreen('twenty characters   and more', { timeout: 20_000 });
    expect(status).toBe('matched');
  });

  it('is two lines where a line ends at the margin', async () => {
    await using table = new Jobs();
    const job = table.start("printf '01234567890123456789\\nend'; sleep 1000", { pty: PTY });
    const { screen } = await job.waitForScreen('end', { timeout: 20_000 });
    expect(screen.text).toBe('01234567890123456789\nend');
  });

  it('is one line of the scrollback too', async () => {
    await using table = new Jobs();
    const line = '0123456789'.repeat(5);
    const job = table.start(`printf '${line}\\n1\\n2\\n3\\n4\\nend'; sleep 1000`, { pty: PTY });
    await job.waitForScreen('end', { timeout: 20_000 });
    expect(job.screen({ scrollback: 100 }).text).toBe(`${line}\n1\n2\n3\n4\nend`);
  });

  it.skipIf(process.platform !== 'linux')(
    'is the whole prompt of a program that waits for an answer',
    async () => {
      await using table = new Jobs();
      const prompt = 'Replace each of the files in the directory? ';
      const job = table.start(`printf '${prompt}'; read answer`, { pty: PTY });
      await job.waitForScreen('directory?', { timeout: 20_000 });
      await expect
        .poll(async () => (await job.waiting())?.prompt.trim(), { timeout: 20_000 })
        .toBe(prompt.trim());
    },
  );
});

describe('a synchronized update without an end', () => {
  it.each([{ pattern: 'hello' as const }, { pattern: 'idle' as const, options: { idle: 20 } }])(
    'is seen by waitForScreen($pattern) after a time',
    async ({ pattern, options }) => {
      await using table = new Jobs();
      const job = table.start("printf 'before\\033[?2026h hello'; sleep 1000", { pty: PTY });
      await job.waitForScreen('before', { timeout: 20_000 });
      const { status, screen } = await job.waitForScreen(pattern, { timeout: 20_000, ...options });
      expect({ status, text: screen.text }).toEqual({
        status: pattern === 'idle' ? 'idle' : 'matched',
        text: 'before hello',
      });
    },
  );

  it('has another revision once it is seen', async () => {
    await using table = new Jobs();
    const job = table.start("printf 'before\\033[?2026h hello'; sleep 1000", { pty: PTY });
    const { screen } = await job.waitForScreen('before', { timeout: 20_000 });
    const later = (await job.waitForScreen('hello', { timeout: 20_000 })).screen;
    expect(later.revision > screen.revision || later.text === screen.text).toBe(true);
  });
});
