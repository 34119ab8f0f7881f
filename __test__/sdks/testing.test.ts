// Agents with scripted models: the first run records their commands, and the second starts nothing.

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Mode, TestShell } from 'agent-bash/testing/vitest';
import { withShell } from 'agent-bash/testing/vitest';
import { createTools } from 'agent-bash/tools';
import { afterAll, expect, it } from 'vitest';
import type { Any } from './agents.js';
import { AGENTS, COMMANDS } from './agents.js';

const directory = mkdtempSync(join(tmpdir(), 'agent-bash-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function project(): string {
  const path = mkdtempSync(join(directory, 'app-'));
  mkdirSync(join(path, 'src'));
  writeFileSync(join(path, 'src/a.js'), 'var a\n');
  return path;
}

async function inMode<T>(file: string, mode: Mode, app: string, act: (shell: TestShell) => Promise<T>) {
  return withShell('repairs the code', { file, mode, project: app, files: true }, act);
}

it.each(Object.entries(AGENTS))(
  'an agent on %s is recorded once, and replayed without a process',
  async (_, agent) => {
    const app = project();
    const file = join(app, '../agent.json');
    rmSync(file, { force: true });
    const act = async (shell: TestShell) => {
      await using toolset = createTools('bash', { root: shell.root });
      const answers = await agent(toolset);
      expect(shell).toHaveRunInOrder(['sed *', 'grep *', 'date *']);
      expect(shell).toHaveTouched(['src/a.js']);
      expect(readFileSync(join(shell.root, 'src/a.js'), 'utf8')).toBe('let a\n');
      return JSON.stringify(answers).replaceAll(shell.root, '<root>');
    };
    const recorded = await inMode(file, 'record', app, act);
    expect(existsSync(file)).toBe(true);
    expect(recorded).toContain('let a');
    expect(await inMode(file, 'replay', app, act)).toBe(recorded);
  },
);

it('an MCP server that a client starts is recorded once, and replayed without a process', async () => {
  const app = project();
  const file = join(app, '../mcp.json');
  const cli = join(import.meta.dirname, 'node_modules/agent-bash/entry/cli.js');
  const act = async (shell: TestShell) => {
    const env = { ...(process.env as Record<string, string>), ...shell.childEnv('server') };
    const args = [cli, 'mcp', '--mode', 'auto', '--root', shell.root];
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
    const answers = [];
    for (const command of COMMANDS) {
      const { content }: Any = await client.callTool({ name: 'bash', arguments: { command } });
      answers.push(content);
    }
    await client.close();
    expect(readFileSync(join(shell.root, 'src/a.js'), 'utf8')).toBe('let a\n');
    return JSON.stringify(answers).replaceAll(shell.root, '<root>');
  };
  const recorded = await inMode(file, 'record', app, act);
  expect(recorded).toContain('let a');
  expect(await inMode(file, 'replay', app, act)).toBe(recorded);
});

/** A test of all agents, whose commands a person has to approve. */
const TEST_OF_AGENTS = `
  import { useShell } from 'agent-bash/testing/vitest';
  import { createTools } from 'agent-bash/tools';
  import { expect, test } from 'vitest';
  import { AGENTS } from ${JSON.stringify(join(import.meta.dirname, 'agents.ts'))};

  const shell = useShell({ project: 'app', files: true });
  test.each(Object.entries(AGENTS))('an agent on %s', async (_, agent) => {
    const asked = [];
    const approve = ({ command }) => { asked.push(command); return 'allow'; };
    const policy = { ask: ['Bash(sed *)'], allow: ['Bash(date *)', 'Bash(exit *)'] };
    await using toolset = createTools('bash', { root: shell.root, policy, approve });
    const answers = JSON.stringify(await agent(toolset));
    expect(answers).toContain('let a');
    expect(asked).toHaveLength(1);
    expect(shell).toHaveRunInOrder(['sed *', 'grep *', 'date *']);
    expect(shell).toHaveTouched(['src/a.js']);
  });
`;

it('agents whose policy asks are replayed in a project without the addon', async () => {
  const app = project();
  const root = join(app, '..', 'without');
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  symlinkSync(join(import.meta.dirname, 'node_modules/agent-bash'), join(root, 'node_modules/agent-bash'));
  for (const name of ['vitest', 'vite', 'rolldown']) {
    symlinkSync(join(import.meta.dirname, '../../node_modules', name), join(root, 'node_modules', name));
  }
  renameSync(app, join(root, 'app'));
  writeFileSync(join(root, 'a.test.ts'), TEST_OF_AGENTS);
  const vitest = (env: object) => {
    const { CI: _, VITEST: __, NODE_OPTIONS: ___, ...usual } = process.env;
    writeFileSync(join(root, 'vitest.config.mjs'), `export default ${JSON.stringify({ test: { env } })}`);
    const words = [join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs'), 'run'];
    const given = { cwd: root, env: usual, encoding: 'utf8', timeout: 100_000 } as const;
    const { stdout, stderr } = spawnSync(process.execPath, [...words, '--configLoader', 'runner'], given);
    return stdout + stderr;
  };
  expect(vitest({})).toContain('3 passed');
  const env = { CI: '1', NAPI_RS_NATIVE_LIBRARY_PATH: '/no/addon.node' };
  expect(vitest(env)).toContain('3 passed');
  rmSync(join(root, '__cassettes__/a.test.ts.addon.jsonl'));
  expect(vitest(env)).toContain('ADDON_NEEDED in "an agent on LangChain"');
}, 200_000);
