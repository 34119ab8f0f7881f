import { describe, expect, it } from 'vitest';
import { bash } from '../../index.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

describe('a process in the background', () => {
  it('with its output redirected does not delay the answer', async () => {
    const seconds = tag();
    const answer = await bash({ command: `sleep ${seconds} >/dev/null 2>&1 & echo started` }, '/', false);
    expect(answer).toBe('started\n\n[Exit code: 0]');
    // While the process is about to execute `sleep`, it has no command line by which it could be found and
    // killed.
    await until(() => living(`sleep\0${seconds}`).length === 1, 'sleep runs');
  });

  it('with its output redirected runs on after the answer', async () => {
    const seconds = tag();
    await bash({ command: `sleep ${seconds} >/dev/null 2>&1 & echo started` }, '/', false);
    // A kill would need a moment: other commands give it one.
    for (let count = 0; count < 20; count++) await bash({ command: 'true' }, '/', false);
    expect(living(`sleep\0${seconds}`)).toHaveLength(1);
  });

  it('in a session of its own, with its output redirected, runs on after the answer', async () => {
    const seconds = tag();
    const command = `setsid sleep ${seconds} >/dev/null 2>&1 & sleep 0.3; echo started`;
    expect(await bash({ command }, '/', false)).toBe('started\n\n[Exit code: 0]');
    await until(() => living(`sleep\0${seconds}`).length === 1, 'the daemon runs');
  });

  it('that writes before it ends is waited for', async () => {
    const command = '(sleep 0.5; echo late) & echo early';
    expect(await bash({ command }, '/', false)).toBe('early\nlate\n\n[Exit code: 0]');
  });
});
