import { describe, expect, it } from 'vitest';
import { bash } from '../../index.js';

describe('bash() answers', () => {
  it.each([
    ['true', '\n[Exit code: 0]'],
    ['echo hi', 'hi\n\n[Exit code: 0]'],
    ['printf hi', 'hi\n[Exit code: 0]'],
    ['echo out; echo err >&2', 'out\n\nerr\n\n[Exit code: 0]'],
    ['echo err >&2', 'err\n\n[Exit code: 0]'],
    ['exit 3', '\n[Exit code: 3]'],
    ['kill -TERM $$', '\n[Exit code: 143]'],
    ['kill -KILL $$', '\n[Exit code: 137]'],
    ['cat', '\n[Exit code: 0]'],
  ])('%s', async (command, answer) => {
    expect(await bash({ command }, '/', false)).toBe(answer);
  });

  it('with the output of a program of the allow list in safe mode', async () => {
    expect(await bash({ command: 'wc -c /dev/null' }, '/', true)).toBe('0 /dev/null\n\n[Exit code: 0]');
  });

  it('that another program is not allowed in safe mode', async () => {
    expect(await bash({ command: 'echo hi' }, '/', true)).toBe('Error: Command not allowed in safe mode');
  });

  it('that a quote is not closed in safe mode', async () => {
    expect(await bash({ command: "ls 'a" }, '/', true)).toBe('Error: Invalid command syntax in safe mode');
  });

  it('that the directory is missing', async () => {
    expect(await bash({ command: 'true' }, '/nowhere', false)).toMatch(
      /^Error: Failed to launch process: spawn \S+ ENOENT$/,
    );
  });

  it('with the first 102,400 bytes of more output', async () => {
    expect(await bash({ command: 'head -c 200000 /dev/zero' }, '/', false)).toBe(
      `${'\0'.repeat(102_400)}\n[Output truncated at 100KB]\n[Exit code: 0]`,
    );
  });
});
