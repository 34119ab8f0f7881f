import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from './support/directory.js';
import { askNode, INDEX } from './support/node.js';
import { INSTALLED } from './support/shells.js';

const TOOLS = join(INDEX, '../entry/tools.mjs');

/**
 * Runs a program in a fresh Node.js, whose home has these files; it has `state` or `failure`, and prints
 * JSON.
 */
function withFiles<Answer>(
  files: Record<string, string>,
  program: string,
  { shell = '/bin/bash', timeout = 20_000 } = {},
): Promise<Answer> {
  const directory = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const workspace = join(directory, 'workspace');
  mkdirSync(workspace);
  return askNode<Answer>(`
    import { check, loginState, run, ShellSession } from ${JSON.stringify(INDEX)};
    import { createTools } from ${JSON.stringify(TOOLS)};
    process.env.HOME = ${JSON.stringify(directory)};
    delete process.env.ZDOTDIR;
    const workspace = ${JSON.stringify(workspace)};
    const start = performance.now();
    const [state, failure] = await loginState({ shell: ${JSON.stringify(shell)}, timeout: ${timeout} }).then(
      (state) => [state, null],
      ({ code, message }) => [undefined, { code, message, ms: performance.now() - start }],
    );
    const outputOf = async (command, options) => (await run(command, { startState: state, ...options })).output;
    const print = (value) => console.log(JSON.stringify(value));
    ${program}
  `);
}

const DEFINITIONS = `_helper() { echo "helped $1"; }
greet() { _helper "$1"; }
alias hi='greet there'
plain='a  b'
API_KEY=secret
`;
const FILES = { '.bash_profile': `echo noise; . ~/.bashrc\n`, '.bashrc': DEFINITIONS, '.zshrc': DEFINITIONS };
const SHELLS = ['/bin/bash', '/bin/zsh'].filter((shell) => INSTALLED.includes(shell));

describe.each(SHELLS)('loginState() of %s', (shell) => {
  it('gives commands the functions with their helpers, the aliases and the plain variables', async () => {
    const program =
      'print([await outputOf(`hi; greet you; echo "$plain<$API_KEY>"`), state.names, state.dropped])';
    const [output, names, dropped] = await withFiles<[string, string[], object[]]>(FILES, program, { shell });
    expect(output).toBe('helped there\nhelped you\na  b<>\n');
    expect(names).toEqual(expect.arrayContaining(['_helper', 'greet', 'hi']));
    expect(dropped).toContainEqual({ kind: 'variable', name: 'API_KEY', reason: 'it looks like a secret' });
  });

  it('is not read by the programs of a command', async () => {
    const program = `print(await outputOf('${shell} -c "hi || true" 2>/dev/null; echo "[$BASH_ENV$ZDOTDIR]"'))`;
    const text = await withFiles<string>(FILES, program, { shell });
    expect(text).toBe('[]\n');
  });

  it('names what commands can not take over', async () => {
    const hooks = shell.endsWith('zsh')
      ? 'chpwd() { :; }\nTRAPEXIT() { :; }\nalias -g G="| grep"\n'
      : 'command_not_found_handle() { :; }\nset -o errexit\nset +o errexit; set -u\n';
    const files = { '.bash_profile': hooks, '.zshrc': hooks };
    const dropped = await withFiles<{ name: string }[]>(files, 'print(state.dropped)', { shell });
    const names = shell.endsWith('zsh')
      ? ['chpwd', 'TRAPEXIT', 'G']
      : ['command_not_found_handle', 'nounset'];
    expect(dropped.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  });

  it('names the reason when a start file hangs, within its time', async () => {
    const files = { '.bash_profile': 'while :; do :; done\n', '.zshrc': 'while :; do :; done\n' };
    const failure = await withFiles<{ code: string; message: string; ms: number }>(files, 'print(failure)', {
      shell,
      timeout: 700,
    });
    expect(failure).toMatchObject({
      code: 'LOGIN_STATE',
      message: `The state of the login shell '${shell}' can't be read: its start files took too long`,
    });
    expect(failure.ms).toBeLessThan(15_000);
  });

  it.each([
    ['print', 'echo hello; printf "\\0x=y\\0"; echo oops >&2'],
    ['set noclobber and nounset', 'set -o noclobber -o nounset'],
    [
      'define functions of the names of builtins',
      'printf() { exit 9; }; print() { exit 9; }; alias typeset=false',
    ],
    ['read the standard input', 'read -r line; cat >/dev/null'],
    ['need a terminal', 'stty -echo; : </dev/tty'],
    ['leave a process that holds the output', 'sleep 3 &'],
  ])('is complete when start files %s', async (_, hostile) => {
    const text = `${DEFINITIONS}${hostile}\n`;
    const program = "print(failure ?? (await outputOf('hi')))";
    const output = await withFiles({ '.bash_profile': text, '.zshrc': text }, program, { shell });
    expect(output).toBe('helped there\n');
  });

  it('needs an approval for the words that it defines', async () => {
    const policy = `{ policy: { allow: ['Bash'], mode: 'default' }, startState: state }`;
    const program = `print(['hi x', 'sudo greet', 'ls'].map((command) => check(command, ${policy}).verdict).concat(
      check('hi', { ...${policy}, policy: { mode: 'dontAsk', allow: ['Bash'] } }).verdict))`;
    expect(await withFiles(FILES, program, { shell })).toEqual(['ask', 'ask', 'allow', 'deny']);
  });

  it('can be read in a sandbox, and not be changed there', { tags: ['sandbox'] }, async () => {
    const program = `
      const inside = { root: workspace, sandbox: 'workspace-write' };
      // The first environment of a shell has the path.
      const place = "tr '\\\\0' '\\\\n' </proc/$$/environ | sed -n 's/^BASH_ENV=//p; s,^ZDOTDIR=\\\\(.*\\\\),\\\\1/.zshenv,p'";
      const { stdout, stderr } = await run(
        \`file=$(\${place}); wc -c <"$file"; echo "alias hi=false" >>"$file"; rm "$file"; mv "$file" x\`,
        { startState: state, ...inside },
      );
      print([Number(stdout) > 0, stderr.split('\\n').length - 1, await outputOf('hi', inside), await outputOf('hi')]);
    `;
    expect(await withFiles(FILES, program, { shell })).toEqual([true, 3, 'helped there\n', 'helped there\n']);
  });

  it('is that of the commands of a toolset', async () => {
    const program = `
      const toolset = createTools('agentrail', { startState: state });
      const { data } = await toolset.call('Bash', { command: 'hi' });
      await toolset.dispose();
      print(data.stdout);
    `;
    expect(await withFiles(FILES, program, { shell })).toBe('helped there\n');
  });
});

describe('the state of a login shell', () => {
  it.each(SHELLS)('is in each shell of a session of %s, also in one after an end', async (shell) => {
    const program = `
      const outputs = [];
      for (const keep of ['process', 'state']) {
        const session = new ShellSession({ startState: state, keep });
        for (const command of ['hi', 'exit 3', 'hi']) outputs.push((await session.run(command)).stdout);
        await session.close();
      }
      print(outputs);
    `;
    const outputs = ['helped there\n', '', 'helped there\n'];
    expect(await withFiles(FILES, program, { shell })).toEqual([...outputs, ...outputs]);
  });

  it.each(['none', 'cwd', 'carry', 'live'])('is in a toolset that keeps %s', async (session) => {
    const program = `
      const toolset = createTools('bash', { startState: state, session: ${JSON.stringify(session)} });
      const texts = [];
      for (const command of ['cd /; hi', 'hi']) texts.push((await toolset.call('bash', { command })).text);
      await toolset.dispose();
      print(texts);
    `;
    const text = 'helped there\n[exit code: 0]';
    expect(await withFiles(FILES, program)).toEqual([text, text]);
  });

  it('leaves out what ends or stops a shell that reads it', async () => {
    const files = {
      '.bash_profile': `${DEFINITIONS}shopt -s expand_aliases\nshopt -s extglob\nf() { [[ x == @(x|y) ]]; }\n`,
    };
    const program = "print([await outputOf('hi; f && echo same'), state.names])";
    expect(await withFiles(files, program)).toEqual([
      'helped there\nsame\n',
      ['_helper', 'f', 'greet', 'hi'],
    ]);
  });

  it('is only for a shell of its kind, and not for what no state is', async () => {
    const program = `
      const messageOf = async (options) => outputOf('hi', options).catch(({ message }) => message);
      const given = [{ shell: '/bin/sh' }, { startState: true }, { startState: {} }, { env: { BASH_ENV: 'x' } }, { target: { exec: ['env'] } }];
      print(await Promise.all(given.map(messageOf)));
    `;
    expect(await withFiles(FILES, program)).toEqual([
      expect.stringContaining("'options.startState': expected a state of the option shell, not of bash"),
      expect.stringContaining("'options.startState': expected a state of loginState(), got true"),
      expect.stringContaining("'options.startState': expected a state of loginState(), got {}"),
      expect.stringContaining("'options.env.BASH_ENV': expected none next to startState"),
      expect.stringContaining("'options.startState': not available with a target"),
    ]);
  });

  it('is that of bash or zsh', async () => {
    expect(await withFiles({}, 'print(failure)', { shell: '/bin/sh' })).toMatchObject({
      code: 'LOGIN_STATE',
      message: "The state of the login shell '/bin/sh' can't be read: only the states of bash and zsh can",
    });
    expect(await withFiles({}, 'print(failure.code)', { shell: '/missing/bash' })).toBe('LOGIN_STATE');
  });
});
