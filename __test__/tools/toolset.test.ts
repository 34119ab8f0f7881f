import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTool, createTools, dialects, type ToolEvent, type ToolUpdate } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { sleeping } from '../support/sleeping.js';
import { tag } from '../support/tag.js';
import { argumentsOf, ONE_JOB } from './arguments.js';

/** A cycle, which is no JSON. */
function cyclic(): unknown {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

describe.each([...dialects])('the toolset of %s', (dialect) => {
  it('answers whatever it is given, with text', async () => {
    await using toolset = createTools(dialect);
    const strange = [undefined, null, 5, 'no json', '[]', [], cyclic(), 10n, { command: { a: 1 } }];
    for (const tool of toolset) {
      for (const args of strange) {
        const { text } = await tool.execute(args);
        expect(text).not.toBe('');
      }
    }
  });

  it('answers arguments that can not be read with an error', async () => {
    await using toolset = createTools(dialect);
    for (const tool of toolset) {
      const { text, isError } = await tool.execute('{"job');
      expect([tool.name, isError, text]).toEqual([tool.name, true, expect.stringMatching(/JSON/)]);
      expect(text).not.toMatch(/was ended|Successfully|no new output|no jobs/);
    }
  });

  it('answers a call that is aborted before it starts with an error', async () => {
    await using toolset = createTools(dialect, { approve: () => 'allow' });
    for (const tool of toolset) {
      const { isError } = await tool.execute(ONE_JOB, { signal: AbortSignal.abort() });
      expect([tool.name, isError]).toEqual([tool.name, true]);
    }
  });

  it('has schemas for objects without other properties', () => {
    const toolset = createTools(dialect);
    for (const { inputSchema, outputSchema, description, title } of toolset) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: 'object' });
      expect([description, title]).not.toContain('');
    }
  });

  it('gives the reason of a denial as text, whatever it was', async () => {
    const approve = () => ({ verdict: 'deny' as const, reason: 403 as unknown as string });
    await using toolset = createTools(dialect, { approve });
    const { text } = (await toolset.tools[0]?.execute(argumentsOf(dialect, 'echo no'))) ?? {};
    expect(text).toContain('403');
    expect(text).not.toContain('invalid type');
  });

  it('runs nothing that is not approved, and says why', async () => {
    const approve = () => ({ verdict: 'deny' as const, reason: 'because of me' });
    await using toolset = createTools(dialect, { approve });
    const [tool] = toolset.tools;
    const { text, isError, run } = (await tool?.execute(argumentsOf(dialect, 'echo no'))) ?? {};
    expect(text).toContain('because of me');
    expect([isError, run]).toEqual([true, undefined]);
  });

  it('is disposed of with open calls and jobs', async () => {
    const seconds = tag();
    const toolset = createTools(dialect);
    const call = toolset.tools[0]?.execute(argumentsOf(dialect, `echo part; sleep ${seconds}`));
    await sleeping(seconds);
    await toolset.dispose();
    expect((await call)?.isError).toBeDefined();
    const late = await toolset.tools[0]?.execute(argumentsOf(dialect, 'echo late'));
    expect(late).toMatchObject({ isError: true, text: expect.stringContaining('disposed of') });
  });
});

describe('a tool', () => {
  it('reports output while the command runs, and the result last', async () => {
    const tool = createTool('bash', { updates: { intervalMs: 10 } });
    const updates: ToolUpdate[] = [];
    for await (const update of tool.stream({ command: 'echo one; sleep 0.2; echo two' }))
      updates.push(update);
    expect(updates.at(-1)).toMatchObject({ done: true, text: 'one\ntwo\n[exit code: 0]' });
    expect(updates.at(0)).toEqual({ done: false, text: 'one\n', tail: 'one', chunk: 'one\n' });
    expect(
      updates
        .slice(0, -1)
        .map(({ chunk }) => chunk)
        .join(''),
    ).toBe('one\ntwo\n');
  });

  it('ends its command when the stream is left', async () => {
    const tool = createTool('bash', { updates: { intervalMs: 10 } });
    const ended = new Promise<ToolEvent>((resolve) => {
      const toolset = createTools('bash', { updates: { intervalMs: 10 } });
      toolset.on('result', resolve);
      void (async () => {
        for await (const _ of toolset.tools[0]?.stream({ command: 'echo one; sleep 99' }) ?? []) break;
      })();
    });
    expect(await ended).toMatchObject({ result: { text: 'one\n[aborted; exit code: 143]' } });
    await tool[Symbol.asyncDispose]();
  });

  it('settles when a listener throws', async () => {
    const tool = createTool('bash');
    const onUpdate = () => {
      throw new Error('not mine');
    };
    const { text } = await tool.execute({ command: 'echo hi' }, { onUpdate });
    expect(text).toBe('hi\n[exit code: 0]');
  });

  it('goes on with its stream when a listener throws', async () => {
    const tool = createTool('bash', { updates: { intervalMs: 10 } });
    const onUpdate = () => {
      throw new Error('not mine');
    };
    // Each line is in an update of its own: the command goes on when the last one was seen.
    const directory = temporaryDirectory();
    const command = 'for i in 1 2 3; do echo $i; until [ -e $i ]; do sleep 0.01; done; done';
    const texts: string[] = [];
    for await (const { done, text } of tool.stream({ command, cwd: directory }, { onUpdate })) {
      if (done) break;
      texts.push(text);
      writeFileSync(join(directory, String(text.trimEnd().split('\n').length)), '');
    }
    expect(texts.at(-1)).toBe('1\n2\n3\n');
  });

  it('asks before it runs, and runs only what was granted', async () => {
    const tool = createTool('bash', { approve: () => 'ask' });
    const args = { command: 'echo hi' };
    const { verdict, command, token } = await tool.decide(args);
    expect([verdict, command]).toEqual(['ask', 'echo hi']);
    expect((await tool.execute(args)).text).toContain('needs an approval');
    const granted = { approval: 'granted', approvalToken: token } as const;
    expect((await tool.execute(args, granted)).text).toBe('hi\n[exit code: 0]');
    const other = await tool.execute({ command: 'echo other' }, granted);
    expect(other).toMatchObject({
      isError: true,
      text: expect.stringContaining('not the call that was approved'),
    });
  });

  it.each(['deny', 'ask', 'yes', true, false, null])(
    'runs nothing for an unknown approval: %o',
    async (approval) => {
      const tool = createTool('bash', { approve: () => 'deny' });
      const { text, isError } = await tool.execute(
        { command: 'echo ran' },
        { approval: approval as 'granted' },
      );
      expect(text).toContain("invalid 'approval': expected 'granted' or 'denied', got");
      expect(isError).toBe(true);
    },
  );

  it('says of input that was denied only why', async () => {
    const approve = ({ tool }: { tool: string }) => (tool === 'bash' ? 'allow' : 'deny');
    await using toolset = createTools('bash', { approve });
    const { jobId } = await toolset.call('bash', { command: 'cat; sleep 99', background: true });
    const denied = await toolset.call('bash_write', { job: jobId, text: 'no\n' });
    expect(denied).toMatchObject({ text: 'Error: not allowed: the host has denied it', isError: true });
  });

  it.each([
    [{ signal: {} }, "'signal': expected an AbortSignal, got {}"],
    [{ yieldMs: '5s' }, "'yieldMs': expected a number of milliseconds"],
  ])('names a wrong value of the context: %o', async (context, expected) => {
    const { text, isError } = await createTool('bash').execute({ command: 'echo ran' }, context as object);
    expect([text, isError]).toEqual([expect.stringContaining(expected), true]);
  });

  it('decides with a reason that names the host where approve gives none', async () => {
    const { reason } = await createTool('bash', { approve: () => 'deny' }).decide({ command: 'echo no' });
    expect(reason).toBe('the host has denied it');
  });

  it.each(['its signal', 'the disposal of the toolset'])('ends a decision at %s', async (end) => {
    const toolset = createTools('bash', { approve: () => new Promise<never>(() => {}) });
    const controller = new AbortController();
    const [tool] = toolset.tools;
    const deciding = tool?.decide({ command: 'echo hi' }, { signal: controller.signal });
    if (end === 'its signal') controller.abort();
    else await toolset.dispose();
    expect(await deciding).toMatchObject({ verdict: 'deny', reason: 'the call was aborted' });
    await toolset.dispose();
  });

  it('checks and normalizes arguments by Standard Schema', () => {
    const { validate } = createTool('bash')['~standard'];
    expect(validate({ command: 'ls', timeout_ms: '50', stdin: null, other: 1 })).toEqual({
      value: { command: 'ls', timeout_ms: 50 },
    });
    expect(validate({})).toMatchObject({ issues: [{ path: ['command'] }] });
    expect(validate({ command: ' ' })).toMatchObject({
      issues: [{ message: expect.stringContaining('command') }],
    });
  });

  it('yields to a caller that can not wait, and goes on as a job', async () => {
    await using toolset = createTools('bash');
    const { jobId } = await toolset.call('bash', { command: 'sleep 0.3; echo late' }, { yieldMs: 50 });
    const { text } = await toolset.call('bash_read', { job: jobId, wait_ms: 10_000 });
    expect(text).toContain('late');
  });

  it.each([
    ['voice', /^hi\n\n\[Process is still running in the background \(pid \d+\)\]\n\[Exit code: unknown\]$/],
    ['rye', /"error":"Command is still running in the background \(pid \d+\)","output":"hi/],
    [
      'execute_bash_command',
      /\nError: The command is still running in the background \(pid \d+\)\nExit Code: \(none\)\n/,
    ],
    ['openai-local-shell', /^hi\n\[still running in the background \(pid \d+\)\]$/],
    [
      'codex-shell',
      /^Exit code: 124\n.*\nOutput:\ncommand is still running in the background \(pid \d+\)\nhi\n$/,
    ],
    [
      'claude-code',
      /^hi\nCommand is still running after 0\.\ds and was moved to the background with ID: bash_1; it/,
    ],
  ] as const)('says that a command goes on after its call has answered: %s', async (dialect, expected) => {
    await using toolset = createTools(dialect);
    const [tool] = toolset.tools;
    const args = argumentsOf(dialect, 'echo hi; sleep 99');
    const { text } = (await tool?.execute(args, { yieldMs: 500 })) ?? {};
    expect(text).toMatch(expected);
  });

  it('keeps the directory of a session within its root', async () => {
    const directory = temporaryDirectory();
    await using toolset = createTools('claude-code', { root: directory, cwd: directory });
    await toolset.call('Bash', { command: 'mkdir sub && cd sub' });
    expect((await toolset.call('Bash', { command: 'basename "$PWD"; cd /' })).text).toContain(
      'sub\nShell cwd was reset to',
    );
    expect((await toolset.call('Bash', { command: 'basename "$PWD"; exit 3' })).text).toBe(
      'Exit code 3\nsub',
    );
  });

  it('adds nothing to the output of a command that removes its directory', async () => {
    await using toolset = createTools('bash', { session: 'cwd', cwd: temporaryDirectory() });
    const { text } = await toolset.call('bash', { command: 'mkdir sub; cd sub; rmdir ../sub' });
    expect(text).toBe('(no output)\n[exit code: 0]');
  });

  it('reports calls, decisions, results and jobs to an audit', async () => {
    const types: string[] = [];
    const toolset = createTools('bash', { approve: () => 'allow', onEvent: ({ type }) => types.push(type) });
    await toolset.call('bash', { command: 'sleep 99', background: true });
    await toolset.dispose();
    expect(types).toEqual(['call', 'decision', 'result', 'job']);
  });

  it.each(['its signal', 'the disposal of the toolset'])(
    'ends a call that waits for the path of a URL at %s',
    async (end) => {
      const toolset = createTools('oh-my-pi', { resolveUrl: () => new Promise<never>(() => {}) });
      const controller = new AbortController();
      const { signal } = controller;
      const calls = [
        toolset.tools[0]?.execute({ command: 'cat skill://a' }, { signal }),
        toolset.tools[0]?.decide({ command: 'cat skill://a' }, { signal }),
      ];
      if (end === 'its signal') controller.abort();
      else await toolset.dispose();
      expect(await Promise.all(calls)).toMatchObject([
        { isError: true, text: expect.stringContaining('abort') },
        { verdict: 'deny', reason: 'the call was aborted' },
      ]);
      await toolset.dispose();
    },
  );

  it('names a signal that it can not send, beside the output', async () => {
    const directory = temporaryDirectory();
    await using toolset = createTools('bash', { cwd: directory });
    // The output comes after the answer to the start, which would have it otherwise.
    const command = 'until [ -e go ]; do sleep 0.01; done; echo out; sleep 99';
    const { jobId: job } = await toolset.call('bash', { command, background: true });
    writeFileSync(join(directory, 'go'), '');
    await toolset.jobs.get(String(job))?.ready({ pattern: 'out' });
    const { text, isError } = await toolset.call('bash_write', { job, signal: 'SIGNOTHING' });
    expect(text).toMatch(/^Error: Unknown signal: 'SIGNOTHING'; .*\nout\n\[running, pid \d+\]$/);
    expect(isError).toBe(true);
  });

  it('reports the end of a job whose call had a number as its id', async () => {
    await using toolset = createTools('claude-code', { form: 'current' });
    const ended = new Promise<string | null>((resolve) => {
      toolset.on('job', ({ notice }) => resolve(notice));
    });
    const callId = 5 as unknown as string;
    await toolset.call('Bash', { command: 'true', run_in_background: true }, { callId });
    expect(await ended).toContain('<tool-use-id>5</tool-use-id>');
  });

  it('turns internal URLs into paths, quoted where they stand', async () => {
    const resolveUrl = (url: string) => `/tmp/it's ${url.slice('skill://'.length)}`;
    const tool = createTool('oh-my-pi', { resolveUrl });
    const { text } = await tool.execute({ command: `printf '%s\\n' skill://a "skill://b" 'skill://c'` });
    expect(text).toContain("/tmp/it's a\n/tmp/it's b\n/tmp/it's c\n");
  });
});

describe('wrong options', () => {
  it.each([
    [{ timeout: -1 }, "'options.timeout'"],
    [{ output: { maxBytes: 0 } }, "'options.output.maxBytes'"],
    [{ nothing: 1 }, "'options.nothing': unknown"],
    [{ output: { spill: { folder: '/tmp' } } }, "'options.output.spill.folder': unknown"],
    [{ output: { spill: { directory: 5 } } }, "'options.output.spill.directory'"],
    [{ jobs: { maxRunning: 0 } }, "'options.jobs.maxRunning'"],
    [{ jobs: { nothing: 0 } }, "'options.jobs.nothing': unknown"],
    [{ limits: 5 }, "'options.limits': expected an object, got 5"],
    [{ shell: false }, "'options.shell'"],
    [{ shell: [] }, "'options.shell': expected 'auto', a path, or a path and flags, got []"],
    [{ name: 'bash_read' }, "'options.name': expected another name than those of the companions"],
    [{ tools: [5] }, "'options.tools': expected a list of strings, got [ 5 ]"],
    [{ description: 5 }, "'options.description': expected text, or a function that returns text, got 5"],
    [
      { description: () => 5 },
      "'options.description': expected text, or a function that returns text, got 5",
    ],
    [{ compat: 'signal' }, "'options.compat': expected true or false, got 'signal'"],
    [{ session: 'cwd', shell: '/bin/fish' }, "expected 'none', as the shell is not bash, got 'cwd'"],
    [
      { session: 'carry', shell: '/bin/sh' },
      "expected 'none' or 'cwd', as the shell is not bash, got 'carry'",
    ],
    [{ session: 'live', shell: '/bin/sh' }, "expected 'none' or 'cwd', as the shell is not bash, got 'live'"],
  ])('are named: %o', (options, name) => {
    expect(() => createTools('bash', options as object)).toThrow(name);
  });

  it('are none where the shell is the usual one, which is bash', async () => {
    await using toolset = createTools('bash', { shell: 'auto', session: 'live' });
    await toolset.call('bash', { command: 'x=kept' });
    expect((await toolset.call('bash', { command: 'echo $x' })).text).toContain('kept');
  });

  it('names the dialects that there are', () => {
    expect(() => createTools('nothing' as 'bash')).toThrow('bash, voice, rye');
  });
});
