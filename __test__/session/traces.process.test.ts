import type { SessionOptions } from 'agent-bash';
import { describe, expect, it } from 'vitest';
import { within } from '../support/slowness.mjs';
import { SHELLS, session } from './support.js';

const KINDS = SHELLS.flatMap((shell) =>
  (['process', 'state'] as const).map((keep): [string, 'process' | 'state'] => [shell, keep]),
);

/** Returns what a trace shows as commands: its lines without the marks in front. */
function traced(stderr: string): string[] {
  return stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/^\++(\S*> |\s*)/, '').trim());
}

/** Runs the first command, and returns the standard error of the second. */
async function errorsAfter(
  options: SessionOptions,
  first: string,
  second: string,
  timeout = 20_000,
): Promise<string> {
  const shellSession = session(options);
  await shellSession.run(first);
  return (await shellSession.run(second, { timeout })).stderr;
}

describe.each(KINDS)('a session of %s that keeps the %s', (shell, keep) => {
  it('traces the command that switches tracing on', async () => {
    const { stderr } = await session({ shell, keep }).run('set -x; echo one');
    expect(traced(stderr)).toEqual(['echo one']);
  });

  it('traces the next command, and no line of its own', async () => {
    const stderr = await errorsAfter({ shell, keep }, 'set -x', 'echo one\nVALUE=two; echo $VALUE');
    expect(traced(stderr)).toEqual(['echo one', 'VALUE=two', 'echo two']);
  });

  it('traces nothing after a command has switched tracing off', async () => {
    const shellSession = session({ shell, keep });
    await shellSession.run('set -x');
    expect(traced((await shellSession.run('set +x')).stderr)).toEqual(['set +x']);
    expect((await shellSession.run('echo one')).stderr).toBe('');
  });

  it('shows the text of the next command with set -v', async () => {
    const stderr = await errorsAfter({ shell, keep }, 'set -v', 'echo one\necho two');
    expect(stderr.trimEnd()).toBe('echo one\necho two');
  });

  it('traces no line of its own at a timeout', async () => {
    const stderr = await errorsAfter({ shell, keep }, 'set -x', 'sleep 60; echo after', within(300));
    expect(traced(stderr).filter((line) => line !== 'Terminated')).toEqual(['sleep 60']);
  });

  it('traces no line that asks for the statuses of a pipeline', async () => {
    const shellSession = session({ shell, keep });
    await shellSession.run('set -x');
    const { stderr, pipeStatus } = await shellSession.run('false | true', { pipeStatus: true });
    // The two processes write at once, and may mix their lines.
    expect(stderr.replace(/\+*\(eval\):\d+> |[+\s]/g, '')).toMatch(/^(false|true){2}$|^[aeflrstu]{9}$/);
    if (!/\/(da)?sh$/.test(shell)) expect(pipeStatus).toEqual([1, 0]);
  });

  it.each(['fi', 'echo "open', 'echo $((1/0))', 'nosuch', 'f() { nosuch; }; f', 'cat <<END', 'cd /nowhere'])(
    'names no file of its own in the error of %s',
    async (command) => {
      const shellSession = session({ shell, keep });
      const { stderr } = await shellSession.run(command);
      expect(stderr).not.toMatch(/agent-bash/);
      const job = shellSession.start(command);
      let text = '';
      job.on('data', (piece) => {
        text += piece;
      });
      await job.result;
      expect(text).toBe(stderr);
    },
  );
});

describe('a session of zsh', { tags: ['zsh'] }, () => {
  it('gives $? to a command that it traces', async () => {
    const shellSession = session({ shell: '/bin/zsh' });
    await shellSession.run('set -x');
    await shellSession.run('(exit 3)');
    const { stdout, stderr } = await shellSession.run('echo $?');
    expect(stdout).toBe('3\n');
    expect(traced(stderr)).toEqual(['echo 3']);
  });
});

describe('a session of bash', () => {
  it.each([
    ['process', "bash: -c: line 1: syntax error near unexpected token `fi'\nbash: -c: line 1: `fi'\n"],
    [
      'state',
      "/bin/bash: -c: line 1: syntax error near unexpected token `fi'\n/bin/bash: -c: line 1: `fi'\n",
    ],
  ] as const)('says of a syntax error what bash -c says, when it keeps the %s', async (keep, expected) => {
    expect((await session({ shell: '/bin/bash', keep }).run('fi')).stderr).toBe(expected);
  });

  it('leaves the name of a file that a command itself prints', async () => {
    const { stdout } = await session({ shell: '/bin/bash' }).run('echo "$BASH_SOURCE: line"');
    expect(stdout).toMatch(/^\/.*\/agent-bash\..*\/command: line\n$/);
  });
});
