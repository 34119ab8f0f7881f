import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { aiTools, anthropicBash, openaiLocalShell, openaiShell, toolApproval } from 'agent-bash/ai-sdk';
import { createTools, type Toolset } from 'agent-bash/tools';
import * as ai7 from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import * as ai6 from 'ai-6';
import { MockLanguageModelV3 } from 'ai-6/test';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Answer, type Call, contract, type Run } from './contract.js';
import { done, toolCalls, USAGE } from './scripted-turns.js';

// biome-ignore lint/suspicious/noExplicitAny: two versions of a package, whose types differ, in one test.
type Any = any;

interface Version {
  name: string;
  ai: Any;
  model(turns: Any[]): Any;
  stop(steps: number): Any;
  more(toolset: Toolset): object;
}

const VERSIONS: Version[] = [
  {
    name: 'ai 6',
    ai: ai6,
    model: (turns) => new MockLanguageModelV3({ doGenerate: turns }),
    stop: (steps) => ai6.stepCountIs(steps),
    more: () => ({}),
  },
  {
    name: 'ai 7',
    ai: ai7,
    model: (turns) => new MockLanguageModelV4({ doGenerate: turns }),
    stop: (steps) => ai7.isStepCount(steps),
    more: () => ({}),
  },
  {
    name: 'ai 7 with toolApproval',
    ai: ai7,
    model: (turns) => new MockLanguageModelV4({ doGenerate: turns }),
    stop: (steps) => ai7.isStepCount(steps),
    more: (toolset) => ({ toolApproval: toolApproval(toolset) }),
  },
];

/** Returns the results of the calls that the model got. */
function answersOf(model: Any): Any[] {
  const { prompt } = model.doGenerateCalls.at(-1);
  const parts = prompt.filter(({ role }: Any) => role === 'tool').flatMap(({ content }: Any) => content);
  return parts.filter(({ type }: Any) => type === 'tool-result');
}

/** Returns the answers that the model got for its calls. */
function answersIn(model: Any): Answer[] {
  return answersOf(model).map(({ output }: Any) => ({
    text: output.type === 'execution-denied' ? `denied: ${output.reason ?? ''}` : String(output.value),
    isError: output.type === 'error-text' || output.type === 'execution-denied',
  }));
}

async function callThrough(
  version: Version,
  toolset: Toolset,
  calls: readonly Call[],
  { signal, person, elsewhere }: Run,
) {
  const { ai, stop, more } = version;
  const model = version.model([toolCalls(calls), done, done]);
  const optionsWith = (tools: Toolset) => ({
    model,
    tools: aiTools(tools),
    stopWhen: stop(3),
    abortSignal: signal,
    ...more(tools),
  });
  const messages: Any[] = [{ role: 'user', content: 'go' }];
  const first = await ai.generateText({ ...optionsWith(toolset), messages });
  const requests = first.content.filter(
    ({ type, isAutomatic }: Any) => type === 'tool-approval-request' && !isAutomatic,
  );
  if (requests.length > 0) {
    const responses = requests.map(({ approvalId }: Any) => ({
      type: 'tool-approval-response',
      approvalId,
      approved: person === 'approves',
    }));
    const next = [...messages, ...first.response.messages, { role: 'tool', content: responses }];
    await ai.generateText({ ...optionsWith(elsewhere ?? toolset), messages: structuredClone(next) });
  }
  return answersIn(model);
}

for (const version of VERSIONS) {
  contract({
    name: version.name,
    asks: true,
    resumes: true,
    call: (toolset, calls, run) => callThrough(version, toolset, calls, run),
  });
}

describe('aiTools()', () => {
  it('names an unknown option', () => {
    expect(() => aiTools(createTools('bash'), { update: false } as Any)).toThrow(
      "'options.update': unknown; did you mean 'updates'?",
    );
  });
});

describe.each(VERSIONS.slice(0, 2))('streamText() of $name', ({ ai, name }) => {
  it('shows the output while a command runs, and at last the result', async () => {
    await using toolset = createTools('bash', { updates: { intervalMs: 20 } });
    const Model: Any = name === 'ai 6' ? MockLanguageModelV3 : MockLanguageModelV4;
    const chunks = [
      { type: 'stream-start', warnings: [] },
      {
        type: 'tool-call',
        toolCallId: '1',
        toolName: 'bash',
        input: JSON.stringify({ command: 'for i in 1 2 3; do echo line $i; sleep 0.1; done' }),
      },
      { type: 'finish', finishReason: { unified: 'tool-calls', raw: '' }, usage: USAGE },
    ];
    const doStream = async () => ({ stream: ai.simulateReadableStream({ chunks }) });
    const result = ai.streamText({ model: new Model({ doStream }), tools: aiTools(toolset), prompt: 'go' });
    const results: Any[] = [];
    for await (const part of result.fullStream) if (part.type === 'tool-result') results.push(part);
    const preliminary = results.filter((part) => part.preliminary);
    expect(preliminary.length).toBeGreaterThan(1);
    expect(preliminary[0].output).toMatchObject({ running: true, isError: false });
    const last = results.at(-1);
    expect(last.preliminary).not.toBe(true);
    expect(last.output.text).toMatch(/line 1\nline 2\nline 3/);
    expect(last.output.running).toBeUndefined();
    expect(JSON.parse(JSON.stringify(last.output))).toEqual(last.output);
  });
});

describe.each(VERSIONS.slice(0, 2))('a provider tool in $name', (version) => {
  const { ai, stop } = version;

  async function outputOf(tools: object, name: string, args: unknown, run: Run = {}) {
    const model = version.model([toolCalls([{ name, args }]), done]);
    await ai.generateText({ model, tools, stopWhen: stop(2), prompt: 'go', abortSignal: run.signal });
    const { prompt, tools: declared } = model.doGenerateCalls.at(-1);
    const part = prompt.at(-1).content.find(({ type }: Any) => type === 'tool-result');
    return { output: part.output, declared };
  }

  it('is declared as such: bash_20250124', async () => {
    await using bash = anthropicBash({ session: 'cwd' });
    const { output, declared } = await outputOf({ bash }, 'bash', { command: 'echo works' });
    expect(declared).toEqual([expect.objectContaining({ type: 'provider', id: 'anthropic.bash_20250124' })]);
    expect(output).toMatchObject({ type: 'text', value: expect.stringContaining('works') });
  });

  it('takes a restart alone: bash_20250124', async () => {
    await using bash = anthropicBash({ session: 'cwd' });
    const { output } = await outputOf({ bash }, 'bash', { restart: true });
    // The tool answers, in its own words, and not a validator of the SDK.
    expect(output.value).toMatch(/restart/);
    expect(output.value).not.toMatch(/[Ii]nvalid|validation/);
  });

  it('answers in the form of the API: shell', async () => {
    await using shell = openaiShell();
    const action = { commands: ['echo one', 'exit 3'], timeoutMs: 5_000, maxOutputLength: 1_000 };
    const { output, declared } = await outputOf({ shell }, 'shell', { action });
    expect(declared).toEqual([expect.objectContaining({ type: 'provider', id: 'openai.shell' })]);
    expect(output).toMatchObject({
      type: 'json',
      value: {
        output: [
          { stdout: 'one\n', stderr: '', outcome: { type: 'exit', exitCode: 0 } },
          { stdout: '', stderr: '', outcome: { type: 'exit', exitCode: 3 } },
        ],
        maxOutputLength: 1_000,
      },
    });
  });

  it('reports a timeout: shell', async () => {
    await using shell = openaiShell();
    const action = { commands: ['echo part; sleep 99'], timeoutMs: 200 };
    const { output } = await outputOf({ shell }, 'shell', { action });
    expect(output.value.output).toEqual([{ stdout: 'part\n', stderr: '', outcome: { type: 'timeout' } }]);
  });

  it.each(
    ['approves', 'rejects'].flatMap((person) => [
      { person, name: 'bash', make: anthropicBash, args: { command: 'echo ran' } },
      { person, name: 'shell', make: openaiShell, args: { action: { commands: ['echo ran'] } } },
      {
        person,
        name: 'local_shell',
        make: openaiLocalShell,
        args: { action: { type: 'exec', command: ['echo', 'ran'] } },
      },
    ]),
  )(
    'asks the user, who $person, also if another process goes on: $name',
    async ({ person, name, make, args }) => {
      const approve = () => 'ask' as const;
      const [here, elsewhere] = [make({ approve }), make({ approve })] as Any[];
      const model = version.model([toolCalls([{ name, args }]), done, done]);
      const messages: Any[] = [{ role: 'user', content: 'go' }];
      const options = { model, stopWhen: stop(2) };
      const first = await ai.generateText({ ...options, tools: { [name]: here }, messages });
      const [request] = first.content.filter(({ type }: Any) => type === 'tool-approval-request');
      const answer = {
        type: 'tool-approval-response',
        approvalId: request.approvalId,
        approved: person === 'approves',
      };
      messages.push(...first.response.messages, { role: 'tool', content: [answer] });
      await ai.generateText({
        ...options,
        tools: { [name]: elsewhere },
        messages: structuredClone(messages),
      });
      const { output } = answersOf(model)[0];
      expect(/ran\\n|^"ran"$|"value":"ran"/.test(JSON.stringify(output))).toBe(person === 'approves');
      for (const tool of [here, elsewhere]) await tool[Symbol.asyncDispose]();
    },
  );

  it('answers with text: local_shell', async () => {
    await using shell = openaiLocalShell();
    const action = { type: 'exec', command: ['echo', 'two  words'] };
    const { output } = await outputOf({ local_shell: shell }, 'local_shell', { action });
    expect(output.value.output).toContain('two  words');
  });
});

describe('the sandbox interface of ai 7', async () => {
  const { sandbox } = await import('agent-bash/ai-sdk');
  const { temporaryDirectory } = await import('../support/directory.js');
  const { mkdirSync, symlinkSync, writeFileSync } = await import('node:fs');
  const root = temporaryDirectory();

  function session(options = {}) {
    const opened = sandbox({ root, shell: '/bin/bash', ...options });
    onTestFinished(() => opened[Symbol.asyncDispose]());
    return opened;
  }

  it('is what a tool gets as experimental_sandbox', async () => {
    const model = VERSIONS[1]?.model([toolCalls([{ name: 'where', args: {} }]), done]);
    const where = ai7.tool({
      inputSchema: ai7.jsonSchema({ type: 'object', properties: {} }),
      execute: async (_input: unknown, { experimental_sandbox }: Any) =>
        experimental_sandbox.run({ command: 'pwd' }),
    });
    await ai7.generateText({
      model,
      tools: { where },
      stopWhen: ai7.isStepCount(2),
      prompt: 'go',
      experimental_sandbox: session(),
    } as Any);
    const { prompt } = model.doGenerateCalls.at(-1);
    expect(prompt.at(-1).content[0].output.value).toEqual({ exitCode: 0, stdout: `${root}\n`, stderr: '' });
  });

  it('runs commands, and says how they ended', async () => {
    const { run } = session();
    expect(await run({ command: 'echo $A; exit 3', env: { A: 'b' } })).toEqual({
      exitCode: 3,
      stdout: 'b\n',
      stderr: '',
    });
    expect((await run({ command: 'kill -9 $$' })).exitCode).toBe(137);
    expect(
      await run({ command: 'echo part; sleep 99', abortSignal: AbortSignal.timeout(300) }),
    ).toMatchObject({
      exitCode: 130,
      stdout: 'part\n',
    });
    const outside = await run({ command: 'true', workingDirectory: '/' });
    expect(outside.exitCode).toBe(127);
    expect(outside.stderr).toContain('outside');
  });

  it.each(['', '  ', 'a\0b', 5])('answers a command that can not be run: %o', async (command) => {
    const { exitCode, stderr } = await session().run({ command: command as string });
    expect([exitCode, stderr]).toEqual([127, expect.stringContaining('Invalid command')]);
  });

  describe.each(['sandbox', 'target'] as const)('with the option %s', (kind) => {
    it('carries out its file methods where its commands run', {
      tags: kind === 'sandbox' ? ['sandbox'] : [],
    }, async () => {
      const directory = temporaryDirectory();
      const target = { exec: ['sh', '-c', 'exec "$@"', 'sh'] };
      const own =
        kind === 'target'
          ? { root: undefined, cwd: directory, target }
          : { root: directory, sandbox: 'workspace-write' };
      const here = session(own as Any);
      await here.writeTextFile({ path: "a/it's one.txt", content: 'one\ntwo\nthree' });
      await here.writeBinaryFile({ path: 'b', content: new Uint8Array([0, 255]) });
      await here.writeFile({ path: 'c', content: new Blob(['stream']).stream() });
      symlinkSync('b', `${directory}/link`);
      expect((await here.run({ command: 'cat a/*; ls' })).stdout).toBe('one\ntwo\nthreea\nb\nc\nlink\n');
      expect(await here.readTextFile({ path: `${directory}/a/it's one.txt`, startLine: 2, endLine: 2 })).toBe(
        'two',
      );
      expect([...((await here.readBinaryFile({ path: 'b' })) ?? [])]).toEqual([0, 255]);
      expect(await new Response((await here.readFile({ path: 'c' })) as Any).text()).toBe('stream');
      expect(await here.stat({ path: 'c' })).toEqual({ type: 'file', size: 6 });
      expect(await here.stat({ path: 'a' })).toMatchObject({ type: 'directory' });
      expect(await here.listDirectory({ path: '.' })).toEqual([
        { name: 'a', type: 'directory' },
        { name: 'b', type: 'file' },
        { name: 'c', type: 'file' },
        { name: 'link', type: 'symlink' },
      ]);
      expect([await here.deleteFile({ path: 'link' }), await here.deleteFile({ path: 'link' })]).toEqual([
        true,
        false,
      ]);
      for (const missing of [here.readFile, here.readBinaryFile, here.stat, here.listDirectory])
        expect(await missing({ path: 'missing' })).toBeNull();
    });
  });

  it('keeps its file methods in the root on a target', async () => {
    const directory = temporaryDirectory();
    symlinkSync('/etc', `${directory}/out`);
    const target = { exec: ['sh', '-c', 'exec "$@"', 'sh'] };
    const here = session({ root: directory, target } as Any);
    await here.writeTextFile({ path: 'a/large', content: 'x'.repeat(3_000_000) });
    expect((await new Response((await here.readFile({ path: 'a/large' })) as Any).text()).length).toBe(
      3_000_000,
    );
    await expect(here.readFile({ path: 'out/passwd' })).rejects.toMatchObject({ code: 'PATH_OUTSIDE' });
    await expect(here.writeTextFile({ path: '../x', content: '' })).rejects.toMatchObject({
      code: 'PATH_OUTSIDE',
    });
    await expect(here.deleteFile({ path: 'a' })).rejects.toMatchObject({ code: 'EISDIR' });
  });

  it('writes no file that its sandbox keeps from commands', { tags: ['sandbox'] }, async () => {
    const directory = temporaryDirectory();
    const here = session({ root: directory, sandbox: { level: 'workspace-write', protected: ['kept'] } });
    await expect(here.writeTextFile({ path: 'kept', content: 'x' })).rejects.toThrow("'kept'");
    await expect(here.writeTextFile({ path: '/etc/agent-bash', content: 'x' })).rejects.toThrow('outside of');
    symlinkSync('/var/tmp', `${directory}/out`);
    await expect(here.writeTextFile({ path: 'out/agent-bash-x', content: 'x' })).rejects.toThrow('Read-only');
  });

  it('names an unknown option: a misspelled root would bound nothing', () => {
    expect(() => sandbox({ rot: root } as Any)).toThrow("'options.rot': unknown");
  });

  it('spawns a process whose streams are read, and which is written to', async () => {
    const { spawn } = session();
    const process = await spawn({ command: 'cat; echo end >&2', stdin: true });
    const writer = process.stdin.getWriter();
    await writer.write(new TextEncoder().encode('hello'));
    await writer.close();
    const [stdout, stderr] = await Promise.all([
      textOf(Readable.fromWeb(process.stdout as Any)),
      textOf(Readable.fromWeb(process.stderr as Any)),
    ]);
    expect([stdout, stderr]).toEqual(['hello', 'end\n']);
    expect(await process.wait()).toEqual({ exitCode: 0 });
  });

  it('kills a process, again and again, and rejects wait() after an abort', async () => {
    const { spawn } = session();
    const killed = await spawn({ command: 'sleep 99' });
    await killed.kill();
    await killed.kill();
    expect(await killed.wait()).toEqual({ exitCode: 143 });
    const abort = new AbortController();
    const aborted = await spawn({ command: 'sleep 99', abortSignal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(aborted.wait()).rejects.toThrow('enough');
  });

  it('reads and writes files, below its root only', async () => {
    const files = session();
    await files.writeTextFile({ path: 'a/b.txt', content: 'one\ntwo\nthree\n' });
    expect(await files.readTextFile({ path: 'a/b.txt', startLine: 2, endLine: 3 })).toBe('two\nthree');
    expect(await files.readTextFile({ path: 'missing' })).toBeNull();
    await files.writeBinaryFile({ path: 'c', content: new Uint8Array([1, 2]) });
    expect([...((await files.readBinaryFile({ path: 'c' })) ?? [])]).toEqual([1, 2]);
    await files.writeFile({ path: 'd', content: new Blob(['stream']).stream() as Any });
    const stream = await files.readFile({ path: 'd' });
    expect(await textOf(Readable.fromWeb(stream as Any))).toBe('stream');
    expect(await files.stat({ path: 'a' })).toMatchObject({ type: 'directory' });
    expect(await files.stat({ path: 'c' })).toEqual({ type: 'file', size: 2 });
    expect(await files.listDirectory({ path: 'a' })).toEqual([{ name: 'b.txt', type: 'file' }]);
    expect(await files.listDirectory({ path: 'missing' })).toBeNull();
    await expect(files.listDirectory({ path: 'c' })).rejects.toThrow('ENOTDIR');
    expect(await files.deleteFile({ path: 'c' })).toBe(true);
    expect(await files.deleteFile({ path: 'c' })).toBe(false);
    await expect(files.deleteFile({ path: 'a' })).rejects.toThrow();
  });

  it('shares a signal among many files without a warning of a leak, and ends with it', async () => {
    const files = session();
    const warnings: Error[] = [];
    const listener = (warning: Error) => warnings.push(warning);
    process.on('warning', listener);
    onTestFinished(() => void process.off('warning', listener));
    const abort = new AbortController();
    const { signal: abortSignal } = abort;
    await files.writeTextFile({ path: 'shared', content: 'x' });
    const reading = Array.from({ length: 20 }, () => files.readFile({ path: 'shared', abortSignal }));
    const streams = (await Promise.all(reading)) as Any[];
    const never = new ReadableStream({});
    const writing = Array.from({ length: 20 }, (_, index) =>
      files.writeFile({
        path: `shared-${index}`,
        content: index === 0 ? never : new Blob(['x']).stream(),
        abortSignal,
      } as Any),
    );
    await Promise.all(writing.slice(1));
    abort.abort(new Error('enough'));
    await expect(writing[0]).rejects.toThrow('enough');
    // A short file may have been read before.
    for (const stream of streams) await textOf(Readable.fromWeb(stream)).catch(() => {});
    const late: Any = await files.readFile({ path: 'shared', abortSignal });
    await expect(textOf(Readable.fromWeb(late))).rejects.toThrow('enough');
    expect(warnings).toEqual([]);
  });

  it('does not leave its root, also not by a link', async () => {
    const files = session();
    const elsewhere = temporaryDirectory();
    mkdirSync(`${root}/links`);
    symlinkSync(elsewhere, `${root}/links/out`);
    symlinkSync(`${elsewhere}/new`, `${root}/links/dangling`);
    writeFileSync(`${elsewhere}/secret`, 'secret');
    for (const path of ['../x', '/etc/passwd', 'links/out/secret', 'links/dangling', 'links/out/new/x']) {
      await expect(files.readTextFile({ path }), path).rejects.toThrow('outside');
      await expect(files.writeTextFile({ path, content: 'x' }), path).rejects.toThrow('outside');
    }
    // The link itself is in the root.
    expect(await files.deleteFile({ path: 'links/dangling' })).toBe(true);
  });
});
