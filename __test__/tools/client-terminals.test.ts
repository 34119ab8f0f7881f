import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ClientTerminal,
  type ClientTerminalExit,
  type ClientTerminalOutput,
  type ClientTerminalRequest,
  type ClientTerminals,
  createTool,
  createTools,
  type Dialect,
  dialects,
  type ToolUpdate,
} from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { argumentsOf } from './arguments.js';

/** A client that answers as a test says, and the requests that it got. */
interface Scripted extends ClientTerminals {
  calls: string[];
  requests: ClientTerminalRequest[];
}

interface Script extends Partial<ClientTerminal> {
  exit?: ClientTerminalExit;
  output?: string;
  truncated?: boolean;
  create?: (terminal: ClientTerminal) => Promise<ClientTerminal>;
  signal?: AbortSignal;
}

/** Returns a promise, and the function that resolves it. */
function withResolvers<Value>() {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const never = () => new Promise<never>(() => {});

/** Makes a client whose commands end at once, with what the script says. */
function scripted({
  exit = { exitCode: 0 },
  output = '',
  truncated = false,
  ...script
}: Script = {}): Scripted {
  const calls: string[] = [];
  const requests: ClientTerminalRequest[] = [];
  const noted = <Answer>(name: string, answer: () => Promise<Answer>) => {
    calls.push(name);
    return answer();
  };
  const terminal: ClientTerminal = {
    id: 'term-1',
    currentOutput: () => noted('output', script.currentOutput ?? (async () => ({ output, truncated }))),
    waitForExit: () => noted('wait', script.waitForExit ?? (async () => exit)),
    kill: () => noted('kill', script.kill ?? (async () => ({}))),
    release: () => noted('release', script.release ?? (async () => ({}))),
  };
  const create = (request: ClientTerminalRequest) => {
    requests.push(request);
    return noted('create', () => script.create?.(terminal) ?? Promise.resolve(terminal));
  };
  return { create, signal: script.signal, calls, requests };
}

function call(
  terminals: ClientTerminals,
  dialect: Dialect = 'bash',
  options: object = {},
  context: object = {},
) {
  const tool = createTool(dialect, { terminals, ...options });
  return tool.execute(argumentsOf(dialect, 'make'), context);
}

/** Whether a foreground call of a dialect runs in a terminal of the client. */
const isForeground = (dialect: Dialect) => dialect !== 'codex-exec';

describe('a command in a terminal of the client', () => {
  it('is the shell and the line, in the directory, with the variables of the call alone', async () => {
    const directory = temporaryDirectory();
    const client = scripted();
    await call(client, 'bash', { cwd: directory, env: { A: '1', B: undefined }, shell: '/bin/zsh' });
    const [{ env, ...request }] = client.requests as [ClientTerminalRequest];
    expect(request).toEqual({
      command: '/bin/zsh',
      args: ['-c', 'make'],
      cwd: directory,
      outputByteLimit: 1_048_576,
    });
    const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    expect(variables).toMatchObject({ A: '1', GIT_TERMINAL_PROMPT: '0' });
    expect(Object.keys(variables)).not.toContain('PATH');
    expect(Object.keys(variables)).not.toContain('B');
  });

  it('has the answer of a command here, and names its terminal', async () => {
    const result = await call(scripted({ output: 'done\n' }));
    expect(result).toMatchObject({ isError: false, terminalId: 'term-1' });
    expect(result.text).toContain('done');
    expect(result.run).toMatchObject({
      status: 'exited',
      exitCode: 0,
      stdout: 'done\n',
      stderr: '',
      pid: null,
    });
  });

  it.each([...dialects].filter(isForeground))('has its output and its exit code in %s', async (dialect) => {
    const client = scripted({ output: 'a failure\n', exit: { exitCode: 3 } });
    const result = await call(client, dialect);
    expect(result.text).toContain('a failure');
    expect(result.run).toMatchObject({ status: 'exited', exitCode: 3 });
    expect(client.calls).toEqual(['create', 'wait', 'output', 'release']);
  });

  it('has output without escape sequences, cut for the model', async () => {
    const output = `\u001b[31mred\u001b[0m\n${'x'.repeat(99)}\n`.repeat(1_000);
    const { text, run } = await call(scripted({ output }), 'bash', { output: { maxBytes: 1_000 } });
    expect(text).toContain('red\n');
    expect(text.length).toBeLessThan(2_000);
    expect(run).toMatchObject({ totalBytes: { stdout: 113_000 } });
  });

  it('says first that the client has dropped output', async () => {
    const { run } = await call(scripted({ output: 'end\n', truncated: true }));
    expect(run?.stdout).toBe('[the client has dropped earlier output]\nend\n');
  });

  it.each(['9', 'KILL', 'SIGKILL', 'sigkill'])('was ended by the signal %s', async (signal) => {
    const { run, data } = await call(scripted({ exit: { exitCode: null, signal } }), 'codex-shell');
    expect(run).toMatchObject({ status: 'signaled', signal: 'SIGKILL', exitCode: null });
    expect(JSON.stringify(data)).toContain('137');
  });

  it('was ended by a signal beside which the client has the exit code 0', async () => {
    const { run } = await call(scripted({ exit: { exitCode: 0, signal: 'SIGTERM' } }));
    expect(run).toMatchObject({ status: 'signaled', signal: 'SIGTERM' });
  });

  it('has its terminal in the data of oh-my-pi, also when the client is lost', async () => {
    const ended = await call(scripted(), 'oh-my-pi');
    const lost = await call(scripted({ waitForExit: () => Promise.reject(new Error('closed')) }), 'oh-my-pi');
    expect([ended.data.terminalId, lost.data.terminalId]).toEqual(['term-1', 'term-1']);
  });

  it('exits with 137 after any signal in oh-my-pi', async () => {
    const { text, data } = await call(scripted({ exit: { signal: 'SIGTERM' } }), 'oh-my-pi');
    expect(text).toContain('Command exited with code 137');
    expect(data.exitCode).toBe(137);
  });

  it('is failed if the client does not say how it ended', async () => {
    const client = scripted({ exit: {}, output: 'part\n' });
    const result = await call(client);
    expect(result.run).toMatchObject({ status: 'failed', error: { code: 'TERMINAL_STATUS' } });
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('part') });
    const { text } = await call(scripted({ exit: {}, output: 'part\n' }), 'oh-my-pi');
    expect(text).toBe('part\n\nCommand failed: missing exit status');
  });
});

describe('a client', () => {
  it('that opens no terminal fails the command, with its reason', async () => {
    const error = Object.assign(new Error('Internal error'), { data: { details: 'not allowed: no' } });
    const { run, text, isError } = await call(scripted({ create: () => Promise.reject(error) }));
    const message = "the client can't open a terminal: Internal error: not allowed: no";
    expect(run).toMatchObject({ status: 'failed', error: { code: 'TERMINAL_START', message } });
    expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining(message) });
  });

  it.each([[undefined], ['term-1'], [{ id: 'term-1' }]])(
    'that gives %j in place of a terminal',
    async (given) => {
      const { run } = await call(scripted({ create: async () => given as unknown as ClientTerminal }));
      expect(run?.error?.message).toBe("the client can't open a terminal: it gave no terminal");
    },
  );

  it.each([...dialects].filter(isForeground))(
    'that is lost leaves the output so far in %s',
    async (dialect) => {
      const connection = new AbortController();
      const client = scripted({
        signal: connection.signal,
        waitForExit: never,
        currentOutput: async () => ({ output: 'the first half\n', truncated: false }),
      });
      const onUpdate = ({ text }: ToolUpdate) => text.includes('half') && connection.abort();
      const { run, text, isError } = await call(client, dialect, {}, { onUpdate });
      expect(run).toMatchObject({
        status: 'failed',
        error: { code: 'TERMINAL_LOST' },
        stdout: 'the first half\n',
      });
      expect(isError).toBe(true);
      expect(text).toContain('the command may still run there');
      expect(text.split('the first half')).toHaveLength(2);
      expect(client.calls.filter((name) => name === 'release')).toHaveLength(1);
    },
  );

  it.each([
    ['waitForExit', { waitForExit: () => Promise.reject(new Error('closed')) }],
    ['currentOutput', { currentOutput: () => Promise.reject(new Error('closed')) }],
    [
      'currentOutput, while the command runs,',
      { waitForExit: never, currentOutput: () => Promise.reject(new Error('closed')) },
    ],
  ])('that rejects %s is lost', async (_, script) => {
    const client = scripted(script);
    const { run } = await call(client, 'bash', {}, { onUpdate: () => {} });
    const message = "the client's terminal was lost: closed; the command may still run there";
    expect(run).toMatchObject({ status: 'failed', error: { code: 'TERMINAL_LOST', message } });
    expect(client.calls.at(-1)).toBe('release');
  });

  it('that gives no output is lost', async () => {
    const { run } = await call(scripted({ currentOutput: async () => ({}) as ClientTerminalOutput }));
    expect(run?.error?.message).toContain('its answer has no output');
  });

  it.each([...dialects].filter(isForeground))(
    'is told to kill what takes too long in %s',
    async (dialect) => {
      const client = scripted({ waitForExit: never, output: 'half\n', exit: {} });
      const { run, text } = await call(client, dialect, { timeout: { default: 50, max: 50 } });
      const status = dialect === 'gemini' ? 'idleTimeout' : 'timeout';
      expect(run).toMatchObject({ status, stdout: 'half\n', error: null });
      expect(text).toContain('half');
      const polls = dialect === 'gemini' ? client.calls.slice(2, -3) : [];
      expect(client.calls).toEqual(['create', 'wait', ...polls, 'kill', 'output', 'release']);
    },
  );

  it.each([...dialects].filter(isForeground))('is told to kill what is aborted in %s', async (dialect) => {
    const controller = new AbortController();
    const client = scripted({ waitForExit: never, output: 'half\n' });
    const onUpdate = () => controller.abort();
    const result = await call(client, dialect, {}, { onUpdate, signal: controller.signal });
    expect(result.run).toMatchObject({ status: 'aborted', stdout: 'half\n', pid: null });
    expect(result.text).toContain('half');
    expect(result.text).not.toContain('before it started');
    expect(Object(result.data).pid ?? null).toBeNull();
    expect(client.calls).toEqual(['create', 'wait', 'kill', 'output', 'release']);
  });

  it('is told to kill what writes nothing for the idle timeout, and nothing earlier', async () => {
    const outputs = ['1\n', '1\n2\n', '1\n2\n3\n'];
    const client = scripted({
      waitForExit: never,
      currentOutput: async () => ({
        output: (outputs.length > 1 ? outputs.shift() : outputs[0]) as string,
        truncated: false,
      }),
    });
    const { run, text } = await call(client, 'gemini', { timeout: 100 }, { onUpdate: () => {} });
    expect(run).toMatchObject({ status: 'idleTimeout', stdout: '1\n2\n3\n' });
    expect(text).toContain('without output');
    expect(client.calls.slice(-3)).toEqual(['kill', 'output', 'release']);
  });

  it('that never answers does not hold a call for more than 4 seconds after its timeout', async () => {
    const client = scripted({ waitForExit: never, currentOutput: never, kill: never, release: never });
    const start = performance.now();
    const { run } = await call(client, 'bash', { timeout: 50 });
    expect(run).toMatchObject({ status: 'timeout', stdout: '' });
    expect(client.calls).toEqual(['create', 'wait', 'kill', 'output', 'release']);
    expect(performance.now() - start).toBeGreaterThan(3_500);
  });

  it('that gives a terminal too late has to kill and to release it', async () => {
    const late = withResolvers<void>();
    const client = scripted({ create: (terminal) => late.promise.then(() => terminal) });
    const result = await call(client, 'bash', { timeout: 50 });
    expect(result.run).toMatchObject({ status: 'timeout' });
    expect(result.terminalId).toBeUndefined();
    late.resolve();
    await until(() => client.calls.includes('release'));
    expect(client.calls).toEqual(['create', 'kill', 'release']);
  });

  it('is told to kill all when the toolset is disposed of', async () => {
    const client = scripted({ waitForExit: never });
    const toolset = createTools('bash', { terminals: client });
    const running = toolset.call('bash', { command: 'make' });
    await until(() => client.calls.includes('wait'));
    await toolset.dispose();
    expect(client.calls.slice(2)).toEqual(['kill', 'output', 'release']);
    expect((await running).run?.status).toBe('aborted');
  });
});

describe('updates of a terminal of the client', () => {
  it('name the terminal once, and then have the output as it grows', async () => {
    const outputs = ['one\n', 'one\n 10%', 'one\n100%\n', 'e\n100%\nend\n'];
    const ended = withResolvers<ClientTerminalExit>();
    const client = scripted({
      waitForExit: () => ended.promise,
      currentOutput: async () => {
        if (outputs.length === 1) ended.resolve({ exitCode: 0 });
        const output = outputs.length === 1 ? (outputs[0] as string) : (outputs.shift() as string);
        return { output, truncated: false };
      },
    });
    const updates: ToolUpdate[] = [];
    await call(client, 'bash', {}, { onUpdate: (update: ToolUpdate) => updates.push(update) });
    expect(updates[0]).toEqual({ done: false, text: '', tail: '', chunk: '', terminalId: 'term-1' });
    expect(updates.slice(1).map(({ text }) => text)).toEqual(['one\n', 'one\n 10%', 'one\n100%\n']);
    expect(updates.map(({ chunk }) => chunk).join('')).toBe('one\n 10%\n100%\n');
    expect(updates.filter(({ terminalId }) => terminalId !== undefined)).toHaveLength(1);
  });

  it('have only what is new where the client drops the beginning', async () => {
    const numbered = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => `line ${from + index}\n`).join('');
    const outputs = [numbered(0, 100), numbered(50, 150), numbered(50, 150)];
    const ended = withResolvers<ClientTerminalExit>();
    const client = scripted({
      waitForExit: () => ended.promise,
      currentOutput: async () => {
        if (outputs.length === 1) ended.resolve({ exitCode: 0 });
        return { output: (outputs.length > 1 ? outputs.shift() : outputs[0]) as string, truncated: true };
      },
    });
    let chunks = '';
    await call(client, 'bash', {}, { onUpdate: ({ chunk }: ToolUpdate) => (chunks += chunk ?? '') });
    expect(chunks).toBe(numbered(0, 150));
  });
});

describe('the option terminals', () => {
  it.each([
    ['sandbox', { sandbox: 'workspace-write', root: '/tmp' }],
    ['limits', { limits: { openFiles: 100 } }],
    ['environment', { environment: { inherit: 'core' } }],
    ['extendEnv', { extendEnv: false }],
    ['background', { background: 'kill' }],
    ['target', { target: { container: { name: 'x' } } }],
    ['pipeStatus', { pipeStatus: true }],
    ['session', { session: 'live' }],
    ['startState', { startState: true }],
    ['record', { record: '/tmp/never' }],
    ['overlay', { overlay: {} }],
  ])('is a TypeError next to %s', (name, options) => {
    expect(() => createTools('bash', { terminals: scripted(), ...options } as object)).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        code: 'ERR_INVALID_ARG_VALUE',
        message: `Invalid option 'options.${name}': not available with terminals, which belong to the client`,
      }),
    );
  });

  it.each([
    [1, "'options.terminals': expected an object with a function create"],
    [{}, "'options.terminals': expected an object with a function create"],
    [{ create() {}, signal: 1 }, "'options.terminals.signal': expected an AbortSignal"],
  ])('names what is wrong with %j', (terminals, message) => {
    expect(() => createTools('bash', { terminals } as object)).toThrow(message);
  });

  it('leaves jobs, input and terminals on this machine', async () => {
    const client = scripted();
    await using toolset = createTools('bash', { terminals: client });
    await toolset.call('bash', { command: 'cat', stdin: 'x' });
    const { jobId } = await toolset.call('bash', { command: 'sleep 60', background: true });
    expect({ jobId, calls: client.calls }).toEqual({ jobId: expect.any(String), calls: [] });
  });

  it('comes after the policy and the approval', async () => {
    const client = scripted();
    const asked: string[] = [];
    const policy = { deny: ['Bash(make:*)'] };
    expect((await call(client, 'bash', { policy })).isError).toBe(true);
    const approve = ({ command }: { command: string }) => {
      asked.push(command);
      return 'deny';
    };
    expect((await call(client, 'bash', { approve })).isError).toBe(true);
    expect({ asked, calls: client.calls }).toEqual({ asked: ['make'], calls: [] });
    expect((await call(client, 'bash', { policy: { allow: ['Bash(make:*)'] } })).isError).toBe(false);
  });

  it('does not let a query run without a rule, as the shell of the client is unknown', async () => {
    const client = scripted();
    const tool = createTool('bash', { terminals: client, policy: { mode: 'readOnly' } });
    const { text } = await tool.execute({ command: 'ls' });
    expect(text).toContain(
      'a command that only reads needs a shell of its own, not a terminal of the client',
    );
    expect(client.calls).toEqual([]);
  });

  it('keeps the root by real paths, and by the text where a directory is not on this machine', async () => {
    const root = temporaryDirectory();
    mkdirSync(join(root, 'inside'));
    symlinkSync('/usr', join(root, 'out'));
    const client = scripted();
    const tool = createTool('bash', { terminals: client, root });
    const cwds = ['inside', 'out', 'elsewhere', '../other'];
    const results = await Promise.all(cwds.map((cwd) => tool.execute({ command: 'make', cwd })));
    expect(results.map(({ run }) => run?.error?.code ?? null)).toEqual([
      null,
      'CWD_OUTSIDE',
      null,
      'CWD_OUTSIDE',
    ]);
    expect(client.requests.map(({ cwd }) => cwd)).toEqual([join(root, 'inside'), join(root, 'elsewhere')]);
  });
});
