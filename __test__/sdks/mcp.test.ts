import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InMemoryTransport as InMemoryV2, McpServer } from '@modelcontextprotocol/server';
import { createMcpServer, registerTools } from 'agent-bash/mcp';
import { createTools, type Toolset } from 'agent-bash/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { type Answer, contract } from './contract.js';
import { type Any, answerBy, clientV2, connected, KINDS, textOf } from './mcp-clients.js';

/** The programs of a project that has the package installed. */
const BIN = fileURLToPath(new URL('./node_modules/agent-bash/entry/cli.js', import.meta.url));

const INVALID_PARAMS = -32_602;
const refused = (text: string) => ({
  content: [{ type: 'text', text }],
  structuredContent: { text },
  isError: true,
});

for (const kind of KINDS) {
  contract({
    name: `MCP, ${kind.name}`,
    asks: true,
    async call(toolset, calls, { signal, person }) {
      const client = await connected(kind, toolset, person);
      const calling = calls.map(async ({ name, args }): Promise<Answer> => {
        const params = { name, arguments: args };
        const options = signal && { signal };
        const answering = kind.name.includes('version 1')
          ? client.callTool(params, undefined, options)
          : client.callTool(params, options);
        const result = await answering.catch((error: Any) => {
          // The protocol has an error of its own for parameters that it does not allow.
          if (error.code === INVALID_PARAMS) return refused(error.message);
          throw error;
        });
        // Clients show one of the two to the model.
        expect(result.structuredContent.text).toBe(textOf(result));
        return { text: textOf(result), isError: result.isError === true };
      });
      return Promise.all(calling);
    },
  });
}

describe.each(KINDS)('a server for $name', (kind) => {
  function tools(options: object = {}): Toolset {
    const toolset = createTools('bash', { shell: '/bin/bash', ...options });
    onTestFinished(() => toolset.dispose());
    return toolset;
  }

  it('describes its tools, shortly', async () => {
    const toolset = tools();
    const client = await connected(kind, toolset);
    const { tools: listed } = await client.listTools();
    expect(listed.map(({ name }: Any) => name)).toEqual(toolset.tools.map(({ name }) => name));
    for (const tool of listed) {
      // Claude Code cuts the rest.
      expect(tool.description.length).toBeLessThan(2_048);
      expect(tool.annotations).toMatchObject({
        readOnlyHint: expect.any(Boolean),
        destructiveHint: expect.any(Boolean),
      });
      expect(tool._meta).toMatchObject({ 'anthropic/maxResultSizeChars': 100_000 });
      expect(tool.outputSchema.required).toContain('text');
      for (const stream of ['output', 'stdout', 'stderr'])
        expect(tool.outputSchema.properties).not.toHaveProperty(stream);
    }
    expect(client.getInstructions()).toBe(toolset.instructions);
    expect(client.getInstructions().length).toBeLessThan(2_048);
  });

  it('gives the streams too if asked to, or no structured content', async () => {
    const params = { name: 'bash', arguments: { command: 'echo works' } };
    const full = await connected(kind, tools(), undefined, { structuredContent: 'full' });
    await full.listTools();
    const result = await full.callTool(params);
    expect(JSON.stringify(result.structuredContent).match(/works/g)?.length).toBeGreaterThan(1);
    const none = await connected(kind, tools(), undefined, { structuredContent: 'none' });
    const { tools: listed } = await none.listTools();
    expect(listed[0].outputSchema).toBeUndefined();
    expect((await none.callTool(params)).structuredContent).toBeUndefined();
  });

  it('shows the command in the question to the person, and runs it once', async () => {
    const asked: Any[] = [];
    const toolset = tools({ approve: () => ({ verdict: 'ask', reason: 'it writes' }) });
    const client = await connected(kind, toolset, 'approves');
    answerBy(kind, client, (params) => {
      asked.push(params);
      return { action: 'accept', content: {} };
    });
    const file = join(temporaryDirectory(), 'log');
    await client.callTool({ name: 'bash', arguments: { command: `echo x >> ${file}` } });
    expect(asked).toHaveLength(1);
    expect(asked[0].message).toContain(`echo x >> ${file}`);
    expect(asked[0].message).toContain('it writes');
    expect(readFileSync(file, 'utf8')).toBe('x\n');
  });

  it.each([
    ['what to do', {}, /it writes; this client cannot ask .*; the server's program decides/],
    ["the host's own hint", { approvalHint: 'ask Ada' }, /it writes; this client cannot ask .*; ask Ada/],
    ['that nobody is asked', { approval: 'deny' }, /it writes; nobody is asked here/],
  ] as const)('denies for a client that cannot ask, with the reason and %s', async (_what, options, text) => {
    const toolset = tools({ approve: () => ({ verdict: 'ask', reason: 'it writes' }) });
    const client = await connected({ ...kind, client: kind.silent }, toolset, undefined, options);
    const result = await client.callTool({ name: 'bash', arguments: { command: 'echo ran' } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(text);
  });

  it('reports progress while a command writes', async () => {
    const client = await connected(kind, tools());
    const progress: Any[] = [];
    const options = { onprogress: (update: Any) => progress.push(update) };
    const params = {
      name: 'bash',
      arguments: { command: 'for i in 1 2 3; do echo line $i; sleep 0.5; done' },
    };
    await (kind.name.includes('version 1')
      ? client.callTool(params, undefined, options)
      : client.callTool(params, options));
    expect(progress.length).toBeGreaterThan(0);
    expect(progress.length).toBeLessThan(3);
    for (const { message } of progress) expect(message).toMatch(/^line \d$/);
    const values = progress.map((update) => update.progress);
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
  });

  it('answers before the timeout of the client, and the command goes on as a job', async () => {
    const client = await connected(kind, tools(), undefined, { yieldMs: 300 });
    const call = (name: string, args: object) => client.callTool({ name, arguments: args });
    const first = await call('bash', { command: 'echo first; sleep 1; echo last' });
    expect(textOf(first)).toContain('first');
    expect(first.isError).not.toBe(true);
    const { job } = first.structuredContent;
    expect(job).toMatch(/\w/);
    expect(textOf(first)).toContain(job);
    const second = await call('bash_read', { job, wait_ms: 5_000 });
    expect(textOf(second)).toContain('last');
  });

  it('refuses an unknown tool, with the names of those that there are', async () => {
    const client = await connected(kind, tools());
    await expect(client.callTool({ name: 'zsh', arguments: {} })).rejects.toThrow(
      /Unknown tool: zsh; there are bash, bash_\w+, .*bash_kill/,
    );
  });

  it('serves by standard input and output, and ends with its client', async () => {
    const seconds = tag();
    const transport = kind.stdio({
      command: process.execPath,
      args: [BIN, 'mcp', '--mode', 'auto', '--yield', '300ms'],
    });
    const client = kind.client(undefined);
    await client.connect(transport);
    const result = await client.callTool({
      name: 'bash',
      arguments: { command: `echo works; sleep ${seconds}` },
    });
    expect(textOf(result)).toContain('works');
    await until(() => living(seconds).length > 0, 'the job runs');
    await client.close();
    await until(() => living(seconds).length === 0, 'the job was killed', 5_000);
  });
});

describe('registerTools()', () => {
  it("adds the tools to a server of the user's own", async () => {
    await using toolset = createTools('bash', {
      approve: ({ command }: Any) => (command.includes('rm') ? 'ask' : 'allow'),
    });
    const server = new McpServer({ name: 'mine', version: '1' });
    server.registerTool('mine', { description: 'mine' }, async () => ({
      content: [{ type: 'text', text: 'mine' }],
    }));
    registerTools(server, toolset);
    const [near, far] = InMemoryV2.createLinkedPair();
    await server.connect(far);
    const client: Any = clientV2('approves', 'legacy');
    await client.connect(near);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }: Any) => name)).toEqual(['mine', ...toolset.tools.map(({ name }) => name)]);
    expect(tools[1].inputSchema).toEqual(
      expect.objectContaining({ type: 'object', properties: expect.anything() }),
    );
    expect(textOf(await client.callTool({ name: 'bash', arguments: { command: 'echo works' } }))).toContain(
      'works',
    );
    expect((await client.callTool({ name: 'bash', arguments: { command: 'rm x' } })).isError).toBe(true);
    expect((await client.callTool({ name: 'bash', arguments: {} })).isError).toBe(true);
    await client.close();
  });

  it.each(['approves', 'rejects'] as const)(
    'asks the user, who %s, with approval by elicitation',
    async (person) => {
      await using toolset = createTools('bash', { approve: () => 'ask' });
      const server = new McpServer({ name: 'mine', version: '1' });
      registerTools(server, toolset, { approval: 'elicit' });
      const [near, far] = InMemoryV2.createLinkedPair();
      await server.connect(far);
      const client: Any = clientV2(person, 'legacy');
      await client.connect(near);
      const result = await client.callTool({ name: 'bash', arguments: { command: 'echo ran' } });
      expect(textOf(result)).toMatch(person === 'approves' ? /^ran\n/ : /the user declined/);
      await client.close();
    },
  );
});

describe('createMcpServer()', () => {
  it('refuses wrong options, which it names', async () => {
    await using toolset = createTools('bash');
    expect(() => createMcpServer(toolset, { approval: 'maybe' as Any })).toThrow(
      /options\.approval.*'elicit', 'deny' or 'allow'/,
    );
    expect(() => createMcpServer(toolset, { maxResultChars: 600_000 })).toThrow(
      /options\.maxResultChars.*500000/,
    );
    expect(() => createMcpServer(toolset, { yield: 1 } as Any)).toThrow(
      /options\.yield.*unknown; did you mean 'yieldMs'/,
    );
    expect(() => createMcpServer({} as Any)).toThrow(/createTools/);
  });
});
