import { createTools, type Dialect, dialects } from 'agent-bash/tools';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Target } from '../../index.js';
import { argumentsOf } from '../tools/arguments.js';
import { importBusybox, PODMAN, podman } from './podman.js';

/** The dialects for which a model writes no words of its own. */
const OF_LINES = dialects.filter((dialect) => !('argv' in argumentsOf(dialect, 'x')) && !isOfWords(dialect));

function isOfWords(dialect: Dialect): boolean {
  return Array.isArray((argumentsOf(dialect, 'x') as { command?: unknown }).command);
}

describe('a target without bash', { tags: ['podman'], timeout: 120_000 }, () => {
  const image = `localhost/agent-bash-no-bash-${process.pid}:1`;
  let target: Target;

  beforeAll(() => {
    importBusybox(image);
    target = new Target({ container: { engine: PODMAN, image } });
  });
  afterAll(async () => {
    await target.dispose();
    podman('rmi', '-f', image);
  });

  function toolsThere(dialect: Dialect, options: object = {}) {
    const toolset = createTools(dialect, { target, ...options } as never);
    onTestFinished(() => toolset.dispose());
    return async (command: string) =>
      JSON.stringify(await toolset.tools[0]?.execute(argumentsOf(dialect, command)));
  }

  it.each(OF_LINES)('has sh for the commands of a model: %s', async (dialect) => {
    const call = toolsThere(dialect);
    expect(await call('echo "ran $((6 * 7))"; exit 3')).toContain('ran 42');
    expect(await call('test -z "$BASH_VERSION" && echo in sh')).toContain('in sh');
  });

  it.each(['anthropic-bash', 'oh-my-pi', 'bash'] as const)('has sessions of sh: %s', async (dialect) => {
    const call = toolsThere(dialect, { session: 'live' });
    await call('a=kept');
    expect(await call('echo "is $a"')).toContain('is kept');
  });

  it('still fails for a shell that the caller chooses', async () => {
    const call = toolsThere('bash', { shell: 'bash' });
    expect(await call('echo ran')).toContain('ENOENT');
  });

  it('is named to a model whose dialect is for bash', () => {
    expect(createTools('claude-code', { target }).instructions).toContain('If bash is missing there');
    for (const [dialect, options] of [
      ['agentrail', {}],
      ['claude-code', { shell: '/bin/sh' }],
    ] as const) {
      expect(createTools(dialect, { target, ...options }).instructions).not.toContain('bash is missing');
    }
  });
});
