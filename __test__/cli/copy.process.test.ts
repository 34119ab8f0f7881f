import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { shellTarget } from '../target/shell-target.js';
import { commandLine } from './support.js';

describe.skipIf(process.platform !== 'linux')('agent-bash copy', () => {
  /** The options of a target, and a directory with the path of one on it. */
  function place() {
    const { exec } = shellTarget().options;
    const directory = temporaryDirectory();
    const at = (name: string) => join(directory, name);
    mkdirSync(at('source/lib'), { recursive: true });
    writeFileSync(at('source/lib/a'), 'text\n');
    return { at, target: ['copy', '--target', `exec:${(exec as string[]).join(' ')}`] };
  }

  it('copies a directory there and a file back, and prints nothing without a terminal', async () => {
    const { at, target } = place();
    const to = await commandLine([...target, at('source'), `:${at('there')}`]);
    expect(to).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const from = await commandLine([...target, `:${at('there/lib/a')}`, at('back')]);
    expect(from).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(readFileSync(at('back'), 'utf8')).toBe('text\n');
  });

  it('copies into a directory by its slash, and reports as JSON', async () => {
    const { at, target } = place();
    const { code, stdout } = await commandLine([...target, '--json', `:${at('source')}`, `${at('into')}/`]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ files: 1, bytes: 5, skipped: [] });
    expect(readFileSync(at('into/source/lib/a'), 'utf8')).toBe('text\n');
  });

  it('exits with 1 for a failed copy, and for one that leaves something out', async () => {
    const { at, target } = place();
    const missing = await commandLine([...target, at('none'), `:${at('there')}`]);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toMatch(/^agent-bash: ENOENT.*none/);
    execFileSync('mkfifo', [at('source/pipe')]);
    const without = await commandLine([...target, at('source'), `:${at('there')}`]);
    expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('not copied: pipe (') });
    expect(readFileSync(at('there/lib/a'), 'utf8')).toBe('text\n');
  });

  it.each([
    [['a', ':b'], 'copy needs --target'],
    [['--target', 'ssh:h', 'a'], 'copy needs FROM and TO'],
    [['--target', 'ssh:h', 'a', 'b'], "expected one path of the target, with ':' before it"],
    [['--target', 'ssh:h', ':a', ':b'], "expected one path of the target, with ':' before it"],
    [['--target', 'ssh:h', 'a', ':b', 'c'], "unexpected 'c'"],
    [['--target', 'ssh:h', 'a', ':'], 'expected a path'],
  ])('refuses %j', async (words, message) => {
    const { code, stderr } = await commandLine(['copy', ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
