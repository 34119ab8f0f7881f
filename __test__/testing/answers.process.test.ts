import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dialects } from 'agent-bash/tools';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { here, programIn, withoutAddon } from './support/without-addon.js';

let directory = '';
let file = '';
let answers = '';

beforeEach(() => {
  directory = temporaryDirectory();
  file = join(directory, 'x.json');
  answers = join(directory, 'x.addon.jsonl');
});

/** Calls of a toolset, with their answers, and how often somebody was asked. */
const AGENT = `
  const hidden = (text) => text
    .replace(/\\d[\\d.]* ?(?:s|ms|seconds)\\b/g, '<time>')
    .replace(/(chunk id: )\\w+/i, '$1<id>')
    .replace(/(token count: )\\d+/, '$1<count>')
    .replace(/\\d{4}-\\d\\d-\\d\\dT[\\d:.]*Z/, '<date>');
  const argumentsOf = (dialect, command) => {
    if (dialect === 'openai-shell') return { commands: [command] };
    if (dialect === 'openai-local-shell') return { command: ['bash', '-lc', command] };
    return dialect === 'codex-exec' ? { cmd: command } : { command, description: 'Runs a command' };
  };
  const agent = (mode, file, root, dialect, commands, more = {}) =>
    testing.withShell(dialect, { file, mode, ...more }, async (shell) => {
      let asked = 0;
      const policy = { allow: ['Bash(echo *)'], ask: ['Bash(pwd)'], deny: ['Bash(rm *)'] };
      const approve = () => { asked++; return 'allow'; };
      // The cassette's own names for secrets are tested here.
      const redact = { environment: false };
      const toolset = tools.createTools(dialect, { root: root ?? shell.root, policy, approve, redact });
      const all = [];
      for (const command of commands) {
        const { text, isError } = await toolset.call(toolset.tools[0].name, argumentsOf(dialect, command));
        all.push([hidden(text), isError]);
      }
      await toolset.dispose();
      return [all, asked];
    });
  module.exports = agent;
`;
const COMMANDS = ['echo one; pwd', 'echo "two"; pwd >&2; (exit 3)', 'rm -rf /', '  ', 'echo "open'];

describe('without the addon', () => {
  it.for(dialects)('the tools of %s answer what they answered, and their policy asks', async (dialect) => {
    const program = programIn(directory, AGENT);
    const given = [file, directory, dialect, COMMANDS];
    const recorded = await here(program, 'record', ...given);
    expect(JSON.stringify(recorded)).toContain('one');
    expect(await withoutAddon(program, {}, 'replay', ...given)).toEqual(recorded);
  });

  it('a tool reads of the same time limit, of a recorded command and of a fake', async () => {
    const program = programIn(
      directory,
      `module.exports = (mode, file) => testing.withShell('x', { file, mode }, async (shell) => {
        shell.fake('npm ci', testing.faults.hang('fetching\\n'));
        const toolset = tools.createTools('claude-code', { root: shell.root });
        const texts = [];
        for (const [command, timeout] of [['npm ci', 5000], ['echo begun; sleep 60', 1500], ['sleep 60', 400]]) {
          texts.push((await toolset.call('Bash', { command, timeout })).text);
        }
        await toolset.dispose();
        return texts;
      });`,
    );
    const recorded = (await here(program, 'record', file)) as string[];
    for (const [index, limit] of ['5s', '1.5s', '0.4s'].entries()) {
      expect(recorded[index]).toContain(`timed out after ${limit}`);
    }
    expect(await withoutAddon(program, {}, 'replay', file)).toEqual(recorded);
  });

  it('a root with another and longer path gives the same answers', async () => {
    const program = programIn(directory, AGENT);
    const given = [null, 'codex-exec', ['cd /; cd - && pwd && pwd']];
    const project = join(temporaryDirectory(), 'project');
    mkdirSync(project);
    const recorded = await here(program, 'record', file, ...given, { project });
    const options = { TMPDIR: temporaryDirectory() };
    const replayed = await withoutAddon(program, options, 'replay', file, ...given, { project });
    const hidden = (value: unknown) =>
      JSON.stringify(value).replace(/[^"\\ ]*\/agent-bash-test-[^"\\ ]*/g, '<root>');
    expect(hidden(recorded)).toContain('<root>');
    expect(hidden(replayed)).toBe(hidden(recorded));
  });

  it('another command than the recorded one gets no old decision, and fails the test with the question', async () => {
    const program = programIn(directory, AGENT);
    await here(program, 'record', file, directory, 'bash', ['echo one']);
    const failure = (await withoutAddon(program, {}, 'replay', file, directory, 'bash', [
      'echo two',
    ])) as Error;
    expect(failure).toMatchObject({ code: 'ADDON_NEEDED' });
    expect(failure.message).toContain(
      'ADDON_NEEDED in "bash": this machine has no addon, and there is no stored answer to\n' +
        '    + dialect.plan(bash {"command":"echo two"',
    );
    expect(failure.message).toContain('  Where the addon loads: AGENT_BASH_CASSETTES=record');
    expect(failure.message).toContain('x.addon.jsonl.');
  });

  it('a command with another variable gets no old decision', async () => {
    const program = programIn(
      directory,
      `module.exports = (mode, file, value) => testing.withShell('x', { file, mode }, async () =>
        all.check('echo $A', { policy: { allow: ['Bash(echo *)'] }, env: { A: value } }).verdict);`,
    );
    const verdict = await here(program, 'record', file, '1');
    expect(await withoutAddon(program, {}, 'replay', file, '1')).toBe(verdict);
    expect(await withoutAddon(program, {}, 'replay', file, '2')).toMatchObject({ code: 'ADDON_NEEDED' });
  });

  it('each of two random paths has its own decision', async () => {
    const program = programIn(
      directory,
      `module.exports = (mode, file, a, b) => testing.withShell('x', { file, mode }, async () => {
        const options = { policy: { allow: ['Bash(touch ' + a + '/x)'] } };
        return [a, b].map((path) => all.check('touch ' + path + '/x', options).verdict);
      });`,
    );
    const paths = [temporaryDirectory(), temporaryDirectory()];
    const recorded = await here(program, 'record', file, ...paths);
    expect(recorded).toEqual(['allow', 'ask']);
    expect(await withoutAddon(program, {}, 'replay', file, ...paths)).toEqual(recorded);
    const others = [temporaryDirectory(), temporaryDirectory()];
    expect(await withoutAddon(program, {}, 'replay', file, ...others)).toEqual(recorded);
  });

  it('a view and lines of a file answer', async () => {
    const text = join(directory, 'text');
    writeFileSync(text, 'one\ntwo\nthree\n');
    const program = programIn(
      directory,
      `module.exports = (mode, file, text) => testing.withShell('x', { file, mode, unused: 'allow' }, async () => [
        await all.view('a\\n'.repeat(5000), { maxBytes: 400, exitCode: 0 }),
        await all.readLines(text, 2, 2),
        await all.findLines(text, 'three'),
      ]);`,
    );
    const recorded = await here(program, 'record', file, text);
    expect(await withoutAddon(program, {}, 'replay', file, text)).toEqual(recorded);
  });

  it('a fake is matched by the commands of its line', async () => {
    const program = programIn(
      directory,
      `module.exports = () => testing.withShell('x', { mode: 'fakes' }, async (shell) => {
        shell.fake('npm *', 'ok');
        const { stdout } = await all.run('npm ci && npm test');
        return [stdout, testing.matchers.toHaveRun(shell, 'npm test').pass, testing.matchers.toHaveRun(shell, 'npm').pass];
      });`,
    );
    expect(await withoutAddon(program, {})).toEqual(['ok', true, false]);
  });

  it('what mode fakes can not answer names another mode', async () => {
    const program = programIn(
      directory,
      `module.exports = () => testing.withShell('x', { mode: 'fakes' }, async () => all.readOnly('ls'));`,
    );
    expect(await withoutAddon(program, {})).toMatchObject({
      code: 'ADDON_NEEDED',
      message: expect.stringContaining("use another mode than 'fakes'"),
    });
  });
});

describe('the stored answers', () => {
  it('are the same bytes when a test is recorded again', async () => {
    const program = programIn(directory, AGENT);
    const record = () => here(program, 'record', file, directory, 'codex-exec', COMMANDS);
    await record();
    const before = readFileSync(answers, 'utf8');
    await record();
    expect(readFileSync(answers, 'utf8')).toBe(before);
  });

  it('have no paths of this machine, and no secrets', async () => {
    const program = programIn(directory, AGENT);
    process.env.MY_API_TOKEN = 'correct"horse-battery';
    try {
      const commands = ['echo "$MY_API_TOKEN"; echo "$MY_API_TOKEN" | head -c 9; echo; pwd'];
      await here(program, 'record', file, null, 'rye', commands, { project: directory });
    } finally {
      delete process.env.MY_API_TOKEN;
    }
    const text = readFileSync(answers, 'utf8');
    expect(text).toContain('<secret:MY_API_TOKEN>');
    expect(text).toContain('<root>');
    expect(text).not.toMatch(/horse-battery|agent-bash-test-/);
  });

  it('are not written where no question needs one', async () => {
    const program = programIn(
      directory,
      `module.exports = (mode, file) => testing.withShell('x', { file, mode }, async (shell) => {
        await all.run('echo a && echo b');
        return testing.matchers.toHaveRun(shell, 'echo b').pass;
      });`,
    );
    expect(await here(program, 'record', file)).toBe(true);
    expect(existsSync(answers)).toBe(false);
    expect(await withoutAddon(program, {}, 'replay', file)).toBe(true);
  });

  it('that are not those of the addon fail a replay, and are replaced by a run that may record', async () => {
    const program = programIn(directory, AGENT);
    const given = [file, directory, 'bash', ['echo one']];
    await here(program, 'record', ...given);
    const right = readFileSync(answers, 'utf8');
    writeFileSync(answers, right.replace('"text":"one', '"text":"1'));
    await expect(here(program, 'replay', ...given)).rejects.toThrow(
      /^ADDON_ANSWERS in "bash": .*\n {4}- dialect\.answer\(bash \{"command":"echo one".*x\.addon\.jsonl:\d\)\n/,
    );
    await here(program, 'auto', ...given);
    expect(readFileSync(answers, 'utf8')).toBe(right);
  });

  it.each(['{', '{ "answers": 2 }', '{ "answers": 1 }\n{ "ask": 1 }', '{ "answers": 1 }\nnull'])(
    'that were broken by hand are named: %j',
    async (text) => {
      const program = programIn(directory, AGENT);
      const given = [file, directory, 'bash', ['echo one']];
      await here(program, 'record', ...given);
      writeFileSync(answers, text);
      const failure = await withoutAddon(program, {}, 'replay', ...given);
      expect(failure).toMatchObject({
        code: 'CASSETTE_INVALID',
        message: expect.stringMatching(/x\.addon\.jsonl:\d is no stored answer\. Remove the file/),
      });
    },
  );
});
