import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from './support/directory.js';
import { askNode, INDEX } from './support/node.js';
import { INSTALLED } from './support/shells.js';

const SETUP = `
  import { loginEnvironment } from ${JSON.stringify(INDEX)};
  const print = (value) => console.log(JSON.stringify(value));
`;

/** Reads the environment in a fresh Node.js, whose home has these files. */
function environmentWith(
  files: Record<string, string>,
  { shell = '/bin/bash', timeout = 20_000, home = true } = {},
) {
  const directory = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(directory, name, '..'), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return askNode<{ env?: Record<string, string>; code?: string; message?: string; ms: number }>(`
    ${SETUP}
    ${home ? `process.env.HOME = ${JSON.stringify(directory)};` : 'delete process.env.HOME;'}
    process.env.ZDOTDIR = ${JSON.stringify(directory)};
    process.env.XDG_CONFIG_HOME = ${JSON.stringify(directory)};
    const start = performance.now();
    const report = await loginEnvironment({ shell: ${JSON.stringify(shell)}, timeout: ${timeout} }).then(
      (env) => ({ env }),
      ({ code, message }) => ({ code, message }),
    );
    print({ ...report, ms: performance.now() - start });
  `);
}

const SET = 'export FROM_START_FILE="a b\nc"; PATH=/from/start:$PATH\n';
const EXPECTED = { FROM_START_FILE: 'a b\nc' };

describe('loginEnvironment()', () => {
  it('is an environment for commands also where a start file exports what is no variable of a shell', async () => {
    const text =
      'greet() { echo hi; }; export -f greet\n[ -n "$AGAIN" ] || AGAIN=1 exec env a.b=c bash -l -c "$BASH_EXECUTION_STRING"\n';
    const directory = temporaryDirectory();
    writeFileSync(join(directory, '.bash_profile'), text);
    const result = await askNode(`
      import { loginEnvironment, run } from ${JSON.stringify(INDEX)};
      process.env.HOME = ${JSON.stringify(directory)};
      const env = await loginEnvironment({ shell: '/bin/bash', timeout: 20_000 });
      const { stdout } = await run('greet; printenv a.b', { env, extendEnv: false });
      console.log(JSON.stringify(stdout));
    `);
    expect(result).toBe('hi\nc\n');
  });

  const startFiles = [
    ['/bin/bash', '.bash_profile'],
    ['/bin/zsh', '.zprofile'],
    ['/bin/zsh', '.zshrc'],
    ['/bin/dash', '.profile'],
  ] as const;
  it.each(startFiles.filter(([shell]) => INSTALLED.includes(shell)))(
    'has what the start file of %s sets: %s',
    async (shell, file) => {
      const { env } = await environmentWith({ [file]: SET }, { shell });
      expect(env).toMatchObject(EXPECTED);
      expect(env?.PATH).toMatch(/^\/from\/start:/);
    },
  );

  it('has what the configuration of fish sets', { tags: ['fish'] }, async () => {
    const { env } = await environmentWith(
      { 'fish/config.fish': 'set -x FROM_FISH yes' },
      { shell: '/usr/bin/fish' },
    );
    expect(env).toMatchObject({ FROM_FISH: 'yes' });
  });

  it.each([
    ['print', 'echo hello; printf "\\0x=y\\0"; echo oops >&2'],
    ['set noclobber and nounset', 'set -o noclobber -o nounset'],
    [
      'define functions and aliases of the names of programs',
      'env() { exit 9; }; echo() { :; }; alias printf=false',
    ],
    ['empty PATH', 'PATH='],
    ['read the standard input', 'read -r line; cat >/dev/null'],
    ['need a terminal', 'stty -echo; tty >/dev/null; : </dev/tty'],
    ['print at the end', 'trap "echo bye" EXIT'],
    ['leave a process that holds the output', 'sleep 3 &'],
  ])('is complete when start files %s', async (_, text) => {
    const { env, message } = await environmentWith({ '.bash_profile': `${SET}${text}\n` });
    expect(message).toBeUndefined();
    expect(env).toMatchObject(EXPECTED);
  });

  it.each([
    ['exits', 'case $- in *i*) exit 3;; esac'],
    ['becomes another shell', 'case $- in *i*) exec cat;; esac'],
  ])('is that of a shell without a terminal when one at a terminal %s', async (_, text) => {
    const { env } = await environmentWith({ '.bash_profile': `${SET}${text}\n` });
    expect(env).toMatchObject(EXPECTED);
  });

  it('names the reason when a start file hangs, within its time', async () => {
    const { code, message, ms } = await environmentWith(
      { '.bash_profile': 'while :; do :; done\n' },
      { timeout: 700 },
    );
    expect(code).toBe('LOGIN_ENVIRONMENT');
    expect(message).toBe(
      "The environment of the login shell '/bin/bash' can't be read: its start files took too long",
    );
    expect(ms).toBeLessThan(15_000);
  });

  it('names the reason when every shell exits', async () => {
    const { code, message } = await environmentWith({ '.bash_profile': 'exit 3\n' });
    expect([code, message]).toEqual([
      'LOGIN_ENVIRONMENT',
      "The environment of the login shell '/bin/bash' can't be read: it exited with 3 and printed none",
    ]);
  });

  it('names a shell that is missing', async () => {
    const { code, message } = await environmentWith({}, { shell: '/no/such/shell' });
    expect(code).toBe('LOGIN_ENVIRONMENT');
    expect(message).toContain('spawn /no/such/shell ENOENT');
  });

  it('needs no HOME', async () => {
    const { env } = await environmentWith({}, { home: false });
    expect(env).toHaveProperty('PATH');
  });

  it('has the variables of the shell itself from Node.js', async () => {
    const env = await askNode<(string | undefined)[]>(`
      ${SETUP}
      process.env.SHLVL = '7';
      delete process.env._;
      const env = await loginEnvironment({ shell: '/bin/bash' });
      print([env.SHLVL, env._ ?? null, env.DISABLE_AUTO_UPDATE ?? null]);
    `);
    expect(env).toEqual(['7', null, null]);
  });

  it('is read once, and each call has an object of its own', async () => {
    const directory = temporaryDirectory();
    const shell = join(directory, 'bash');
    writeFileSync(shell, `#!/bin/sh\necho x >>${directory}/count\nexec /bin/bash "$@"\n`);
    chmodSync(shell, 0o755);
    const report = await askNode<unknown>(`
      import { readFileSync } from 'node:fs';
      ${SETUP}
      const shell = ${JSON.stringify(shell)};
      const [one, two] = await Promise.all([loginEnvironment({ shell }), loginEnvironment({ shell })]);
      one.PATH = 'changed';
      print([two.PATH !== 'changed', readFileSync(${JSON.stringify(join(directory, 'count'))}, 'utf8')]);
    `);
    expect(report).toEqual([true, 'x\n']);
  });

  it('refuses wrong options by name', async () => {
    const message = await askNode<string>(`
      ${SETUP}
      print(await loginEnvironment({ shell: 7 }).catch((error) => error.message));
    `);
    expect(message).toBe("Invalid option 'options.shell': expected a path, got 7");
  });
});
