import { createRequire } from 'node:module';
import { Agent, Runner, RunState, run, setTracingDisabled, shellTool } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import {
  agentsSandbox,
  chatTools,
  functionTools,
  respond,
  respondChat,
  responsesTools,
  shell,
  withSignal,
} from 'agent-bash/openai';
import { createTools, type Toolset } from 'agent-bash/tools';
import OpenAI7 from 'openai';
import OpenAI6 from 'openai-6';
import { describe, expect, it, onTestFinished } from 'vitest';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { type Answer, type Call, contract, type Run } from './contract.js';

const require = createRequire(import.meta.url);

// biome-ignore lint/suspicious/noExplicitAny: what the scripted models are sent has many forms.
type Any = any;

setTracingDisabled(true);

const done = [assistantMessage('done')];
const functionCalls = (calls: readonly Call[]) =>
  calls.map(({ name, args }, index) => functionCall(name, JSON.stringify(args), { callId: `call-${index}` }));

/** Returns the answers that the model got for its calls. */
function agentAnswers(model: ScriptedModel): Answer[] {
  const input = model.lastCall?.request.input as Any[];
  return input
    .filter(({ type }) => type === 'function_call_result')
    .map(({ output }) => ({ text: typeof output === 'string' ? output : output.text }));
}

contract({
  name: 'Agents SDK',
  asks: true,
  resumes: true,
  async call(toolset, calls, { signal, person, elsewhere }) {
    const model = new ScriptedModel([functionCalls(calls), done, done]);
    const agentWith = (tools: Toolset) =>
      new Agent({ name: 'test', model, tools: functionTools(tools) as Any });
    const options = signal === undefined ? {} : { signal };
    const result = await run(agentWith(toolset), 'go', options);
    if (result.interruptions.length > 0) {
      const agent = agentWith(elsewhere ?? toolset);
      const state: Any = elsewhere ? await RunState.fromString(agent, result.state.toString()) : result.state;
      for (const interruption of state.getInterruptions()) {
        if (person === 'approves') state.approve(interruption);
        else state.reject(interruption);
      }
      await run(agent, state, options);
    }
    return agentAnswers(model);
  },
});

/** A client that is answered by a script, and the bodies of its requests. */
function scripted<Client>(
  OpenAI: new (options: { apiKey: string; fetch: typeof fetch }) => Client,
  turns: unknown[],
): { client: Client; bodies: Any[] } {
  const bodies: Any[] = [];
  const answer: typeof fetch = async (_url, init) => {
    bodies.push(JSON.parse(String(init?.body)));
    return Response.json(turns[bodies.length - 1]);
  };
  return { client: new OpenAI({ apiKey: 'none', fetch: answer }), bodies };
}

/** Two turns of the Responses API: the calls, and the end. */
async function throughResponses(OpenAI: Any, toolset: Toolset, output: object[], run: Run): Promise<Any> {
  const { client, bodies } = scripted<Any>(OpenAI, [{ output }, { output: [] }]);
  const input: Any[] = [{ role: 'user', content: 'go' }];
  const tools = responsesTools(toolset);
  const response = await client.responses.create({ model: 'any', input, tools });
  input.push(...response.output, ...(await respond(toolset, response.output, run)));
  await client.responses.create({ model: 'any', input, tools });
  return bodies[1];
}

contract({
  name: 'respond() with the Responses API',
  asks: false,
  async call(toolset, calls, { signal }) {
    const output = calls.map(({ name, args }, index) => ({
      type: 'function_call',
      id: `fc-${index}`,
      call_id: `call-${index}`,
      name,
      arguments: JSON.stringify(args),
    }));
    const { input } = await throughResponses(OpenAI7, toolset, output, { ...(signal && { signal }) });
    const answers = input.filter(({ type }: Any) => type === 'function_call_output');
    expect(answers.map(({ call_id }: Any) => call_id)).toEqual(output.map(({ call_id }) => call_id));
    return answers.map((item: Any) => ({ text: item.output }));
  },
});

contract({
  name: 'respondChat() with Chat Completions',
  asks: false,
  async call(toolset, calls, { signal }) {
    const tool_calls = calls.map(({ name, args }, index) => ({
      id: `call-${index}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    }));
    const message = { role: 'assistant', content: null, tool_calls };
    const { client, bodies } = scripted<Any>(OpenAI7, [{ choices: [{ message }] }, { choices: [] }]);
    const messages: Any[] = [{ role: 'user', content: 'go' }];
    const tools = chatTools(toolset);
    const first = await client.chat.completions.create({ model: 'any', messages, tools });
    const output = first.choices[0].message;
    messages.push(output, ...(await respondChat(toolset, output.tool_calls, signal && { signal })));
    await client.chat.completions.create({ model: 'any', messages, tools });
    const answers = bodies[1].messages.filter(({ role }: Any) => role === 'tool');
    expect(answers.map(({ tool_call_id }: Any) => tool_call_id)).toEqual(tool_calls.map(({ id }) => id));
    return answers.map(({ content }: Any) => ({ text: content }));
  },
});

function toolsetOf(dialect: Any): Toolset {
  const toolset = createTools(dialect, { shell: '/bin/bash' });
  onTestFinished(() => toolset.dispose());
  return toolset;
}

describe.each([
  ['openai 7', OpenAI7],
  ['openai 6', OpenAI6],
])('respond() with %s', (_name, OpenAI) => {
  it('answers a shell_call', async () => {
    const call = {
      type: 'shell_call',
      id: 'sh-1',
      call_id: 'call-1',
      status: 'completed',
      action: { commands: ['echo one', 'echo two >&2; exit 2'], timeout_ms: 5_000, max_output_length: 1_000 },
      caller: { type: 'program', caller_id: 'program-1' },
    };
    const { tools, input } = await throughResponses(OpenAI, toolsetOf('openai-shell'), [call], {});
    expect(tools).toEqual([{ type: 'shell', environment: { type: 'local' } }]);
    expect(input.at(-1)).toEqual({
      type: 'shell_call_output',
      call_id: 'call-1',
      max_output_length: 1_000,
      caller: { type: 'program', caller_id: 'program-1' },
      output: [
        { stdout: 'one\n', stderr: '', outcome: { type: 'exit', exit_code: 0 } },
        { stdout: '', stderr: 'two\n', outcome: { type: 'exit', exit_code: 2 } },
      ],
    });
  });

  it("leaves a shell_call that OpenAI's own machines run", async () => {
    const call = { type: 'shell_call', call_id: 'call-1', action: { commands: ['echo ran'] } };
    const environment = { type: 'container_reference', container_id: 'container-1' };
    expect(await respond(toolsetOf('openai-shell'), [{ ...call, environment }] as Any)).toEqual([]);
    const local = { ...call, environment: { type: 'local' } };
    expect(await respond(toolsetOf('openai-shell'), [local] as Any)).toHaveLength(1);
  });

  it('answers a local_shell_call', async () => {
    const call = {
      type: 'local_shell_call',
      id: 'lsh-1',
      call_id: 'call-1',
      status: 'completed',
      action: { type: 'exec', command: ['echo', 'two  words'], env: {} },
    };
    const { tools, input } = await throughResponses(OpenAI, toolsetOf('openai-local-shell'), [call], {});
    expect(tools).toEqual([{ type: 'local_shell' }]);
    expect(input.at(-1)).toMatchObject({ type: 'local_shell_call_output', id: 'call-1' });
    expect(input.at(-1).output).toContain('two  words');
  });

  it('answers each call after an abort too, and leaves calls of other tools', async () => {
    const items = [
      { type: 'function_call', call_id: 'a', name: 'other', arguments: '{}' },
      { type: 'reasoning', summary: [] },
      { type: 'function_call', call_id: 'b', name: 'bash', arguments: 'no JSON' },
      { type: 'function_call', call_id: 'c', name: 'bash', arguments: '{"command":"sleep 99"}' },
    ];
    const toolset = toolsetOf('bash');
    const answers = await respond(toolset, items, { signal: AbortSignal.abort() });
    expect(answers.map((answer) => answer.call_id)).toEqual(['b', 'c']);
    for (const answer of answers) expect(String((answer as Any).output).trim()).not.toBe('');
  });
});

describe('respondChat()', () => {
  it('answers a message without calls with nothing', async () => {
    expect(await respondChat(toolsetOf('bash'), undefined)).toEqual([]);
  });

  it('leaves what is no call of a function', async () => {
    const calls = [{ id: 'a', type: 'custom' }, { id: 'b', type: 'function' }, null] as Any[];
    expect(await respondChat(toolsetOf('bash'), calls)).toEqual([]);
  });
});

describe('functionTools()', () => {
  it.each(['null', '"ls"', 'ls', '', '[]', '{"command":'])(
    'goes on without a question for arguments such as %j, where nobody is to be asked',
    async (args) => {
      const model = new ScriptedModel([[functionCall('bash', args, { callId: 'call-0' })], done]);
      const tools = functionTools(toolsetOf('bash')) as Any;
      const result = await run(new Agent({ name: 'test', model, tools }), 'go');
      expect(result.interruptions).toEqual([]);
      expect(agentAnswers(model)[0]?.text).toMatch(/'command' is missing|valid JSON/);
    },
  );

  it('goes on without a question in CommonJS too', async () => {
    const sdk = require('@openai/agents');
    const { ScriptedModel: Model } = require('@openai/agents/testing');
    const model = new Model([[functionCall('bash', 'null', { callId: 'call-0' })], done]);
    const tools = require('agent-bash/openai').functionTools(toolsetOf('bash'));
    const result = await sdk.run(new sdk.Agent({ name: 'test', model, tools }), 'go');
    expect(result.interruptions).toEqual([]);
    expect(agentAnswers(model)[0]?.text).toContain("'command' is missing");
  });

  it("reports the output while a command runs, under the SDK's id of the call", async () => {
    const toolset = createTools('bash', { updates: { intervalMs: 20 } });
    onTestFinished(() => toolset.dispose());
    const updates: Any[] = [];
    toolset.on('update', (event) => updates.push(event));
    const command = 'for i in 1 2 3; do echo line $i; sleep 0.1; done';
    const model = new ScriptedModel([functionCalls([{ name: 'bash', args: { command } }]), done]);
    await run(new Agent({ name: 'test', model, tools: functionTools(toolset) as Any }), 'go');
    expect(updates.length).toBeGreaterThan(1);
    expect(updates[0]).toMatchObject({ tool: 'bash', callId: 'call-0', update: { text: 'line 1\n' } });
  });

  it('names an unknown option', () => {
    expect(() => functionTools(toolsetOf('bash'), { strikt: true } as Any)).toThrow(
      "'options.strikt': unknown",
    );
  });

  it('has a strict form, in which all arguments are required and may be null', async () => {
    const toolset = toolsetOf('bash');
    const [tool] = functionTools(toolset, { strict: true });
    expect(tool?.parameters.required).toEqual(Object.keys(tool?.parameters.properties));
    const args = Object.fromEntries(tool?.parameters.required.map((name: string) => [name, null]));
    const model = new ScriptedModel([
      functionCalls([{ name: 'bash', args: { ...args, command: 'echo works' } }]),
      done,
    ]);
    await new Runner().run(new Agent({ name: 'test', model, tools: [tool as Any] }), 'go');
    expect(agentAnswers(model)[0]?.text).toContain('works');
  });

  it('sets variables of any name in the strict form', async () => {
    const toolset = toolsetOf('oh-my-pi');
    const [tool] = functionTools(toolset, { strict: true });
    const args = { command: 'echo $GREETING', env: [{ name: 'GREETING', value: 'good morning' }] };
    const all = Object.fromEntries(tool?.parameters.required.map((name: string) => [name, null]));
    const model = new ScriptedModel([functionCalls([{ name: 'bash', args: { ...all, ...args } }]), done]);
    await new Runner().run(new Agent({ name: 'test', model, tools: [tool as Any] }), 'go');
    expect(agentAnswers(model)[0]?.text).toContain('good morning');
    const declared = [responsesTools(toolset, { strict: true }), chatTools(toolset, { strict: true })];
    expect(JSON.stringify(declared).match(/"items":\{"type":"object","properties":\{"name"/g)).toHaveLength(
      2,
    );
  });
});

describe('the shell of the Agents SDK', () => {
  const shellCall = (commands: string[], more = {}) => [
    { type: 'shell_call', callId: 'call-1', status: 'completed', action: { commands, ...more } } as Any,
  ];

  async function outputsOf(
    calls: Any[],
    tool: Any,
    go: (agent: Agent<Any, Any>) => Promise<unknown>,
  ): Promise<Any[]> {
    const model = new ScriptedModel([calls, done]);
    await go(new Agent({ name: 'test', model, tools: [tool] }));
    const input = model.lastCall?.request.input as Any[];
    return input.find(({ type }) => type === 'shell_call_output').output;
  }

  it('runs the commands of a call', async () => {
    await using local = shell();
    const outputs = await outputsOf(shellCall(['echo one', 'exit 3']), shellTool({ shell: local }), (agent) =>
      run(agent, 'go'),
    );
    expect(outputs).toMatchObject([
      { stdout: 'one\n', stderr: '', outcome: { type: 'exit', exitCode: 0 } },
      { stdout: '', outcome: { type: 'exit', exitCode: 3 } },
    ]);
  });

  it.each(['approves', 'rejects'] as const)(
    'runs what a person allows in another process, and nothing else: the person %s',
    async (person) => {
      const model = new ScriptedModel([shellCall(['echo ran']), done, done]);
      await using here = shell();
      await using elsewhere = shell();
      const agentWith = (local: ReturnType<typeof shell>) =>
        new Agent({ name: 'test', model, tools: [shellTool({ shell: local, needsApproval: true })] });
      const { state: before, interruptions } = await run(agentWith(here), 'go');
      expect(interruptions).toHaveLength(1);
      const agent = agentWith(elsewhere);
      const state: Any = await RunState.fromString(agent, before.toString());
      for (const interruption of state.getInterruptions())
        person === 'approves' ? state.approve(interruption) : state.reject(interruption);
      await run(agent, state);
      const input = model.lastCall?.request.input as Any[];
      const [{ stdout }] = input.find(({ type }) => type === 'shell_call_output').output;
      expect(stdout).toBe(person === 'approves' ? 'ran\n' : '');
    },
  );

  it('gives the output until a timeout', async () => {
    await using local = shell();
    const call = shellCall(['echo part; sleep 99'], { timeoutMs: 200 });
    const outputs = await outputsOf(call, shellTool({ shell: local }), (agent) => run(agent, 'go'));
    expect(outputs).toMatchObject([{ stdout: 'part\n', outcome: { type: 'timeout' } }]);
  });

  it.each(['the run inside withSignal()', 'a signal of its own'])('ends its commands by %s', async (how) => {
    const seconds = tag();
    const abort = new AbortController();
    const { signal } = abort;
    await using local = shell(how === 'a signal of its own' ? { signal } : {});
    const model = new ScriptedModel([shellCall([`echo part; sleep ${seconds}`]), done]);
    const agent = new Agent({ name: 'test', model, tools: [shellTool({ shell: local })] });
    const going =
      how === 'a signal of its own' ? run(agent, 'go') : withSignal(signal, () => run(agent, 'go'));
    await until(() => living(seconds).length > 0, 'it sleeps');
    abort.abort();
    await going;
    const input = model.lastCall?.request.input as Any[];
    const { output } = input.find(({ type }) => type === 'shell_call_output');
    expect(output).toMatchObject([{ stdout: 'part\n', outcome: { type: 'exit', exitCode: 130 } }]);
    expect(living(seconds)).toEqual([]);
  });
});

describe('agentsSandbox()', async () => {
  const { SandboxAgent, shell: shellCapability } = await import('@openai/agents/sandbox');
  const { UnixLocalSandboxClient } = await import('@openai/agents/sandbox/local');
  const { mkdtempSync, rmSync, existsSync, readFileSync } = await import('node:fs');
  const { join } = await import('node:path');

  /** Returns a client whose workspaces lie outside of /tmp, where a sandbox would give a private one. */
  function clientWith(options: Parameters<typeof agentsSandbox>[1] = {}) {
    const workspaceBaseDir = mkdtempSync('/var/tmp/agent-bash-agents-');
    onTestFinished(() => rmSync(workspaceBaseDir, { recursive: true, force: true }));
    return agentsSandbox(new UnixLocalSandboxClient({ workspaceBaseDir }), options);
  }

  async function sessionWith(options: Parameters<typeof agentsSandbox>[1] = {}) {
    const session = (await clientWith(options).create()) as Any;
    onTestFinished(() => session.close());
    return session;
  }

  it('runs the commands of an agent within its limits', { tags: ['python3', 'sandbox'] }, async () => {
    const outside = `/var/tmp/agent-bash-outside-${process.pid}`;
    onTestFinished(() => rmSync(outside, { force: true }));
    const cmd = `echo in >inside; cat inside; touch ${outside}; pwd`;
    const model = new ScriptedModel([functionCalls([{ name: 'exec_command', args: { cmd } }]), done]);
    const agent = new SandboxAgent({ name: 'a', model, capabilities: [shellCapability()] });
    await new Runner().run(agent as Any, 'go', {
      sandbox: { client: clientWith({ sandbox: 'workspace-write' }) },
    } as Any);
    const text = agentAnswers(model)[0]?.text ?? '';
    expect(text).toMatch(
      /Process exited with code 0\n[\s\S]*\nin\n[\s\S]*Read-only file system[\s\S]*\/workspace/,
    );
    expect(existsSync(outside)).toBe(false);
  });

  it('has terminals, input and sessions as its client has them', { tags: ['python3'] }, async () => {
    const session = await sessionWith();
    expect(session.supportsPty()).toBe(true);
    const started = await session.execCommand({
      cmd: '[ -t 0 ] && read -r x && echo "got $x"',
      tty: true,
      yieldTimeMs: 300,
    });
    const sessionId = Number(/session ID (\d+)/.exec(started)?.[1]);
    expect(await session.writeStdin({ sessionId, chars: 'a\n', yieldTimeMs: 5_000 })).toContain('got a');
    expect(await session.exec({ cmd: 'echo out; echo err >&2; exit 3' })).toMatchObject({
      stdout: 'out\n',
      stderr: 'err\n',
      exitCode: 3,
    });
    expect(await session.exec({ cmd: 'echo "$HOME"' })).toMatchObject({ stdout: '/workspace\n' });
    await session.exec({ cmd: 'echo x >/workspace/file' });
    const { workspaceRootPath } = session.state;
    expect(readFileSync(join(workspaceRootPath, 'file'), 'utf8')).toBe('x\n');
    await expect(session.exec({ cmd: 'id', runAs: 'somebody' })).rejects.toThrow("runAs 'somebody'");
  });

  it('decides about commands by its policy', { tags: ['python3'] }, async () => {
    const session = await sessionWith({ policy: { mode: 'dontAsk', allow: ['Bash(echo:*)'] } });
    expect(await session.execCommand({ cmd: 'echo fine' })).toContain('fine');
    expect(await session.execCommand({ cmd: 'touch x' })).not.toContain('exited with code 0');
    expect(await session.exec({ cmd: 'touch x' })).toMatchObject({ exitCode: 126 });
    expect(existsSync(join(session.state.workspaceRootPath, 'x'))).toBe(false);
  });

  it('ends the processes of a session with it', { tags: ['python3'] }, async () => {
    const seconds = tag();
    const session = await sessionWith();
    await session.execCommand({ cmd: `sleep ${seconds}`, yieldTimeMs: 250 });
    expect(living(seconds)).toHaveLength(1);
    await session.close();
    expect(living(seconds)).toEqual([]);
    await expect(session.execCommand({ cmd: 'true' })).rejects.toThrow();
  });

  it('takes a client alone, and names an unknown option', () => {
    expect(() => agentsSandbox({} as Any)).toThrow('a sandbox client of the Agents SDK');
    expect(() => agentsSandbox(new UnixLocalSandboxClient(), { rot: 1 } as Any)).toThrow(
      "'options.rot': unknown",
    );
  });
});
