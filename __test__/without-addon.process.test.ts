import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { User } from './install/support/commands.js';
import { ADDON_PACKAGE, placePackage } from './install/support/repository.js';
import { temporaryDirectory } from './support/directory.js';

const project = temporaryDirectory();
const user = new User(project);
const { main } = placePackage(project);
rmSync(join(project, 'node_modules', ADDON_PACKAGE), { recursive: true });

/** Prints the value of an expression as JSON: its error's code if it throws or rejects. */
async function codeOf(expression: string): Promise<unknown> {
  const program = `
    const all = require('agent-bash');
    const tools = require('agent-bash/tools');
    (async () => ${expression})().then(
      (value) => console.log(JSON.stringify({ value })),
      ({ code, message }) => console.log(JSON.stringify({ code, message })),
    );
  `;
  return JSON.parse(await user.node(project, '-e', program));
}

const MISSING = {
  code: 'ADDON_MISSING',
  message: expect.stringContaining(`the package ${ADDON_PACKAGE} is not installed`),
};

describe('without the addon', () => {
  it.each(['.', '/bash', '/tools', '/ai-sdk', '/anthropic', '/openai', '/mcp'])(
    'agent-bash%s can be imported and required',
    async (subpath) => {
      const name = JSON.stringify(`agent-bash${subpath.replace(/^\.$/, '')}`);
      const names = (text: string) => JSON.parse(text).length;
      const print = '(all) => console.log(JSON.stringify(Object.keys(all)))';
      expect(names(await user.node(project, '-e', `(${print})(require(${name}))`))).toBeGreaterThan(0);
      expect(names(await user.node(project, '-e', `import(${name}).then(${print})`))).toBeGreaterThan(0);
    },
  );

  it.each([
    "all.run('true')",
    "all.run(['true'])",
    "all.run('true', { sandbox: 'read-only', root: '/usr' })",
    "all.run('true', { policy: {}, approve: () => 'allow' })",
    "all.run('true', { environment: { inherit: 'safe' } })",
    "all.run('true', { pty: true })",
    "all.run('true', { target: { exec: ['sh'] } })",
    "all.run('sleep 1', { timeout: 1, onTimeout: 'background' })",
    "all.jobs.start('true')",
    "new all.Jobs().start('true').result",
    "new all.BashJob({ command: 'true' }, '/')",
    "new all.ShellSession().run('true')",
    "new all.ShellSession({ keep: 'state' }).run('true')",
    "new all.Overlay({ root: '/tmp' })",
    "new all.Target({ exec: ['sh'] })",
    "all.check('true', { policy: {} })",
    "all.checkPolicy({ allow: ['Bash(ls)'] })",
    "all.readOnly('ls')",
    'all.diagnostics()',
    'all.loginEnvironment()',
    "all.view('text', { maxBytes: 1000 })",
    "all.readLines('/etc/passwd', 1)",
    "all.findLines('/etc/passwd', 'root')",
    "tools.createTools('bash')",
    "tools.createTool('voice')",
  ])('each call fails with the error that names what is missing: %s', async (expression) => {
    expect(await codeOf(expression)).toEqual(MISSING);
  });

  it('bash() answers with the error, as it never rejects', async () => {
    const { value } = (await codeOf("all.bash({ command: 'true' }, '/')")) as { value: string };
    expect(value).toContain(`Error: agent-bash can't find its addon: the package ${ADDON_PACKAGE}`);
  });

  it('probe() says what is missing', async () => {
    const sandbox = { available: false, mechanism: null, missing: [], reason: MISSING.message };
    expect(await codeOf('all.probe()')).toEqual({
      value: {
        error: MISSING,
        sandbox: { 'read-only': sandbox, 'workspace-write': sandbox, isolated: sandbox },
        treeLimits: { mechanism: null, controllers: [], reason: MISSING.message },
      },
    });
  });

  it('what needs no addon works', async () => {
    const expression = "[all.keys('enter'), all.nonInteractiveEnv.PAGER, tools.dialects, all.jobs.list()]";
    expect(await codeOf(expression)).toEqual({ value: ['\r', 'cat', [], []] });
    expect(await codeOf('all.jobs.dispose().then(() => 1)')).toEqual({ value: 1 });
  });

  it('an error that nobody catches is short, and has no stack of the loader', () => {
    const file = join(project, 'main.mjs');
    writeFileSync(file, "import { run } from 'agent-bash';\nawait run('true');\n");
    const { status, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain(`the package ${ADDON_PACKAGE} is not installed`);
    expect(stderr.split('\n').length, stderr).toBeLessThan(20);
    expect(stderr).not.toContain('requireStack');
  });

  it.each([
    ['run', '--', 'true'],
    ['mcp', '--mode', 'auto'],
    ['mcp', '--sandbox', 'read-only', '--root', '/usr'],
  ])('the command line names it, and where to read more: %s %s', (...words) => {
    const bin = join(main, 'entry/cli.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...words], {
      encoding: 'utf8',
      input: '',
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(
      /^agent-bash: agent-bash can't find its addon: .*\nTry 'agent-bash explain ADDON_MISSING'\.\n$/,
    );
  });

  it('agent-bash probe reports it', () => {
    const bin = join(main, 'entry/cli.js');
    const probe = (...words: string[]) =>
      spawnSync(process.execPath, [bin, 'probe', ...words], { encoding: 'utf8' });
    const { status, stdout } = probe();
    expect(status).toBe(1);
    expect(stdout).toMatch(/^addon +ADDON_MISSING: /m);
    expect(stdout).toMatch(/Commands do not work here\.\n$/);
    expect(JSON.parse(probe('--json').stdout)).toMatchObject({ ok: false, addon: { code: 'ADDON_MISSING' } });
  });
});
