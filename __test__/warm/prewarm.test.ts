import { type PrewarmOptions, prewarm, run } from 'agent-bash';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { TOOL_SHELL } from '../support/shells.js';

/** A shell without start files: the end of the test must not interrupt start files. */
const HOME = temporaryDirectory();

describe('prewarm()', () => {
  it.each<[string, PrewarmOptions]>([
    ['bash', { shell: '/bin/bash' }],
    ['bash from PATH', { shell: 'bash' }],
    ['bash with its login files', { shell: ['/bin/bash', '-lc'] }],
    ['bash with flags apart', { shell: ['/bin/bash', '--norc', '-l', '-c'] }],
    ['the shell of the bash tool', { shell: TOOL_SHELL }],
    ['the shell of run()', {}],
    ['a directory that is missing', { cwd: '/nowhere', shell: '/bin/bash' }],
  ])('says that shells can wait: %s', (_, options) => {
    expect(prewarm({ env: { HOME }, ...options })).toBe(true);
  });

  it.each<[string, PrewarmOptions]>([
    ['sh', { shell: '/bin/sh' }],
    ['another shell', { shell: '/bin/dash' }],
    ['a flag that shows commands', { shell: ['/bin/bash', '-xc'] }],
    ['the same apart', { shell: ['/bin/bash', '-x', '-c'] }],
    ['a flag with a value', { shell: ['/bin/bash', '-o', 'pipefail', '-c'] }],
    ['no flag for a command', { shell: ['/bin/bash', '-l'] }],
  ])('says that none can: %s', (_, options) => {
    expect(prewarm(options)).toBe(false);
  });

  it.each<[string, object]>([
    ['options', [] as unknown as object],
    ['options', null as unknown as object],
    ['options.cwd', { cwd: 5 }],
    ['options.root', { root: true }],
    ['options.env', { env: 'A=1' }],
    ['options.extendEnv', { extendEnv: 1 }],
    ['options.nonInteractive', { nonInteractive: 'yes' }],
    ['options.shell', { shell: '' }],
    ['options.limits', { limits: 5 }],
    ['options.limits.memory', { limits: { memory: 0 } }],
    ['options.merge', { merge: 'yes' }],
    ['options.count', { count: 0 }],
    ['options.count', { count: 17 }],
    ['options.count', { count: 1.5 }],
    ['options.count', { count: '2' }],
    ['options.timeout', { timeout: 5 }],
    ['options.warm', { warm: true }],
    ['options.output', { output: {} }],
  ])('refuses a wrong %s: %o', (name, options) => {
    expect(() => prewarm(options as PrewarmOptions)).toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(`'${name}'`) }),
    );
  });

  it('takes undefined for an absent option', () => {
    expect(prewarm({ shell: '/bin/bash', count: undefined, merge: undefined, env: undefined })).toBe(true);
  });
});

describe('warm', () => {
  it('is a boolean', async () => {
    await expect(run('true', { warm: 1 as unknown as boolean })).rejects.toThrow(/'options\.warm'/);
  });

  it('can be asked for where no shell can wait', async () => {
    for (const shell of ['/bin/sh', ['/bin/bash', '-xc']] as Array<string | [string, string]>) {
      expect((await run('echo hi', { env: { HOME }, shell, warm: true })).stdout).toBe('hi\n');
    }
    expect((await run(['echo', 'hi'], { env: { HOME }, warm: true })).stdout).toBe('hi\n');
  });

  it('makes no difference to a directory that is missing', async () => {
    const { status, error } = await run('echo hi', { env: { HOME }, cwd: '/nowhere', warm: true });
    expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'CWD_MISSING' });
  });
});
