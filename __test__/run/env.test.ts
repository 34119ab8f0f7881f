import { describe, expect, it } from 'vitest';
import { nonInteractiveEnv, type RunOptions, run } from '../../index.js';
import { tag } from '../support/tag.js';

/** Returns the environment that `env -0` prints, without a shell that adds variables. */
async function environment(options: RunOptions): Promise<Record<string, string>> {
  const { stdout, status } = await run(['/usr/bin/env', '-0'], options);
  expect(status).toBe('exited');
  const lines = stdout.split('\0').slice(0, -1);
  const entries = lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
  // No name comes twice.
  expect(new Set(entries.map(([name]) => name)).size).toBe(entries.length);
  return Object.fromEntries(entries);
}

/** A variable of Node's while `body` runs. */
async function withVariable<T>(name: string, value: string, body: () => Promise<T>): Promise<T> {
  process.env[name] = value;
  try {
    return await body();
  } finally {
    delete process.env[name];
  }
}

const own = () => ({ ...process.env });

describe('the environment of a command', () => {
  it("is Node's own by default", async () => {
    expect(await environment({})).toEqual(own());
  });

  it("has the caller's variables on top", async () => {
    const name = `A_${tag().slice(4)}`;
    await withVariable(name, 'of Node', async () => {
      const env = { [name]: 'of the caller', ANOTHER_ONE: 'new' };
      expect(await environment({ env })).toEqual({ ...own(), ...env });
    });
  });

  it('lacks a variable that is undefined', async () => {
    const { HOME, ...rest } = own();
    expect(HOME).toBeTypeOf('string');
    expect(await environment({ env: { HOME: undefined, NEVER_THERE: undefined } })).toEqual(rest);
  });

  it("is the caller's alone without extendEnv", async () => {
    expect(await environment({ extendEnv: false })).toEqual({});
    expect(await environment({ extendEnv: false, env: { A: 'b', C: undefined } })).toEqual({ A: 'b' });
  });

  it.each([
    ['empty', ''],
    ['long', 'x'.repeat(100_000)],
    ['full of special characters', '= \n\t"\'$`\\ é 🦀 \u0001'],
  ])('takes a value that is %s', async (_, value) => {
    expect(await environment({ extendEnv: false, env: { V: value } })).toEqual({ V: value });
  });

  it('takes names that objects have as well', async () => {
    const env = Object.fromEntries([
      ['toString', 'a'],
      ['constructor', 'b'],
      ['hasOwnProperty', 'c'],
      ['_', 'd'],
      ['a1', 'e'],
    ]);
    const parsed = JSON.parse('{"__proto__":"f"}') as Record<string, string>;
    expect((await environment({ extendEnv: false, env })).toString).toBe('a');
    const { stdout } = await run(['/usr/bin/env'], { extendEnv: false, env: parsed });
    expect(stdout).toBe('__proto__=f\n');
  });

  it('takes no variables from the prototype of env', async () => {
    const env = Object.create({ INHERITED: 'no' }, { OWN: { value: 'yes', enumerable: true } });
    expect(await environment({ extendEnv: false, env })).toEqual({ OWN: 'yes' });
  });

  it.each(['', 'A=B', 'A\0B', '=', 'A=', '\0'])(
    'takes no name that an environment can not hold, such as %j',
    async (name) => {
      await expect(run('true', { env: { [name]: 'x' } })).rejects.toMatchObject({
        code: 'ERR_INVALID_ARG_VALUE',
        message: expect.stringContaining('options.env'),
      });
    },
  );

  it.each(['PATH\0NEW', 'A_NAME=new'])(
    'takes no name that begins as a variable of Node: %j',
    async (name) => {
      await withVariable('A_NAME', 'new=value', async () => {
        await expect(run('true', { env: { [name]: 'x' } })).rejects.toMatchObject({
          code: 'ERR_INVALID_ARG_VALUE',
          message: expect.stringContaining('options.env'),
        });
      });
    },
  );

  it.each(['has-hyphen', 'a.b', 'has space', '1st', 'é', 'BASH_FUNC_new%%', 'npm_config_//host/:x'])(
    'passes a name on that is no variable of a shell: %j',
    async (name) => {
      for (const options of [{}, { extendEnv: false }, { nonInteractive: true }]) {
        expect((await environment({ ...options, env: { [name]: 'x' } }))[name]).toBe('x');
      }
    },
  );

  it('passes an odd name on that Node has, and lets it be replaced and removed', async () => {
    const name = 'BASH_FUNC_greet%%';
    await withVariable(name, '() {  echo hi\n}', async () => {
      expect((await environment({}))[name]).toBe('() {  echo hi\n}');
      expect((await run('greet', { shell: '/bin/bash' })).stdout).toBe('hi\n');
      const env = { [name]: '() {  echo ho\n}' };
      expect((await run('greet', { shell: '/bin/bash', env })).stdout).toBe('ho\n');
      expect(await environment({ env: { [name]: undefined } })).not.toHaveProperty([name]);
    });
  });

  it('is taken at the call', async () => {
    const name = `A_${tag().slice(4)}`;
    const env: Record<string, string> = { OWN: 'at the call' };
    const answer = await withVariable(name, 'at the call', () => {
      const result = run(`echo "$${name}, $OWN"`, { env });
      process.env[name] = 'later';
      env.OWN = 'later';
      return result;
    });
    expect(answer.stdout).toBe('at the call, at the call\n');
  });

  it('changes nothing in Node', async () => {
    const before = own();
    await run('export HOME=/elsewhere; exit 0', { env: { HOME: '/x', NEW_ONE: 'y' }, nonInteractive: true });
    expect(own()).toEqual(before);
  });

  it('says where programs are looked for', async () => {
    expect((await run(['ls', '/'], { env: { PATH: '/nowhere' } })).error?.code).toBe('ENOENT');
    expect((await run('echo x', { shell: 'sh', env: { PATH: '/nowhere' } })).error?.code).toBe('ENOENT');
    expect((await run(['sh', '-c', 'echo x'], { extendEnv: false, env: { PATH: '/bin' } })).stdout).toBe(
      'x\n',
    );
  });

  it('that the kernel finds too large is an error of the launch', async () => {
    const { status, error, pid } = await run(['/bin/true'], { env: { HUGE: 'x'.repeat(3_000_000) } });
    expect({ status, code: error?.code, pid }).toEqual({ status: 'failed', code: 'E2BIG', pid: null });
  });
});

describe('nonInteractive', () => {
  it('adds nonInteractiveEnv', async () => {
    const { FORCE_COLOR: _, ...inherited } = own();
    expect(await environment({ nonInteractive: true })).toEqual({ ...inherited, ...nonInteractiveEnv });
  });

  it.each(['FORCE_COLOR', 'CLICOLOR_FORCE', 'PY_COLORS', 'CARGO_TERM_COLOR', 'KUBE_EDITOR', 'SUDO_EDITOR'])(
    "removes %s of Node's variables, and leaves the caller's own",
    async (name) => {
      await withVariable(name, '1', async () => {
        expect(await environment({ nonInteractive: true })).not.toHaveProperty(name);
        expect(await environment({ nonInteractive: true, env: { [name]: '2' } })).toHaveProperty(name, '2');
        expect(await environment({})).toHaveProperty(name, '1');
      });
    },
  );

  it('adds nothing by default', async () => {
    expect(await environment({ extendEnv: false, nonInteractive: false })).toEqual({});
  });

  it('goes without extendEnv', async () => {
    expect(await environment({ extendEnv: false, nonInteractive: true })).toEqual({ ...nonInteractiveEnv });
  });

  it("gives way to the caller's variables", async () => {
    const env = { PAGER: 'less', CI: undefined };
    const { CI, ...rest } = nonInteractiveEnv;
    expect(CI).toBe('true');
    expect(await environment({ extendEnv: false, nonInteractive: true, env })).toEqual({
      ...rest,
      PAGER: 'less',
    });
  });

  it("comes before Node's variables", async () => {
    await withVariable('MANPAGER', 'most', async () => {
      expect((await environment({ nonInteractive: true })).MANPAGER).toBe('cat');
    });
  });

  it('leaves alone who the user is and how git is set up', () => {
    const names = Object.keys(nonInteractiveEnv);
    const taboo = /^(HOME|USER|LOGNAME|PATH|SHELL|LANG|LC_.*|TZ|TMPDIR|GIT_(CONFIG|AUTHOR|COMMITTER|DIR).*)$/;
    expect(names.filter((name) => taboo.test(name))).toEqual([]);
  });

  it('is frozen, and says what it promises', () => {
    expect(Object.isFrozen(nonInteractiveEnv)).toBe(true);
    expect(nonInteractiveEnv).toMatchObject({
      PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
      CI: 'true',
      TERM: 'dumb',
    });
  });
});
