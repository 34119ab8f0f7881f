import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { BIN, commandLine } from './support.js';

/** Returns the long options that texts name, sorted. */
function optionsIn(texts: string[]): string[] {
  const found = texts.flatMap((text) => text.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? []);
  return [...new Set(found)].sort();
}

/** Returns the texts of README and of the pages. */
function documents(): string[] {
  const root = new URL('../../', import.meta.url);
  const pages = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' });
  const paths = pages.filter((path) => path.endsWith('.md')).map((path) => `docs/${path}`);
  return ['README.md', ...paths].map((path) => readFileSync(new URL(path, root), 'utf8'));
}

describe('agent-bash check', () => {
  it.each([
    [['--', 'git status'], 0, 'allow'],
    [['--', 'touch x'], 3, 'ask'],
    [['--allow', 'Bash(touch:*)', '--', 'touch x'], 0, 'allow'],
    [['--mode', 'strict', '--', 'touch x'], 4, 'deny'],
    [['--deny', 'Bash(git push:*)', '--', 'git', 'push'], 4, 'deny'],
    [['--', 'rm -rf /'], 4, 'deny'],
  ])('exits by the verdict, and explains it: %j', async (words, code, verdict) => {
    const end = await commandLine(['check', ...(words as string[])]);
    expect(end).toMatchObject({ code, stderr: '', stdout: expect.stringMatching(`^${verdict}: .+\n  `) });
  });

  it('runs nothing', async () => {
    const directory = temporaryDirectory();
    await commandLine(['check', '--mode', 'bypassPermissions', '--', 'touch ran'], directory);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('prints the decision as JSON', async () => {
    const { stdout } = await commandLine(['check', '--json', '--', 'touch x']);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'ask', suggestion: 'Bash(touch x)' });
  });

  it.each([
    [[], 'no command; write it behind --'],
    [['--allow', 'Bash(', '--', 'true'], 'Invalid option --allow: missing closing parenthesis'],
    [['--mode', 'auto', '--', 'true'], "invalid value 'auto' for --mode: expected one of default"],
  ])('says what is wrong: %j', async (words, expected) => {
    const { code, stderr } = await commandLine(['check', ...(words as string[])]);
    expect(code).toBe(2);
    expect(stderr).toContain(expected);
  });
});

describe('agent-bash help', () => {
  it('lists the pages of the documentation, and prints each', async () => {
    const { stdout } = await commandLine(['help']);
    expect(stdout).toMatch(/Topics: [\s\S]*\bsandbox\b/);
    const page = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
    expect((await commandLine(['help', 'sandbox'])).stdout).toBe(page);
  });

  it('prefers the options of a command, and names its page', async () => {
    const { stdout } = await commandLine(['help', 'mcp']);
    expect(stdout).toContain('Usage: agent-bash mcp');
    expect(stdout).toContain('agent-bash help docs/mcp');
    expect((await commandLine(['help', 'docs/mcp'])).stdout).toMatch(/^# /);
  });

  it('has a row for each option of the MCP server on its page, and for no other', async () => {
    const help = (await commandLine(['mcp', '--help'])).stdout;
    const page = (await commandLine(['help', 'docs/mcp'])).stdout;
    const rows = page.split('\n').filter((line) => line.startsWith('| `--'));
    const first = rows.map((row) => row.split(/(?<!\\)\|/)[1] ?? '');
    expect(optionsIn(first)).toEqual(optionsIn([help]));
  });

  it.each(['call', 'check', 'copy', 'jobs', 'live', 'mcp', 'probe', 'run'])(
    'has each option that the documents give to %s',
    async (command) => {
      const help = (await commandLine([command, '--help'])).stdout;
      const call = new RegExp(`agent-bash ${command}\\b([^\`\\n|#]*)`, 'g');
      const calls = documents().flatMap((text) => [...text.matchAll(call)]);
      const words = calls.map(([, rest = '']) => rest.split(' -- ')[0] ?? '');
      expect(optionsIn([help])).toEqual(expect.arrayContaining(optionsIn(words)));
    },
  );

  it.each([
    ['sandbx', "did you mean 'sandbox'?"],
    ['../package', 'there are call, check'],
    ['docs/../../package', 'there are call, check'],
  ])('has no other file: %s', async (name, hint) => {
    const { code, stdout, stderr } = await commandLine(['help', name]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(hint);
  });
});

describe('agent-bash explain', () => {
  it.each([
    ['CWD_MISSING', /^cause: .*does not exist.*\n {2}docs\/errors\.md, The working directory\n$/],
    ['TARGET_AUTH', /^meaning: ssh can't log in.*\n {2}docs\/targets\.md, When it fails\n$/],
    ['idleTimeout', /^what happened: .* ended the command/],
    ['JOB_NOT_FOUND', /^thrown by: .*\nerror: .*no such job/],
    ['ENOSPC', /^the system: no space left on device\n/],
    ['HELPER_MISSING', /\nwhat to do: .*chmod/],
  ])('says what a code means, and where that stands: %s', async (code, expected) => {
    expect(await commandLine(['explain', code])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(expected),
    });
  });

  it('explains every code of the page about errors', async () => {
    const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
    const rows = page
      .split('\n')
      .flatMap((line) => /^\| (`[A-Z]\w+`(?:, `[A-Z]\w+`)*) \|/.exec(line)?.[1] ?? []);
    const codes = rows.flatMap((cell) => cell.replaceAll('`', '').split(', '));
    expect(codes.length).toBeGreaterThan(40);
    expect(await commandLine(['explain', ...codes])).toMatchObject({ code: 0, stderr: '' });
  });

  it('names the nearest code in place of an unknown one', async () => {
    const { code, stdout, stderr } = await commandLine(['explain', 'cwd_mising']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain("unknown code 'cwd_mising'; did you mean 'CWD_MISSING'?");
  });

  it('is named where a command could not be started', async () => {
    const { stderr } = await commandLine(['run', '--', 'no-such-program', 'x']);
    expect(stderr).toContain("ENOENT\nTry 'agent-bash explain ENOENT'.\n");
  });
});

describe('agent-bash completion', () => {
  async function script(shell: string): Promise<string> {
    const file = join(temporaryDirectory(), `completion.${shell}`);
    writeFileSync(file, (await commandLine(['completion', shell])).stdout);
    return file;
  }

  it.each([
    [['agent-bash', 'r'], 'run'],
    [['agent-bash', 'run', '--netw'], '--network'],
    [['agent-bash', 'run', '--network', ''], 'off loopback on'],
    [['agent-bash', 'mcp', '--print-config', 'c'], 'claude cursor codex'],
    [['agent-bash', 'completion', 'b'], 'bash'],
    [['agent-bash', 'run', '--cwd', ''], ''],
    [['agent-bash', 'run', '--', '--netw'], ''],
  ])('completes in bash: %j', async (words, expected) => {
    const program = `source ${await script('bash')}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      _agent_bash; echo "\${COMPREPLY[*]}"`;
    const { stdout } = spawnSync('bash', ['-c', program, 'bash', ...words], { encoding: 'utf8' });
    expect(stdout).toBe(`${expected}\n`);
  });

  it('completes in zsh', { tags: ['zsh'] }, async () => {
    await using table = new Jobs();
    const job = table.start(['zsh', '-f'], { pty: { cols: 120 }, env: { PS1: 'ready> ' } });
    await job.waitForScreen('ready>');
    job.write(`autoload -U compinit; compinit -u -D; source ${await script('zsh')}; echo loa''ded\r`);
    expect((await job.waitForScreen(/^loaded$/m, { timeout: 60_000 })).status).toBe('matched');
    job.write('agent-bash run --sandb\t');
    expect((await job.waitForScreen(/run --sandbox$/m)).status).toBe('matched');
    job.write('iso\t');
    expect((await job.waitForScreen(/--sandbox isolated$/m)).status).toBe('matched');
  });

  it('is made for fish', async () => {
    const file = await script('fish');
    expect(readFileSync(file, 'utf8')).toContain(
      "complete -c agent-bash -n '__fish_seen_subcommand_from run' -l network -x -a 'off loopback on'\n",
    );
    const fish = spawnSync('fish', ['--no-execute', file], { encoding: 'utf8' });
    expect(fish.error === undefined ? fish.stderr : '').toBe('');
  });

  it('has the options that the help names', async () => {
    const text = readFileSync(await script('bash'), 'utf8');
    for (const name of ['check', 'mcp', 'probe', 'run']) {
      const help = (await commandLine([name, '--help'])).stdout;
      const [, options] = new RegExp(`'${name} '\\*\\) words='(.*)'`).exec(text) ?? [];
      const named = [...help.matchAll(/^ +(--[a-z-]+)/gm)].map(([, option]) => option);
      expect(new Set(options?.split(' '))).toEqual(new Set([...named, '--help']));
    }
  });

  it.each([[[]], [['csh']], [['bash', 'zsh']]])('says which shells there are: %j', async (words) => {
    const { code, stderr } = await commandLine(['completion', ...(words as string[])]);
    expect(code).toBe(2);
    expect(stderr).toContain('expected one of bash, zsh, fish');
  });
});

describe('colours', () => {
  const line = (words: string) => `'${process.execPath}' '${BIN}' ${words}`;
  const ESC = '\x1b[';

  it.each([
    ["check -- 'touch x'", `${ESC}33mask${ESC}0m: `],
    ['probe', `${ESC}32mCommands work here.${ESC}0m`],
    ['nosuch', `${ESC}31magent-bash:${ESC}0m unknown command`],
  ])(
    'are where the output is a terminal, and not with NO_COLOR or in a pipe: %s',
    async (words, expected) => {
      const env = { NO_COLOR: undefined, FORCE_COLOR: undefined, CI: undefined };
      expect((await run(line(words), { pty: true, env })).stdout).toContain(expected);
      expect((await run(line(words), { pty: true, env: { ...env, NO_COLOR: '1' } })).stdout).not.toContain(
        ESC,
      );
      expect((await run(line(words), { env })).output).not.toContain(ESC);
    },
  );

  it('are in the diff of an overlay', { tags: ['sandbox'] }, async () => {
    const root = temporaryDirectory();
    writeFileSync(join(root, 'file'), 'one\n-- two\n');
    const command = line('run --overlay --yes -- \'printf "one\\n++ 2\\n" >file\'');
    const env = { NO_COLOR: undefined, FORCE_COLOR: undefined, CI: undefined };
    const { stdout } = await run(command, { pty: true, cwd: root, env });
    expect(stdout).toContain(`${ESC}1m--- a/file${ESC}0m\r\n`);
    expect(stdout).toContain(`${ESC}31m--- two${ESC}0m\r\n${ESC}32m+++ 2${ESC}0m\r\n`);
    writeFileSync(join(root, 'file'), 'one\n-- two\n');
    const plain = await run(command, { pty: true, cwd: root, env: { ...env, NO_COLOR: '1' } });
    expect(plain.stdout).not.toContain(ESC);
  });
});
