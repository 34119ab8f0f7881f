import { existsSync } from 'node:fs';
import { run } from 'agent-bash';
import { describe, expect, it } from 'vitest';

const SHELLS = ['/bin/bash', '/bin/zsh'].filter((path) => existsSync(path));

describe.each(SHELLS)('run() with pipeStatus in %s', (shell) => {
  it.each([
    ['false | true', 0, [1, 0]],
    ['true | false | (exit 7)', 7, [0, 1, 7]],
    ['cd / && exit 3 | cat; true | sh -c "exit 4"', 4, [0, 4]],
    ['set -o pipefail; (exit 5) | cat', 5, [5, 0]],
    ["sh -c 'kill -9 $$' | cat # comment", 0, [137, 0]],
    ['for i in 1 2; do echo $i; done | grep -q 2', 0, [0, 0]],
  ])('reports the statuses of %s', async (command, exitCode, pipeStatus) => {
    const result = await run(command, { shell, pipeStatus: true });
    expect(result).toMatchObject({ command, exitCode, pipeStatus, stdout: '', stderr: '' });
  });

  it.each([
    ['echo x', 0],
    ['true | true; false', 1],
    ['false && true | true', 1],
    ['true | true || true', 0],
    ['cat <<E | cat\nx\nE', 0],
    ['trap "" EXIT; true | true', 0],
    ['exit 3 | true; exit 4', 4],
  ])('has none for %s', async (command, exitCode) => {
    const result = await run(command, { shell, pipeStatus: true });
    expect(result).toMatchObject({ exitCode, pipeStatus: null });
  });

  it('has the output and errors that the command has without it', async () => {
    const command = 'echo out; nosuchprogram | cat; { echo a; echo b >&2; } | cat -';
    const { pipeStatus, ...asked } = await run(command, { shell, pipeStatus: true });
    const { exitCode, signal, status, stdout, stderr, backgroundPids } = await run(command, { shell });
    expect(pipeStatus).toEqual([0, 0]);
    expect(asked).toMatchObject({ command, exitCode, signal, status, stdout, stderr, backgroundPids });
  });
});

describe('run() with pipeStatus', () => {
  it('reports none in a shell without them, and for words', async () => {
    expect(await run('false | true', { shell: '/bin/dash', pipeStatus: true })).toMatchObject({
      exitCode: 0,
      pipeStatus: null,
    });
    expect(await run(['echo', 'a | b'], { pipeStatus: true })).toMatchObject({ pipeStatus: null });
  });

  it('reports none when the command is ended early', async () => {
    const result = await run('sleep 100 | cat', { shell: '/bin/sh', pipeStatus: true, timeout: 50 });
    expect(result).toMatchObject({ status: 'timeout', pipeStatus: null });
  });

  it('is not in a result that was not asked for it', async () => {
    expect(await run('true | true')).not.toHaveProperty('pipeStatus');
  });

  it('refuses what is no boolean', async () => {
    await expect(run('true', { pipeStatus: 1 as never })).rejects.toThrow(/options\.pipeStatus/);
  });
});
