import { createRequire } from 'node:module';
import { createSdkMcpServer, tool } from '@anthropic-ai/claude-agent-sdk';
import Anthropic from '@anthropic-ai/sdk';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { bashTool, messageTools, respond, runnableTools, sdkMcpServer } from 'agent-bash/anthropic';
import { createTools, type Toolset } from 'agent-bash/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Answer, type Call, contract } from './contract.js';

// biome-ignore lint/suspicious/noExplicitAny: the bodies of requests have many forms.
type Any = any;

const message = (content: object[], stop_reason: string) => ({
  id: 'msg',
  type: 'message',
  role: 'assistant',
  model: 'any',
  content,
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
});
const done = message([{ type: 'text', text: 'done' }], 'end_turn');
const toolUse = (calls: readonly Call[]) =>
  message(
    calls.map(({ name, args }, index) => ({ type: 'tool_use', id: `call-${index}`, name, input: args })),
    'tool_use',
  );

/** A client that is answered by a script, and the bodies of its requests. */
function scripted(turns: object[], Client = Anthropic): { client: Anthropic; bodies: Any[] } {
  const bodies: Any[] = [];
  const answer: typeof fetch = async (_url, init) => {
    bodies.push(JSON.parse(String(init?.body)));
    return Response.json(turns[bodies.length - 1]);
  };
  return { client: new Client({ apiKey: 'none', fetch: answer }), bodies };
}

/** Returns the answers that the model got for its calls. */
function answersIn(body: Any): Answer[] {
  const blocks = body.messages.at(-1).content;
  expect(blocks.every(({ type }: Any) => type === 'tool_result')).toBe(true);
  return blocks.map(({ content, is_error }: Any) => {
    // The API refuses both an empty text block and an error without content.
    expect(content).not.toBe('');
    const text = typeof content === 'string' ? content : content.map((block: Any) => block.text).join('');
    return { text, isError: is_error === true };
  });
}

const PARAMETERS = { model: 'any', max_tokens: 100, messages: [{ role: 'user' as const, content: 'go' }] };

contract({
  name: "Anthropic's tool runner",
  asks: false,
  async call(toolset, calls, { signal }) {
    const { client, bodies } = scripted([toolUse(calls), done]);
    const tools = runnableTools(toolset) as Any;
    await client.beta.messages.toolRunner({ ...PARAMETERS, tools }, signal && { signal }).runUntilDone();
    return answersIn(bodies[1]);
  },
});

contract({
  name: 'respond() with the Messages API',
  asks: false,
  async call(toolset, calls, { signal }) {
    const { client, bodies } = scripted([toolUse(calls), done]);
    const tools = messageTools(toolset) as Any;
    const messages: Any[] = [...PARAMETERS.messages];
    const output = await client.messages.create({ ...PARAMETERS, messages, tools });
    messages.push({ role: 'assistant', content: output.content });
    messages.push({ role: 'user', content: await respond(toolset, output.content, signal && { signal }) });
    await client.messages.create({ ...PARAMETERS, messages, tools });
    return answersIn(bodies[1]);
  },
});

describe('bashTool()', () => {
  async function through(bash: Any, inputs: object[]) {
    const turns = inputs.map((args) => toolUse([{ name: 'bash', args }]));
    const { client, bodies } = scripted([...turns, done]);
    await client.beta.messages.toolRunner({ ...PARAMETERS, tools: [bash] }).runUntilDone();
    return { bodies, answers: bodies.slice(1).flatMap(answersIn) };
  }

  it('is the tool that is built into the models, and keeps what the session keeps', async () => {
    await using bash = bashTool({ cwd: '/', session: 'cwd' });
    const { bodies, answers } = await through(bash, [
      { command: 'cd /tmp' },
      { command: 'pwd' },
      { restart: true },
    ]);
    expect(bodies[0].tools).toEqual([{ type: 'bash_20250124', name: 'bash' }]);
    expect(answers.map(({ text }) => text)).toEqual([
      '(no output)',
      '/tmp',
      expect.stringContaining('restart'),
    ]);
  });

  it('has a description and a schema as a custom tool', async () => {
    await using bash = bashTool({ declare: 'custom', session: 'none' });
    const { bodies, answers } = await through(bash, [{ command: 'echo works' }]);
    expect(bodies[0].tools).toMatchObject([{ name: 'bash', input_schema: { type: 'object' } }]);
    expect(answers).toEqual([{ text: 'works', isError: false }]);
  });

  it('gives an error in the words of the tool, in CommonJS too', async () => {
    const require = createRequire(import.meta.url);
    const { Anthropic: Client } = require('@anthropic-ai/sdk');
    const bash = require('agent-bash/anthropic').bashTool({ session: 'none' });
    const { client, bodies } = scripted(
      [toolUse([{ name: 'bash', args: { command: 'exit 3' } }]), done],
      Client,
    );
    await client.beta.messages.toolRunner({ ...PARAMETERS, tools: [bash] }).runUntilDone();
    expect(answersIn(bodies[1])).toEqual([{ text: expect.stringMatching(/^Exit code: 3/), isError: true }]);
    await bash.close();
  });

  it('refuses another declaration', () => {
    expect(() => bashTool({ declare: 'other' as Any })).toThrow(/options\.declare.*'builtin' or 'custom'/);
  });
});

describe('respond()', () => {
  it('leaves calls of other tools', async () => {
    await using toolset = createTools('bash');
    const content = [
      { type: 'text', text: 'x' },
      { type: 'tool_use', id: 'a', name: 'other', input: {} },
      { type: 'tool_use', id: 'b', name: 'bash', input: { command: 'echo works' } },
    ];
    expect(await respond(toolset, content)).toMatchObject([{ type: 'tool_result', tool_use_id: 'b' }]);
  });
});

describe('sdkMcpServer() for the Claude Agent SDK', () => {
  function served(toolset: Toolset) {
    onTestFinished(() => toolset.dispose());
    return sdkMcpServer(toolset, { name: 'shell', timeout: 90_000 });
  }

  it("has the form of the SDK's own servers", () => {
    const theirs = createSdkMcpServer({
      name: 'shell',
      tools: [tool('x', 'y', {}, async () => ({ content: [] }))],
    });
    const { type, name, instance, timeout } = served(createTools('bash'));
    expect({ type, name, timeout }).toEqual({ type: theirs.type, name: theirs.name, timeout: 90_000 });
    expect(instance.connect).toBeTypeOf('function');
  });

  it('tells a client that cannot ask why the call is denied, without a command line of a server', async () => {
    const { instance } = served(createTools('bash', { policy: {} }));
    const [near, far] = InMemoryTransport.createLinkedPair();
    await instance.connect(far);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(near as Any);
    const result = (await client.callTool({ name: 'bash', arguments: { command: 'touch x' } })) as Any;
    expect(result.content[0].text).toMatch(
      /not allowed: .*touch x.*; this client cannot ask .*; the server's program/,
    );
    expect(result.content[0].text).not.toContain('--mode');
    await client.close();
    await instance.close();
  });

  it('serves its tools over the transport that the SDK connects', async () => {
    const { instance } = served(createTools('bash'));
    const [near, far] = InMemoryTransport.createLinkedPair();
    await instance.connect(far);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(near as Any);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('bash');
    // The SDK defers other tools behind a search.
    for (const { _meta } of tools) expect(_meta).toMatchObject({ 'anthropic/alwaysLoad': true });
    const result = (await client.callTool({ name: 'bash', arguments: { command: 'echo works' } })) as Any;
    expect(result.content[0].text).toContain('works');
    await client.close();
    await instance.close();
  });
});
