import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';

const ROOT = new URL('../..', import.meta.url).pathname;

/** Prints the calls of the addon during the second call of a tool with these options. */
const program = (options: object) => `
  const native = require('./native.cjs');
  let calls = [];
  const counted = (name, call) => function (...given) { calls.push(name); return call.apply(this, given); };
  for (const [name, value] of Object.entries(native)) {
    const methods = Object.entries(Object.getOwnPropertyDescriptors(value?.prototype ?? {}));
    for (const [method, { value: call }] of methods) {
      if (method !== 'constructor' && typeof call === 'function') value.prototype[method] = counted(method, call);
    }
    if (typeof value === 'function' && methods.length < 2) native[name] = counted(name, value);
  }
  const { createTool } = require('./entry/tools.js');
  const tool = createTool('bash', ${JSON.stringify(options)});
  (async () => {
    await tool.execute({ command: 'true' });
    calls = [];
    const { text } = await tool.execute({ command: 'echo hi' });
    console.log(JSON.stringify({ text, calls: calls.filter((name) => name !== 'keepAlive') }));
  })();
`;

/** Returns the calls of the addon during a call of a tool. */
async function crossings(options: object): Promise<string[]> {
  const cwd = temporaryDirectory();
  const source = program({ root: cwd, cwd, ...options });
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', source], { cwd: ROOT });
  const { text, calls } = JSON.parse(stdout);
  expect(text).toContain('hi');
  return calls;
}

const ONCE = ['plan', 'run', 'answer'];

it('a call of a tool asks the addon for its plan, its command and its answer', async () => {
  expect(await crossings({})).toEqual(ONCE);
});

it('a call in a sandbox asks for no more', { tags: ['sandbox'] }, async () => {
  expect(await crossings({ sandbox: 'workspace-write' })).toEqual(ONCE);
});
