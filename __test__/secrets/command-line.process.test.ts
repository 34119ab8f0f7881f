import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { VALUE } from './support.js';

const CLI = new URL('../../entry/cli.js', import.meta.url).pathname;
const env = { ...process.env, DEPLOY_TOKEN: VALUE, PLACE_NAME: 'somewhere-else-1' };

/** Runs the command line, and returns its output, also of a failure. */
async function cli(...words: string[]): Promise<string> {
  const run = promisify(execFile)(process.execPath, [CLI, ...words], { env });
  const { stdout, stderr } = await run.catch((error) => error);
  return stdout + stderr;
}

/** The output of `run` is passed on as bytes, where a mark keeps the length. */
const STARS = '*'.repeat(VALUE.length);

const ECHO = 'echo $DEPLOY_TOKEN $PLACE_NAME';

describe('--redact-env', () => {
  it('replaces the values of variables that look secret, and of those that are named', async () => {
    expect(await cli('run', '--', ECHO)).toBe(`${VALUE} somewhere-else-1\n`);
    expect(await cli('run', '--redact-env', 'secrets', '--', ECHO)).toBe(`${STARS} somewhere-else-1\n`);
    expect(await cli('run', '--redact-env', 'PLACE_NAME', '--', ECHO)).toBe(`${STARS} ****************\n`);
  });

  it('is on for a call of a tool, unless it is none', async () => {
    const params = JSON.stringify({ command: ECHO });
    expect(await cli('call', 'bash', '--params', params)).toContain('[redacted:DEPLOY_TOKEN]');
    expect(await cli('call', 'bash', '--params', params, '--redact-env', 'none')).toContain(VALUE);
  });

  it('refuses a variable that is not set, and none beside others', async () => {
    expect(await cli('run', '--redact-env', 'NO_SUCH_ONE', '--', 'true')).toContain(
      '--redact-env: the variable NO_SUCH_ONE is not set',
    );
    const both = ['--redact-env', 'none', '--redact-env', 'PLACE_NAME'];
    expect(await cli('run', ...both, '--', 'true')).toContain('--redact-env none excludes others');
  });
});

describe('--credential', () => {
  const place = ['--root', '/tmp', '--sandbox', 'read-only'];

  it.each([
    [['--credential', 'github=ghp_literal'], 'expected NAME=env:VARIABLE or NAME=file:PATH'],
    [['--credential', 'github=env:NO_SUCH_ONE'], '--credential: the variable NO_SUCH_ONE is not set'],
    [['--credential', 'own=env:DEPLOY_TOKEN'], '--credential: expected rules of sandbox.network.allow'],
    [['--credential', 'github=env:DEPLOY_TOKEN', '--network', 'on'], 'exclude each other'],
    [['--allow-host', 'a.example=own'], "'own' is none of options.credentials"],
  ])('refuses %j', async (words, message) => {
    const text = await cli('run', ...place, ...words, '--', 'true');
    expect(text).toContain(message);
    expect(text).not.toContain(VALUE);
  });

  it('needs a sandbox', async () => {
    const text = await cli('run', '--credential', 'github=env:DEPLOY_TOKEN', '--', 'true');
    expect(text).toContain('--credential needs --sandbox');
  });
});
