import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/repository.js';
import type { Site } from '../support/site.js';

/** The subpaths that load without packages of the user. */
const ALONE = {
  'agent-bash/acp': 'terminalHandlers',
  'agent-bash/console': 'attach',
  'agent-bash/tools': 'createTools',
  'agent-bash/ai-sdk': 'aiTools',
  'agent-bash/openai': 'functionTools',
  'agent-bash/anthropic': 'bashTool',
  'agent-bash/mcp': 'createMcpServer',
};

const TYPED = `
  import { terminalHandlers } from 'agent-bash/acp';
  import { aiTools, sandbox } from 'agent-bash/ai-sdk';
  import { runnableTools, sdkMcpServer } from 'agent-bash/anthropic';
  import { attach } from 'agent-bash/console';
  import { langchainTools } from 'agent-bash/langchain';
  import { createMcpServer, serveStdio } from 'agent-bash/mcp';
  import { functionTools, respond, shell } from 'agent-bash/openai';
  import { createTools, type ToolResult, type Toolset } from 'agent-bash/tools';
  const toolset: Toolset = createTools('bash');
  export const result: Promise<ToolResult> = toolset.call('bash', { command: 'echo works' });
  export const all = [
    attach, terminalHandlers(), aiTools(toolset), sandbox(), runnableTools(toolset), sdkMcpServer(toolset), langchainTools, createMcpServer(toolset),
    serveStdio, functionTools(toolset), respond(toolset, []), shell(),
  ];
`;

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

/** The subpaths and the command line in a project that has no SDK. */
export function subpaths(site: () => Site, project: () => string): void {
  it.concurrent.each(Object.entries(ALONE))('has %s for import and for require()', async (path, name) => {
    const program = `
      import { createRequire } from 'node:module';
      import { ${name} } from '${path}';
      const required = createRequire(process.cwd() + '/')('${path}');
      console.log(typeof ${name}, typeof required.${name});
    `;
    const output = await site().user.node(project(), '--input-type=module', '-e', program);
    expect(output).toBe('function function\n');
  });

  it.concurrent('says which package agent-bash/langchain lacks', async () => {
    const program = `import('agent-bash/langchain').catch(({ message }) => console.log(message))`;
    expect(await site().user.node(project(), '-e', program)).toContain('@langchain/core');
  });

  it.concurrent('runs a tool', async () => {
    const program = `
      import { createTools } from 'agent-bash/tools';
      await using_(createTools('bash'));
      async function using_(toolset) {
        console.log((await toolset.call('bash', { command: 'echo works' })).text);
        await toolset.dispose();
      }
    `;
    expect(await site().user.node(project(), '--input-type=module', '-e', program)).toContain('works');
  });

  it.concurrent('has a command line', async () => {
    const { user } = site();
    expect(await user.run(project(), 'npx', 'agent-bash', 'run', '--', 'echo', 'works')).toBe('works\n');
    expect(await user.run(project(), 'npx', 'agent-bash', 'probe')).toContain('Commands work here.');
    const served = await user.run(project(), 'sh', '-c', `echo '${INITIALIZE}' | npx agent-bash mcp`);
    expect(JSON.parse(served)).toMatchObject({ id: 1, result: { serverInfo: { name: 'agent-bash' } } });
  });

  it.concurrent.each([
    ['node16', 'subpaths.mts'],
    ['node16', 'subpaths.cts'],
    ['bundler', 'subpaths.mts'],
  ])('has types that compile without any SDK: resolved as by %s, %s', async (resolution, source) => {
    const file = `${resolution}-${source}`;
    writeFileSync(join(project(), file), TYPED);
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const module = resolution === 'bundler' ? 'esnext' : 'node16';
    const how = [
      '--module',
      module,
      '--moduleResolution',
      resolution,
      '--target',
      'es2022',
      '--lib',
      'es2022,esnext.disposable',
    ];
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false', '--noEmit'];
    await site().user.node(project(), tsc, '--ignoreConfig', '--types', 'node', ...how, ...strict, file);
  });
}
