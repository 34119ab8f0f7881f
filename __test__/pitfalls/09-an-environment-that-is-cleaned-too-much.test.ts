import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nonInteractiveEnv, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

const root = temporaryDirectory();
const home = join(root, 'home');
mkdirSync(home);
writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.org\n');

describe("a user's identity", () => {
  it('of git stays with nonInteractive', async () => {
    const { stdout } = await run(
      'git init -q . && git commit -q --allow-empty -m x && git log --format="%an <%ae>"',
      {
        cwd: root,
        nonInteractive: true,
        env: {
          HOME: home,
          GIT_CONFIG_GLOBAL: undefined,
          GIT_AUTHOR_NAME: undefined,
          GIT_AUTHOR_EMAIL: undefined,
        },
        timeout: 20_000,
      },
    );
    expect(stdout).toBe('Ada <ada@example.org>\n');
  });

  it('is touched by none of the variables', () => {
    const names = Object.keys(nonInteractiveEnv);
    expect(
      names.filter((name) => /^GIT_(CONFIG|AUTHOR|COMMITTER)|^(HOME|USER|PATH|LANG|SHELL)$|^XDG_/.test(name)),
    ).toEqual([]);
  });

  it('and everything else of the environment stays', async () => {
    const before = { ...process.env };
    const { stdout } = await run('env -0', { nonInteractive: true });
    const variables = new Map(
      stdout
        .split('\0')
        .filter((line) => line !== '')
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    // Shells set these by themselves.
    const own = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD']);
    for (const [name, value] of Object.entries(process.env)) {
      if (!own.has(name) && !(name in nonInteractiveEnv))
        expect([name, variables.get(name)]).toEqual([name, value]);
    }
    expect({ ...process.env }).toEqual(before);
  });
});
