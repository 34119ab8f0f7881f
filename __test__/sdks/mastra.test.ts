import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { Workspace, type WorkspaceSandbox } from '@mastra/core/workspace';
import { aiTools, mastraSandbox, mastraTools } from 'agent-bash/ai-sdk';
import { createTools, type Toolset } from 'agent-bash/tools';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { type Answer, type Call, contract, type Run } from './contract.js';
import { done, toolCalls } from './scripted-turns.js';

// biome-ignore lint/suspicious/noExplicitAny: the prompts of the scripted model have many forms.
type Any = any;

/** Returns the answers that the model got for its calls. */
function answersIn(model: MockLanguageModelV4): Answer[] {
  const { prompt } = model.doGenerateCalls.at(-1) as Any;
  const parts = prompt.filter(({ role }: Any) => role === 'tool').flatMap(({ content }: Any) => content);
  return parts
    .filter(({ type }: Any) => type === 'tool-result')
    .map(({ output }: Any) => {
      if (output.type === 'execution-denied') return { text: `denied: ${output.reason ?? ''}` };
      return { text: typeof output.value === 'string' ? output.value : JSON.stringify(output.value) };
    });
}

async function callThrough(
  toolset: Toolset,
  calls: readonly Call[],
  { signal, person, elsewhere }: Run,
  toolsOf: typeof mastraTools = mastraTools,
): Promise<Answer[]> {
  const model = new MockLanguageModelV4({ doGenerate: [toolCalls(calls), done, done] as Any });
  // A run is resumed from the storage, also by another process.
  const storage = new InMemoryStore();
  const agentWith = (used: Toolset) => {
    const agent = new Agent({
      id: 'test',
      name: 'test',
      instructions: '',
      model: model as Any,
      tools: toolsOf(used),
    });
    return new Mastra({ agents: { agent }, storage, logger: false }).getAgent('agent');
  };
  let result = await agentWith(toolset).generate('go', signal ? { abortSignal: signal } : {});
  if (result.finishReason === 'suspended') {
    const agent = agentWith(elsewhere ?? toolset);
    const options = { runId: result.runId as string, toolCallId: result.suspendPayload.toolCallId };
    result = await (person === 'approves'
      ? agent.approveToolCallGenerate(options)
      : agent.declineToolCallGenerate(options));
  }
  return answersIn(model);
}

contract({
  name: 'an agent of Mastra',
  asks: true,
  resumes: true,
  call: (toolset, calls, run) => callThrough(toolset, calls, run),
});

describe('aiTools() in Mastra', () => {
  const call = { name: 'bash', args: { command: 'echo ran' } };

  it('give the model the output, with updates for the AI SDK', async () => {
    await using toolset = createTools('bash');
    const [answer] = await callThrough(toolset, [call], {}, aiTools as Any);
    expect(answer?.text).toMatch(/^ran\n/);
  });

  it('run nothing that needs an approval where the hook is off', async () => {
    await using toolset = createTools('bash', { approve: () => 'ask' });
    const tools = (used: Toolset) => aiTools(used, { approval: false });
    const [answer] = await callThrough(toolset, [call], { person: 'approves' }, tools as Any);
    expect(answer?.text).toContain('it needs an approval, and there is nobody to ask');
  });
});

describe('the sandbox of a workspace', () => {
  function sandboxOf(options: Parameters<typeof mastraSandbox>[0] = {}) {
    const sandbox = mastraSandbox({ shell: '/bin/bash', ...options });
    onTestFinished(() => sandbox.destroy());
    return sandbox;
  }

  it('runs the commands of an agent, in the foreground and in the background', async () => {
    const root = temporaryDirectory();
    const sandbox: WorkspaceSandbox = sandboxOf({ root });
    const workspace = new Workspace({ sandbox });
    const execute = 'mastra_workspace_execute_command';
    let pid = '';
    const calls: ((prompt: unknown) => Call)[] = [
      () => ({ name: execute, args: { command: 'pwd; echo oops >&2; exit 3' } }),
      () => ({ name: execute, args: { command: 'echo up; sleep 99', background: true } }),
      (prompt) => {
        pid = /PID: (job-\d+)/.exec(JSON.stringify(prompt))?.[1] ?? '';
        return { name: 'mastra_workspace_kill_process', args: { pid } };
      },
    ];
    const model = new MockLanguageModelV4({
      doGenerate: (async ({ prompt }: Any) => {
        const index = model.doGenerateCalls.length - 1;
        const call = calls[index];
        if (call === undefined) return done;
        const { content, ...rest } = toolCalls([call(prompt)]);
        return { ...rest, content: [{ ...content[0], toolCallId: `call-${index}` }] };
      }) as Any,
    });
    const agent = new Agent({ id: 'a', name: 'a', instructions: '', model: model as Any, workspace });
    await agent.generate('go');
    const [first, second, third] = answersIn(model).map(({ text }) => text);
    expect(first).toContain(root);
    expect(first).toMatch(/oops[\s\S]*3/);
    expect(second).toContain(`PID: ${pid})`);
    expect(third).toMatch(/killed|terminated/i);
    expect((await sandbox.processes?.list())?.filter(({ running }) => running)).toEqual([]);
    await workspace.destroy();
    expect(sandbox.status).toBe('destroyed');
  });

  it('says how a command ended', async () => {
    const sandbox = sandboxOf();
    const seen: string[] = [];
    const onStdout = (data: string) => seen.push(data);
    expect(await sandbox.executeCommand('printf "%s,"', ['a b', "it's"], { onStdout })).toMatchObject({
      success: true,
      exitCode: 0,
      stdout: "a b,it's,",
      killed: false,
      timedOut: false,
    });
    expect(seen.join('')).toBe("a b,it's,");
    expect(await sandbox.executeCommand('echo part; sleep 99', [], { timeout: 300 })).toMatchObject({
      exitCode: 124,
      stdout: 'part\n',
      timedOut: true,
      killed: true,
    });
    const abortSignal = AbortSignal.timeout(200);
    expect(await sandbox.executeCommand('sleep 99', [], { abortSignal })).toMatchObject({ killed: true });
    expect(await sandbox.executeCommand('kill -9 $$')).toMatchObject({ exitCode: 137, killed: true });
    expect(await sandbox.executeCommand(' ')).toMatchObject({
      exitCode: 127,
      stderr: expect.stringContaining('Invalid command'),
    });
    expect(await sandbox.executeCommand('seq 1000', [], { maxRetainedBytes: 9 })).toMatchObject({
      stdout: '999\n1000\n',
      stdoutTruncated: true,
      stdoutDroppedBytes: 3893 - 9,
    });
    expect(await sandbox.executeCommand('cat; echo end')).toMatchObject({ stdout: 'end\n' });
  });

  it('has processes that are written to, read and waited for', async () => {
    const { processes } = sandboxOf();
    const handle = await processes.spawn('read -r line; echo "got $line"; cat');
    await handle.sendStdin('one\n');
    await until(() => handle.stdout === 'got one\n', 'the reply has come');
    handle.writer.end('two\n');
    const read: string[] = [];
    handle.reader.on('data', (data: unknown) => read.push(String(data)));
    expect(await handle.wait()).toMatchObject({ exitCode: 0, stdout: 'got one\ntwo\n' });
    await until(() => read.join('') === 'got one\ntwo\n', 'the reader has all');
    await expect(handle.sendStdin('x')).rejects.toThrow('has already exited with code 0');
    expect(await processes.get(handle.pid)).toBe(handle);
    processes.release(handle.pid);
    expect(await processes.get(handle.pid)).toBeUndefined();
  });

  it('ends its processes when it is stopped, and runs commands again', async () => {
    const seconds = tag();
    const sandbox = sandboxOf();
    await sandbox.processes.spawn(`(setsid sleep ${seconds} &); sleep ${seconds}`);
    await until(() => living(seconds).length === 2, 'both run');
    await sandbox.stop();
    expect([living(seconds), sandbox.getInfo().status]).toEqual([[], 'stopped']);
    expect((await sandbox.executeCommand('echo again')).stdout).toBe('again\n');
  });

  it('keeps commands and files within the sandbox of its options', { tags: ['sandbox'] }, async () => {
    const [root, elsewhere] = [temporaryDirectory(), temporaryDirectory()];
    const sandbox = sandboxOf({ root, sandbox: 'workspace-write', env: { KEY: 'v' } });
    const written = await sandbox.executeCommand(`echo x >inside; echo x >${elsewhere}/outside; echo $KEY`);
    expect(written.stdout).toBe('v\n');
    await sandbox.writeFiles([{ path: 'a/b', content: 'text', mode: 0o600 }]);
    expect(readFileSync(join(root, 'a/b'), 'utf8')).toBe('text');
    expect(statSync(join(root, 'a/b')).mode & 0o777).toBe(0o600);
    expect([existsSync(join(root, 'inside')), existsSync(join(elsewhere, 'outside'))]).toEqual([true, false]);
    await expect(sandbox.writeFiles([{ path: '/usr/outside', content: '' }])).rejects.toThrow('/usr/outside');
    await expect(sandbox.writeFiles([{ path: 'c', content: '', mode: 0 }])).rejects.toThrow("'mode'");
    expect(sandbox.getInstructions()).toContain('write below that directory');
  });

  it('runs commands on a target, which ends with it', async () => {
    const sandbox = sandboxOf({
      target: { exec: ['sh', '-c', 'exec "$@"', 'sh'] },
      policy: { allow: ['Bash'] },
    });
    expect(await sandbox.executeCommand('echo there')).toMatchObject({ stdout: 'there\n' });
    const path = `${temporaryDirectory()}/a/file`;
    await sandbox.writeFiles([{ path, content: 'text', mode: 0o600 }]);
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['text', 0o600]);
    const wrong = sandbox.writeFiles([{ path: `${path}/x`, content: '' }]);
    await expect(wrong).rejects.toThrow(`Cannot write ${path}/x: `);
    const denied = await sandbox.executeCommand('rm -rf /');
    expect(denied).toMatchObject({ exitCode: 126, stdout: '', stderr: expect.stringContaining('dangerous') });
  });

  it('names an unknown option', () => {
    expect(() => mastraSandbox({ rot: '/' } as Any)).toThrow("'options.rot': unknown");
  });
});
