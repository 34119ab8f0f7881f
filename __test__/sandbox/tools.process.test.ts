import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTools, type Dialect, dialects, type Toolset } from 'agent-bash/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { argumentsOf } from '../tools/arguments.js';

/** Creates the tools of a dialect in a sandbox. */
function sandboxed(dialect: Dialect, root = temporaryDirectory(), more: object = {}): Toolset {
  const toolset = createTools(dialect, { root, sandbox: 'workspace-write', ...more });
  onTestFinished(() => toolset.dispose());
  return toolset;
}

function call(toolset: Toolset, args: object) {
  const [main] = toolset.tools;
  if (main === undefined) throw new Error('a toolset has a tool');
  return main.execute(args);
}

/** Makes a UNIX socket outside of all sandboxes, in a directory that is not hidden from them. */
async function outsideSocket(): Promise<string> {
  const path = `/var/tmp/agent-bash-test-${tag()}`;
  onTestFinished(() => rmSync(path, { force: true }));
  // The socket of a process that was killed stays.
  const listen = `require('node:net').createServer().listen('${path}', () => process.kill(process.pid, 9))`;
  await run([process.execPath, '-e', listen]);
  return path;
}

/** A command that tries to connect to a socket, says so, and ends with this code. */
const connecting = (path: string, code: number) =>
  `${process.execPath} -e "require('node:net').connect('${path}').on('error', () => {})"; echo tried; exit ${code}`;

describe('the tools of a sandbox', { tags: ['sandbox'] }, () => {
  it.each([...dialects])('tell the model what commands may do, once in each text: %s', (dialect) => {
    const root = temporaryDirectory();
    const { tools, instructions } = sandboxed(dialect, root);
    for (const text of [tools[0]?.description, instructions]) {
      expect(text?.split('Commands run in a sandbox: they can write below').length).toBe(2);
      expect(text).toContain(root);
    }
    expect(createTools(dialect, { root }).tools[0]?.description).not.toContain('Commands run in a sandbox');
  });

  it('name what stays as it is, and what else can be read and written', () => {
    const root = temporaryDirectory();
    const [extra, visible] = [temporaryDirectory(), temporaryDirectory()];
    mkdirSync(join(root, '.vscode'));
    const text = (level: string, more: object = {}) =>
      sandboxed('bash', root, { sandbox: { level, ...more } }).tools[0]?.description;
    expect(
      text('workspace-write', { protected: ['memo'], writable: [extra], network: 'loopback' }),
    ).toContain(
      `${root}, /tmp and ${extra}, not in .vscode, memo. There is no network but servers on this machine.`,
    );
    expect(text('read-only')).toContain('they can write below /tmp alone');
    expect(text('isolated', { visible: [visible], network: 'on' })).toMatch(
      new RegExp(`The network can be used. They can read .*${visible}`),
    );
  });

  it('refuse an option of the sandbox that is wrong when they are created', () => {
    const root = temporaryDirectory();
    const create = (sandbox: object) => () => createTools('bash', { root, sandbox } as object);
    expect(create({ level: 'workspace-write', protected: ['/etc/x'] })).toThrow(
      "Invalid option 'options.sandbox.protected': '/etc/x' is not below a writable path",
    );
    expect(create({ level: 'read-only', protected: 'x' })).toThrow("Invalid option 'options.sandbox'");
  });

  it.each([...dialects])('end a failed answer with what was refused, and no other: %s', async (dialect) => {
    const socket = await outsideSocket();
    const toolset = sandboxed(dialect);
    const failed = await call(toolset, argumentsOf(dialect, connecting(socket, 3)));
    const remark = `refused by the sandbox: ${socket} (a socket outside of the writable paths)`;
    expect(failed.text).toContain(remark);
    const plain = await call(toolset, argumentsOf(dialect, 'echo Permission denied; exit 3'));
    const fine = await call(toolset, argumentsOf(dialect, connecting(socket, 0)));
    for (const { text } of [plain, fine]) expect(text).not.toContain('refused by the sandbox');
  });

  it('end the answer about a job with what was refused', async () => {
    const socket = await outsideSocket();
    const toolset = sandboxed('bash');
    const command = connecting(socket, 3);
    const { data } = await call(toolset, { command, background: true });
    const { job } = data as { job: string };
    await toolset.jobs.wait(job);
    const { text } = await toolset.call('bash_read', { job });
    expect(text).toContain('refused by the sandbox');
  });

  it('protect the memo of AgentRail, whether it exists or not', async () => {
    const root = temporaryDirectory();
    const toolset = sandboxed('agentrail', root);
    const missing = await call(toolset, {
      command: 'mkdir -p memo/session && echo x > memo/session/NOTES.md',
    });
    expect(missing.isError || missing.text.includes('exit code: 1')).toBe(true);
    await until(() => !existsSync(join(root, 'memo')), 'nothing is left in its place');
    mkdirSync(join(root, 'memo'));
    writeFileSync(join(root, 'memo', 'a'), 'text');
    const { text } = await call(toolset, { command: 'cat memo/a; echo x > memo/a; echo x > other' });
    expect(text).toContain('text');
    expect(text).toContain('Read-only file system');
    expect(readdirSync(root).sort()).toEqual(['memo', 'other']);
    const own = sandboxed('agentrail', root, { sandbox: { level: 'workspace-write', protected: ['!memo'] } });
    await call(own, { command: 'echo x > memo/b' });
    expect(readdirSync(join(root, 'memo'))).toEqual(['a', 'b']);
  });

  it('run all commands of claude-code inside, and say so to a request for the opposite', async () => {
    const toolset = sandboxed('claude-code');
    expect(toolset.tools[0]?.inputSchema).toHaveProperty(
      'properties.dangerouslyDisableSandbox.description',
      'Disabled by policy: every command runs in the sandbox.',
    );
    const args = { command: 'echo $AGENT_BASH_SANDBOX', dangerouslyDisableSandbox: true };
    expect((await call(toolset, args)).text).toBe(
      'workspace-write\n[dangerouslyDisableSandbox is disabled by policy: the command ran in the sandbox]',
    );
    expect((await call(toolset, { ...args, dangerouslyDisableSandbox: false })).text).toBe('workspace-write');
    const free = createTools('claude-code');
    expect((await call(free, { ...args, command: 'echo hi' })).text).toBe('hi');
    await free.dispose();
  });

  it.each([
    ['codex-shell', 'should not'],
    ['codex-exec', 'cannot'],
  ] as const)('refuse as Codex does what asks to leave the sandbox: %s', async (dialect, words) => {
    const root = temporaryDirectory();
    const args = { ...argumentsOf(dialect, 'touch ran'), justification: 'May I?' };
    const asked = async (more: object) => (await call(sandboxed(dialect, root), { ...args, ...more })).text;
    const start = `approval policy is Never; reject command — you ${words} ask for escalated permissions`;
    const never = `${start} if the approval policy is Never`;
    expect(await asked({ sandbox_permissions: 'require_escalated' })).toBe(never);
    expect(await asked({ with_escalated_permissions: true })).toBe(never);
    expect(await asked({ sandbox_permissions: 'with_additional_permissions' })).toContain(
      'you cannot request additional permissions',
    );
    expect(readdirSync(root)).toEqual([]);
    await asked({ sandbox_permissions: 'use_default' });
    expect(readdirSync(root)).toEqual(['ran']);
  });

  it('refuse what Gemini CLI asks the user for', async () => {
    const root = temporaryDirectory();
    const toolset = sandboxed('gemini', root);
    const asked = (permissions: object) =>
      call(toolset, { command: 'touch ran', additional_permissions: permissions });
    for (const permissions of [{ network: true }, { fileSystem: { write: ['/etc'] } }]) {
      expect(await asked(permissions)).toMatchObject({
        isError: true,
        text: expect.stringContaining("additional_permissions can't be granted"),
      });
    }
    expect(readdirSync(root)).toEqual([]);
    await asked({ network: false, fileSystem: { read: [] } });
    expect(readdirSync(root)).toEqual(['ran']);
  });
});
