import { rmSync } from 'node:fs';
import { afterAll, describe, it } from 'vitest';
import { expectSame } from './difference.js';
import { addon } from './engines.js';
import { withEnvironment } from './environment.js';
import { oracle } from './oracle.js';
import { temporaryDirectory } from './runner.js';

const root = temporaryDirectory();
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** In a worker, process.env has no order of its own. */
describe('the environment of a process', () => {
  it('reaches a program in the order in which the host has it', async () => {
    const none = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
    const variables = { ...none, Z_FIRST: '1', PATH: '/usr/bin:/bin', A_LATER: '2', z_last: '3' };
    const args = { command: 'cat /proc/self/environ' };
    const expected = withEnvironment(variables, () => oracle(args, root, true));
    const actual = withEnvironment(variables, () => addon(args, root, true));
    expectSame(await actual, await expected);
  });
});
