import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeWithout, obstacle } from './hidden-shells.js';

const vitest = join(dirname(createRequire(__filename).resolve('vitest/package.json')), 'vitest.mjs');
const repository = join(__dirname, '../..');

/** Asked again of each shell: all that a shell has a part in. Safe mode and the arguments know of none. */
const SUITES = ['shell', 'contract', 'differential'].map((name) => `__test__/differential/${name}.test.ts`);

const THEMES = [
  'the shell that',
  'the contract',
  'does: (the (streams|exit code|shell’s language|environment|directory|output limit)|what a child inherits|long commands)',
];

/**
 * The variables of the host, less those by which the test runner knows its own children, and no start files.
 */
function environment(shell: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|TEST$|NODE_ENV$|MODE$|PROD$|DEV$|SSR$|BASE_URL$)/.test(name),
  );
  return {
    ...Object.fromEntries(own),
    AGENT_BASH_TEST_IS_INNER: '1',
    HOME: '/nonexistent',
    EXPECTED_SHELL: shell,
    NO_COLOR: '1',
  };
}

const reason = obstacle();
// Elsewhere a developer may go without; a machine that decides about changes may not.
const mayRun = reason === undefined || Boolean(process.env.CI);

describe('without its first choice of shell', () => {
  it.runIf(mayRun).each([
    ['without zsh, bash -lc answers', ['zsh'], '/bin/bash -lc'],
    ['without zsh and bash, sh -c of PATH answers', ['zsh', 'bash'], 'sh -c'],
  ])('%s, and every case as the oracle does', { timeout: 300_000 }, async (_, hidden, shell) => {
    expect(reason, 'shells can’t be hidden here: a mount namespace needs root and overlayfs').toBeUndefined();
    const args = [
      vitest,
      'run',
      '--root',
      repository,
      '--project',
      'forks',
      '-t',
      THEMES.join('|'),
      ...SUITES,
    ];
    const { code, output } = await nodeWithout(hidden, args, environment(shell));
    expect(code, output).toBe(0);
    expect(output).toMatch(/Test Files +3 passed/);
  });
});
