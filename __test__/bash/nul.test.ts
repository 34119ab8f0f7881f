import { describe, expect, it } from 'vitest';
import { bash } from '../../index.js';

describe('a NUL', () => {
  it.each([
    ['in the command', { command: 'echo a\0b' }, '/', false],
    ['in cmd', { cmd: 'echo a\0b' }, '/', false],
    ['in an argument in safe mode', { command: 'cat a\0b' }, '/', true],
    ['in the directory', { command: 'true' }, '/\0', false],
  ])('%s is answered by an error', async (_, args, cwd, safeMode) => {
    expect(await bash(args, cwd, safeMode)).toMatch(/^Error: .*null bytes/);
  });

  it('in the output is kept', async () => {
    expect(await bash({ command: "printf 'a\\000b'" }, '/', false)).toBe('a\0b\n[Exit code: 0]');
  });
});
