import { execFile } from 'node:child_process';
import { INDEX, PROCESSES } from '../support/node.js';

/** Returns whether this machine allows the test to change its user and to mount. */
export const isRoot = process.getuid?.() === 0;

/**
 * The beginning of a program for `askNode` that breaks something: an engine that has run commands already,
 * and
 *
 * - `calm()`: what this process has when nothing runs;
 * - `limit(name, soft)`: lowers or raises one of its soft limits, as `prlimit` names it;
 * - `limitLater(name, soft)`: gives a function that does so and needs no new process for it;
 * - `exhaust(free)`: takes all descriptors but so many, and gives a function that returns them;
 * - `print(value)`: the answer.
 */
export const SETUP = `
  import { Jobs, run } from ${JSON.stringify(INDEX)};
  import { execFileSync, spawn } from 'node:child_process';
  import { closeSync, openSync } from 'node:fs';

  const limit = (name, soft) => {
    execFileSync('prlimit', ['--pid', String(process.pid), '--' + name + '=' + soft + ':']);
  };
  const limitLater = (name, soft) => {
    const raise = 'read line; exec prlimit --pid ' + process.pid + ' --' + name + '=' + soft + ':';
    const child = spawn('sh', ['-c', raise], { stdio: ['pipe', 'ignore', 'inherit'] });
    return () => new Promise((resolve) => {
      child.on('close', resolve);
      child.stdin.end('\\n');
    });
  };
  const exhaust = (free) => {
    const taken = [];
    try {
      for (;;) taken.push(openSync('/dev/null'));
    } catch {
      for (const descriptor of taken.splice(0, free)) closeSync(descriptor);
    }
    return () => taken.forEach((descriptor) => closeSync(descriptor));
  };
  const calm = async () => {
    await until(isCalm, 'nothing runs');
    return resources();
  };
  const print = (value) => console.log(JSON.stringify(value));
  const warmUp = async () => {
    // Node keeps a descriptor from its own first child.
    execFileSync('true');
    const table = new Jobs();
    await Promise.all(Array.from({ length: 20 }, () => run('true')));
    await table.start('true').result;
    await table.dispose();
  };
`;

/**
 * Runs a program in a mount namespace of its own, after this shell command, and gives the JSON that it
 * prints.
 */
export async function askNodeWithMounts<T>(prepare: string, program: string): Promise<T> {
  const imports = `
    import { bash, BashJob } from ${JSON.stringify(INDEX)};
    import { resources, children, living, until } from ${JSON.stringify(PROCESSES)};
  `;
  const node = [process.execPath, '--input-type=module', '-e', imports + program];
  return askIn(['--mount', 'sh', '-c', `${prepare} && exec "$@"`, 'sh', ...node]);
}

/** Runs a program in a PID namespace that has the /proc of this one, and gives the JSON that it prints. */
export function askNodeWithForeignProc<T>(program: string): Promise<T> {
  return askIn(['--pid', '--fork', process.execPath, '--input-type=module', '-e', program]);
}

async function askIn<T>(words: string[]): Promise<T> {
  const stdout = await new Promise<string>((resolve, reject) => {
    execFile('unshare', words, { timeout: 50_000 }, (error, text, errors) => {
      if (error === null) resolve(text);
      else reject(new Error(`${error.message}: ${errors}`));
    });
  });
  return JSON.parse(stdout) as T;
}
