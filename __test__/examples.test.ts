import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { has } from '../scripts/machine.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = `${ROOT}examples/`;

/** `process.env` without the variables that reveal a test runner. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_ENV$|NODE_OPTIONS$)/.test(name)),
);

/** Runs Node.js and returns its standard output; rejects if the exit code is not 0. */
async function node(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
  return stdout;
}

/** The output that each example must print. */
const PRINTS: Record<string, string | RegExp> = {
  'commonjs.cjs': 'MIT License\n\n[Exit code: 0]\n',
  'demo.mjs': new RegExp(
    [
      '\\[exit code: 2\\]\n',
      'timeout after \\d+ ms; processes left: 0\n',
      'background; so far: "fetch\\\\n"\n  exited with exit code 0: "fetch\\\\ncompile\\\\nlink\\\\n"\n',
      '/usr/pwned: Read-only file system\n',
      '-echo Hello\n  \\+echo Good morning\n',
      'error TS2304: Cannot find name "foo"',
    ].join('[\\s\\S]+'),
  ),
  'iterate.mjs': 'starting\nlistening on port 8080\nstatus aborted, signal SIGTERM\n',
  'jobs.mjs': [
    'job-1: listening on port 8080',
    'job-2: background, so far: compiling',
    'done: job-2 is over, job-1 runs',
    'compiling\ndone',
    'job-1: signaled by SIGTERM\n',
  ].join('\n'),
  'one-answer.mjs': new RegExp(
    [
      '^to stdout\n\nto stderr\n\n\\[Exit code: 3\\]\n',
      '0 /dev/null\n\n\\[Exit code: 0\\]\n',
      'Error: Command not allowed in safe mode\n',
      'Error: Failed to launch process: spawn \\S+ ENOENT\n$',
    ].join(''),
  ),
  'overlay.mjs':
    /\n-echo Hello\n\+echo Good morning\n[\s\S]+\naccepted: greet.sh, output.txt; in the project: greet.sh, notes.txt, output.txt\n$/,
  'run.mjs': [
    "{ exitCode: 3, stdout: 'to stdout\\n', stderr: 'to stderr\\n' }",
    'a b\n$HOME\n*',
    'timeout by SIGTERM: begun',
    '1\n2\n3\n4\n5\n[... 3874 bytes (993 lines) omitted ...]\n999\n1000',
    'Command failed with exit code 1: echo no luck >&2; exit 1\nno luck 1\n',
  ].join('\n'),
  'stream.mjs':
    'stdout: one\nstderr: two\nexit: code 3, signal null, status exited\nbytes: 4 of stdout, 4 of stderr\n',
};

describe('an example', () => {
  const canSandbox = has('sandbox');

  it.for(Object.entries(PRINTS))('prints the expected text: %s', async ([name, expected], { skip }) => {
    const needsSandbox = name === 'demo.mjs' || name === 'overlay.mjs';
    skip(needsSandbox && !canSandbox, 'this machine has no sandbox (npm run doctor)');
    const printed = await node(FOLDER + name);
    if (typeof expected === 'string') expect(printed).toBe(expected);
    else expect(printed).toMatch(expected);
  });

  it('compiles in TypeScript', async () => {
    const options = '--ignoreConfig --noEmit --strict --exactOptionalPropertyTypes --target es2023';
    const modules = '--module nodenext --lib es2023,esnext.disposable --types node';
    const tsc = `${ROOT}node_modules/typescript/bin/tsc`;
    expect(await node(tsc, ...options.split(' '), ...modules.split(' '), `${FOLDER}typescript.ts`)).toBe('');
  });

  it('is in this list', () => {
    expect(readdirSync(FOLDER).sort()).toEqual([...Object.keys(PRINTS), 'typescript.ts'].sort());
  });
});
