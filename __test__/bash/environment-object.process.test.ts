import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { askNode, INDEX } from '../support/node.js';

/** Returns the ONLY and HOME of a command while `process.env` is the value of this expression. */
function seen(expression: string): Promise<string> {
  return askNode(`
    const own = process.env;
    own.HOME = '/own';
    // Once with the process's own, so that it is known.
    await bash({ command: 'true' }, '/');
    const changed = ${expression};
    process.env = changed;
    console.log(JSON.stringify(await bash({ command: 'echo "\${ONLY-none} \${HOME-none}"' }, '/')));
  `);
}

describe('process.env', () => {
  it.each([
    ['itself, changed', "(own.ONLY = 'itself', own)", 'itself /own'],
    ['itself, with one variable less', '(delete own.HOME, own)', 'none none'],
    ['an object in its place', "({ PATH: own.PATH, ONLY: 'object' })", 'object none'],
    ['a frozen object', "Object.freeze({ PATH: own.PATH, ONLY: 'frozen' })", 'frozen none'],
    ['a copy that was changed', "({ ...own, ONLY: 'copy' })", 'copy /own'],
    [
      'a proxy',
      "new Proxy(own, { get: (env, name) => (name === 'HOME' ? '/proxy' : env[name]) })",
      'none /proxy',
    ],
    [
      'an object without a prototype',
      "Object.assign(Object.create(null), { PATH: own.PATH, ONLY: 'bare' })",
      'bare none',
    ],
  ])('is what a command gets: %s', async (_name, expression, expected) => {
    // zsh sets HOME by itself where there is none.
    const answer = await seen(expression);
    const [line = ''] = answer.split('\n');
    expect(expected.endsWith(' none') ? line.split(' ')[0] : line).toBe(
      expected.endsWith(' none') ? expected.split(' ')[0] : expected,
    );
  });

  it('has the names that a command gets, and no others', async () => {
    const program = `
      require(${JSON.stringify(INDEX)}).run(['/usr/bin/env', '-0']).then(({ stdout }) => {
        const names = stdout.split('\\0').slice(0, -1).map((line) => line.slice(0, line.indexOf('=')));
        console.log(JSON.stringify([names.sort(), Object.keys(process.env).sort()]));
      });`;
    // A name that is no text: Node leaves it out.
    const { stdout } = await promisify(execFile)('/bin/bash', [
      '-c',
      `exec env $'A\\xff=1' B=2 "$0" -e "$1"`,
      process.execPath,
      program,
    ]);
    const [given, own] = JSON.parse(stdout);
    expect(given).toEqual(own);
    expect(given).toContain('B');
  });
});
