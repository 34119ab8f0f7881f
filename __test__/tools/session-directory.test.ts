import { mkdirSync, realpathSync } from 'node:fs';
import { createTools, type Dialect, dialects, type PendingCall } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { argumentsOf } from './arguments.js';

/** The dialects that keep a directory: in `codex-exec` each command is a job of its own. */
const KEEPING = dialects.filter((dialect) => dialect !== 'codex-exec');

function callerOf(dialect: Dialect, options: object = {}) {
  const toolset = createTools(dialect, { shell: '/bin/bash', ...options });
  const call = async (command: string) => {
    const result = await toolset.tools[0]?.execute(argumentsOf(dialect, command));
    // Some dialects answer in JSON.
    return JSON.stringify(result);
  };
  return { toolset, call, [Symbol.asyncDispose]: () => toolset.dispose() };
}

describe('the directory of a session', () => {
  it.each(KEEPING)('has no bound without a root: %s', async (dialect) => {
    await using session = callerOf(dialect, { session: 'cwd', cwd: temporaryDirectory() });
    expect(await session.call('cd /usr')).not.toContain('reset');
    expect(await session.call('pwd')).toContain('/usr');
  });

  it.each(KEEPING)('is reset to the root, and the model reads so: %s', async (dialect) => {
    const root = realpathSync(temporaryDirectory());
    mkdirSync(`${root}/sub`);
    await using session = callerOf(dialect, { session: 'cwd', root });
    await session.call('cd sub');
    const text = await session.call('echo out; cd /usr');
    expect(text).toContain('out');
    expect(text).toContain(`was reset to ${root}/sub`);
    expect(await session.call('pwd')).toContain(`${root}/sub`);
  });

  it.each(['sh', 'dash'])('is kept by a shell that reads no file before a command: %s', async (name) => {
    const cwd = realpathSync(temporaryDirectory());
    mkdirSync(`${cwd}/it's`);
    await using session = callerOf('bash', { session: 'cwd', cwd, shell: `/bin/${name}` });
    expect(await session.call("cd it\\'s # the apostrophe\nfalse; exit 3")).toContain('3');
    expect(await session.call('pwd')).toContain(`${cwd}/it's`);
    await session.call('cd /usr; exec true');
    expect(await session.call('pwd')).toContain(`${cwd}/it's`);
  });

  it('does not change the numbers of lines in errors where the trap is in the command', async () => {
    await using session = callerOf('bash', { session: 'cwd', shell: '/bin/dash' });
    expect(await session.call('true\nfoo )')).toMatch(/dash: (?:line )?2:/);
  });

  it('is bound by the project in the original of claude-code', async () => {
    const cwd = realpathSync(temporaryDirectory());
    await using session = callerOf('claude-code', { cwd, compat: true });
    expect(await session.call('cd /usr')).toContain(`Shell cwd was reset to ${cwd}`);
  });

  it.each(['gemini', 'execute_bash_command'] as const)(
    'does not change the directory to which those of the model are relative: %s',
    async (dialect) => {
      const cwd = realpathSync(temporaryDirectory());
      for (const name of ['one', 'two']) mkdirSync(`${cwd}/${name}`);
      await using session = callerOf(dialect, { session: 'cwd', cwd });
      await session.call('cd one');
      const [tool] = session.toolset.tools;
      const args = { command: 'pwd', directory: 'two', dir_path: 'two' };
      expect((await tool?.execute(args))?.text).toContain(`${cwd}/two`);
    },
  );
});

describe('approve()', () => {
  function asked(options: object) {
    const directories: (string | null)[] = [];
    const approve = ({ cwd }: PendingCall) => {
      directories.push(cwd);
      return 'allow' as const;
    };
    return { directories, toolset: createTools('bash', { ...options, approve }) };
  }

  it.each(['none', 'cwd', 'carry', 'live'] as const)(
    'is told the directory in which a command starts: session %s',
    async (session) => {
      const root = realpathSync(temporaryDirectory());
      mkdirSync(`${root}/sub`);
      const { directories, toolset } = asked({ root, session });
      for (const args of [{ command: 'cd sub' }, { command: 'true' }, { command: 'true', cwd: 'sub' }]) {
        await toolset.call('bash', args);
      }
      await toolset.dispose();
      const [, second] = directories;
      expect(directories[0]).toBe(root);
      expect(second).toBe(session === 'none' ? root : `${root}/sub`);
    },
  );

  it('is told a directory of the options as an absolute path', async () => {
    const root = realpathSync(temporaryDirectory());
    mkdirSync(`${root}/sub`);
    const { directories, toolset } = asked({ root, cwd: 'sub' });
    await toolset.call('bash', { command: 'true' });
    await toolset.dispose();
    expect(directories).toEqual([`${root}/sub`]);
  });
});

describe('a restart of anthropic-bash', () => {
  const restart = { restart: true };

  it('resets the directory of a session that keeps nothing else', async () => {
    const cwd = realpathSync(temporaryDirectory());
    await using session = callerOf('anthropic-bash', { session: 'cwd', cwd });
    await session.call('cd /usr');
    const answer = await session.toolset.call('bash', restart);
    expect([answer.text, answer.isError]).toEqual(['Bash session restarted', false]);
    expect((await session.toolset.call('bash', { command: 'pwd' })).text).toBe(cwd);
  });

  it('comes before the command of the same call', async () => {
    const cwd = realpathSync(temporaryDirectory());
    await using session = callerOf('anthropic-bash', { session: 'cwd', cwd });
    await session.call('cd /usr');
    const { text } = await session.toolset.call('bash', { ...restart, command: 'pwd' });
    expect(text).toBe(`Bash session restarted\n${cwd}`);
  });

  it('runs its command in the first directory, also where a policy has judged the command', async () => {
    const cwd = realpathSync(temporaryDirectory());
    mkdirSync(`${cwd}/sub`);
    const policy = { mode: 'bypassPermissions' } as const;
    await using session = callerOf('anthropic-bash', { cwd, session: 'cwd', policy });
    await session.toolset.call('bash', { command: 'cd sub' });
    expect((await session.toolset.call('bash', { command: 'pwd' })).text).toBe(`${cwd}/sub`);
    const { text } = await session.toolset.call('bash', { ...restart, command: 'pwd' });
    expect(text).toBe(`Bash session restarted\n${cwd}`);
  });

  it.each([
    [{}, 'Bash session restarted'],
    [{ compat: true }, '<system>tool has been restarted.</system>'],
  ])('is accepted where nothing is kept: %j', async (options, text) => {
    await using session = callerOf('anthropic-bash', { session: 'none', ...options });
    expect(await session.toolset.call('bash', restart)).toMatchObject({
      text,
      isError: false,
      data: { restarted: true },
    });
  });
});

describe('the instructions of a toolset', () => {
  const textsOf = async (dialect: Dialect, session: 'none' | 'cwd' | 'carry' | 'live') => {
    await using toolset = createTools(dialect, { session, shell: '/bin/bash' });
    return [toolset.instructions, toolset.tools[0]?.description].join(' ');
  };

  it.each(dialects)('say what is kept between calls: %s', async (dialect) => {
    const runsInSessions = dialect !== 'codex-exec' && dialect !== 'openai-local-shell';
    const says = (text: string) => /variables/.test(text) && !/variables and functions do not/.test(text);
    expect(/variables and functions stay|one shell/.test(await textsOf(dialect, 'none'))).toBe(false);
    expect(/director/.test(await textsOf(dialect, 'cwd'))).toBe(dialect !== 'codex-exec');
    expect(says(await textsOf(dialect, 'carry'))).toBe(runsInSessions);
    expect(says(await textsOf(dialect, 'live'))).toBe(runsInSessions);
  });

  it('name the default of a directory that is the default', () => {
    const cwdOf = (session: 'none' | 'live') => {
      const schema = createTools('bash', { session }).tools[0]?.inputSchema;
      return JSON.stringify(schema?.properties).match(/"cwd":.*?"description":"(.*?)"/)?.[1];
    };
    expect(cwdOf('none')).toBe('The working directory. Default: that of the project.');
    expect(cwdOf('live')).toBe('The working directory. Default: where the last command ended.');
  });

  it.each(dialects)('call no directory the default that is not: %s', (dialect) => {
    for (const session of ['cwd', 'carry', 'live'] as const) {
      const schema = JSON.stringify(
        createTools(dialect, { session, shell: '/bin/bash' }).tools[0]?.inputSchema,
      );
      expect(schema).not.toMatch(/default: (the )?project root|that of the project|in the workspace root/i);
    }
  });
});
