import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { INDEX } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

/** Runs a program in a host that can write no byte to a file. */
async function underLimit(program: string): Promise<string> {
  const words = ['--fsize=0', process.execPath, '--input-type=module', '-e'];
  const imports = `import { Jobs, run } from ${JSON.stringify(INDEX)};`;
  const run = promisify(execFile)('prlimit', [...words, imports + program]);
  const { stdout } = await run.catch((error) => error);
  return stdout;
}

describe('a host that may not write to files', () => {
  it('runs commands', async () => {
    const stdout = await underLimit(`
      const { status, exitCode, stdout } = await run('echo hi; exit 3');
      console.log(JSON.stringify([status, exitCode, stdout]));
    `);
    expect(JSON.parse(stdout)).toEqual(['exited', 3, 'hi\n']);
  });

  it('leaves no command when it is killed', async () => {
    const seconds = tag();
    const stdout = await underLimit(`
      const job = new Jobs().start('echo begun; exec sleep ${seconds}', { shell: '/bin/sh' });
      job.on('data', (text) => process.stdout.write(text, () => process.kill(process.pid, 'SIGKILL')));
    `);
    expect(stdout).toBe('begun\n');
    await until(() => living(seconds).length === 0, 'the command is gone');
  });
});
