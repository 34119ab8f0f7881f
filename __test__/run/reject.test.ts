import { describe, expect, it } from 'vitest';
import { CommandError, Jobs, type RunOptions, run } from '../../index.js';
import { within } from '../support/slowness.mjs';

/** Time for a command to write before it is ended (ms). */
const SOON = within(600);

async function rejection(command: string | string[], options: RunOptions = {}): Promise<CommandError> {
  const error: unknown = await run(command, { ...options, reject: true }).then(
    (result) => result,
    (reason) => reason,
  );
  if (!(error instanceof CommandError)) throw new Error(`no CommandError: ${JSON.stringify(error)}`);
  return error;
}

describe('reject', () => {
  it('resolves for an exit with 0', async () => {
    const result = await run('echo out; echo err >&2', { reject: true });
    expect([result.status, result.stdout, result.stderr]).toEqual(['exited', 'out\n', 'err\n']);
  });

  it('resolves for a command that goes on in the background', async () => {
    await using jobs = new Jobs();
    const options = { timeout: 50, onTimeout: 'background', jobs, reject: true } as const;
    expect((await run('sleep 60', options)).status).toBe('background');
  });

  it.each([
    [
      'another exit code',
      'echo out; echo err >&2; exit 3',
      {},
      'exited',
      'Command failed with exit code 3: echo out; echo err >&2; exit 3',
      'err',
      undefined,
    ],
    [
      'another exit code without standard error',
      'echo out; exit 255',
      {},
      'exited',
      'Command failed with exit code 255: echo out; exit 255',
      'out',
      undefined,
    ],
    [
      'another exit code without a word',
      'exit 1',
      {},
      'exited',
      'Command failed with exit code 1: exit 1',
      '',
      undefined,
    ],
    [
      'a death by signal',
      'echo last words; kill -KILL $$',
      {},
      'signaled',
      'Command was killed with SIGKILL: echo last words; kill -KILL $$',
      'last words',
      undefined,
    ],
    [
      'a timeout',
      'echo out; exec sleep 60',
      { timeout: SOON },
      'timeout',
      `Command timed out after ${SOON} ms: echo out; exec sleep 60`,
      'out',
      undefined,
    ],
    [
      'silence',
      'echo out; exec sleep 60',
      { idleTimeout: SOON, timeout: 60_000 },
      'idleTimeout',
      `Command timed out after ${SOON} ms without output: echo out; exec sleep 60`,
      'out',
      undefined,
    ],
    [
      'a signal that had fired',
      'echo never',
      { signal: AbortSignal.abort() },
      'aborted',
      'Command was aborted: echo never',
      '',
      'ABORT_ERR',
    ],
    [
      'a missing directory',
      'echo never',
      { cwd: '/no/such' },
      'failed',
      'Command failed: the working directory does not exist: /no/such: echo never',
      '',
      'CWD_MISSING',
    ],
    [
      'a missing program',
      ['/no/such', 'a b'],
      {},
      'failed',
      "Command failed: spawn /no/such ENOENT: /no/such 'a b'",
      '',
      'ENOENT',
    ],
  ] as Array<[string, string | string[], RunOptions, string, string, string, string | undefined]>)(
    'rejects for %s',
    async (_, command, options, status, shortMessage, output, code) => {
      const error = await rejection(command, options);
      expect(error).toBeInstanceOf(Error);
      expect(error.name).toBe('CommandError');
      expect(error.shortMessage).toBe(shortMessage);
      expect(error.message).toBe(output === '' ? shortMessage : `${shortMessage}\n${output}`);
      expect(error.code).toBe(code);
      expect(error.result.status).toBe(status);
      expect(error.result.error?.code).toBe(code);
    },
  );

  it('rejects for an abort while the command runs', async () => {
    const error = await rejection('exec sleep 60', { signal: AbortSignal.timeout(600) });
    expect(error.shortMessage).toBe('Command was aborted: exec sleep 60');
    expect(error.result.status).toBe('aborted');
  });

  it('rejects with the whole result', async () => {
    const { result } = await rejection('echo out; echo err >&2; exit 3');
    const { status, exitCode, stdout, stderr, output, totalBytes } = result;
    expect({ status, exitCode, stdout, stderr, output, totalBytes }).toEqual({
      status: 'exited',
      exitCode: 3,
      stdout: 'out\n',
      stderr: 'err\n',
      output: 'out\nerr\n',
      totalBytes: { stdout: 4, stderr: 4 },
    });
  });

  it.each([undefined, false])('resolves for anything with %s', async (reject) => {
    expect((await run('exit 3', { reject })).exitCode).toBe(3);
    expect((await run(['/no/such'], { reject })).error?.code).toBe('ENOENT');
  });

  it('keeps the end of standard error whole', async () => {
    const error = await rejection('echo; echo "  a"; echo "  b "; exit 1', { output: { merge: true } });
    expect(error.message).toBe(`${error.shortMessage}\n\n  a\n  b`);
  });
});

describe('CommandError', () => {
  it('may be made from any result, with and without its times', async () => {
    const result = await run('exec sleep 60', { timeout: 100 });
    expect(new CommandError(result).shortMessage).toBe('Command timed out: exec sleep 60');
    expect(new CommandError(result, { timeout: 100 }).shortMessage).toBe(
      'Command timed out after 100 ms: exec sleep 60',
    );
    expect(new CommandError(result).result).toBe(result);
  });

  it('has a stack that begins with its message', async () => {
    const error = await rejection('exit 3');
    expect(error.stack?.startsWith('CommandError: Command failed with exit code 3: exit 3')).toBe(true);
  });
});
