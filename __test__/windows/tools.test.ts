import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTools, dialects } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { check, checkPolicy, findLines, readLines, readOnly, run, view } from '../../index.js';
import { temporaryDirectory } from './support.ts';

describe('policies on Windows', () => {
  it('deny what is dangerous', () => {
    expect(check('rm -rf /', { policy: {} })).toMatchObject({ verdict: 'deny', code: 'DANGEROUS' });
  });

  it('allow by a rule', () => {
    expect(check('git status', { policy: { allow: ['Bash(git status)'] } }).verdict).toBe('allow');
  });

  it('know queries', () => {
    expect(readOnly('ls -la')).toBe(true);
    expect(readOnly('rm x')).toBe(false);
  });

  it('find a wrong rule', () => {
    expect(() => checkPolicy({ allow: ['Bash(ls'] })).toThrow(/allow\[0\]/);
  });

  it('refuse a command', async () => {
    const { status } = await run('rm -rf /', { policy: {} });
    expect(status).toBe('denied');
  });
});

describe('views on Windows', () => {
  it('are made of texts', async () => {
    const text = Array.from({ length: 1000 }, (_, index) => `line ${index}`).join('\n');
    expect((await view(text, { maxBytes: 1000 })).text.length).toBeLessThan(1001);
  });

  it('read lines of files', async () => {
    const file = join(temporaryDirectory(), 'grüße.txt');
    writeFileSync(file, 'one\r\ntwo\r\nthree\r\n');
    expect(await readLines(file, 2, 2)).toMatchObject({ from: 2, to: 2 });
    expect(await findLines(file, 'three')).toMatchObject({ total: 1 });
  });
});

describe('tools on Windows', () => {
  it('are there in each dialect', () => {
    expect(dialects.length).toBeGreaterThan(5);
  });

  it.each([...dialects])('run the usual call of a model: %s', async (dialect) => {
    const command = 'echo hello';
    const usual: Record<string, object> = {
      'openai-shell': { commands: [command] },
      'openai-local-shell': { command: ['bash', '-lc', command] },
      'codex-shell': { command: ['bash', '-lc', command] },
      'codex-exec': { cmd: command },
    };
    const toolset = createTools(dialect as 'bash', { session: 'none' });
    const [tool] = toolset.tools;
    const answer = await tool?.execute((usual[dialect] ?? { command }) as never);
    expect(JSON.stringify(answer)).toContain('hello');
    await toolset.dispose?.();
  });

  it('keep a state where a dialect keeps a shell elsewhere', async () => {
    const toolset = createTools('anthropic-bash');
    const [tool] = toolset.tools;
    expect(JSON.stringify(await tool?.execute({ command: 'echo hello' }))).toContain('hello');
    await toolset.dispose();
  });

  it('say which shell they have, and which paths', () => {
    const usual = createTools('bash');
    expect(usual.tools[0]?.description).toContain('Commands run on Windows, by bash of Git for Windows');
    expect(usual.instructions).toContain('C:/dir');
    const named = createTools('bash', { shell: String.raw`C:\tools\dash.exe` });
    expect(named.tools[0]?.description).toContain('by dash.');
  });
});
