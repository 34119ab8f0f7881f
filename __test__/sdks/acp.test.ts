import { existsSync, writeFileSync } from 'node:fs';
import { type AgentContext, agent, client, RequestError } from '@agentclientprotocol/sdk';
import { AgentSideConnection, ClientSideConnection, ndJsonStream } from 'acp-1';
import {
  clientTerminals,
  type TerminalHandlers,
  type TerminalHandlersOptions,
  terminalHandlers,
} from 'agent-bash/acp';
import { createTools, type ToolUpdate } from 'agent-bash/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { isAlive, until } from '../support/processes.mjs';

// biome-ignore lint/suspicious/noExplicitAny: both versions of the SDK have types of their own.
type Any = any;

const sessionId = 'session-1';

/** Connects an agent to a client whose terminals are ours. Both are the SDK's, in this process. */
function connect(options: TerminalHandlersOptions = {}): {
  agent: AgentContext;
  terminals: TerminalHandlers;
  connection: { signal: AbortSignal; close(): void };
} {
  const terminals = terminalHandlers({ RequestError, ...options });
  const app = client({ name: 'client' });
  for (const [method, handler] of Object.entries(terminals.requests))
    app.onRequest(method as Any, handler as Any);
  let context: AgentContext | undefined;
  const connection = app.connect(
    agent({ name: 'agent' }).onConnect((opened) => {
      context = opened.client;
    }),
  );
  onTestFinished(async () => {
    connection.close();
    await terminals.dispose();
  });
  if (context === undefined) throw new Error('the agent is not connected');
  return { agent: context, terminals, connection };
}

describe('terminalHandlers()', () => {
  it('runs a program and reports its output and exit code', async () => {
    const { agent } = connect();
    const terminal = await agent.createTerminal({
      sessionId,
      command: 'sh',
      args: ['-c', 'echo hi; echo é >&2; exit 3'],
    });
    expect(await terminal.waitForExit()).toEqual({ exitCode: 3, signal: null });
    expect(await terminal.currentOutput()).toEqual({
      output: 'hi\né\n',
      truncated: false,
      exitStatus: { exitCode: 3, signal: null },
    });
  });

  it('reports output while the command runs', async () => {
    const { agent } = connect();
    const terminal = await agent.createTerminal({
      sessionId,
      command: 'sh',
      args: ['-c', 'echo early; sleep 60'],
    });
    await until(async () => (await terminal.currentOutput()).output === 'early\n');
    expect(await terminal.currentOutput()).toMatchObject({ exitStatus: null });
  });

  it.each([
    ['a pipeline', 'printf "a\\nb\\n" | wc -l', '2'],
    ['a program and its arguments', 'echo two words', 'two words'],
    ['a program', 'hostname', ''],
  ])('takes %s in `command` alone', async (_, command, expected) => {
    const { agent } = connect();
    const terminal = await agent.createTerminal({ sessionId, command });
    await terminal.waitForExit();
    expect((await terminal.currentOutput()).output).toContain(expected);
  });

  it('takes an executable whose name has a blank as a program', async () => {
    const { agent } = connect();
    const directory = temporaryDirectory();
    const made = await agent.createTerminal({
      sessionId,
      command: `cp /bin/echo '${directory}/my echo'`,
    });
    await made.waitForExit();
    const terminal = await agent.createTerminal({ sessionId, command: `${directory}/my echo` });
    expect(await terminal.waitForExit()).toEqual({ exitCode: 0, signal: null });
  });

  it('takes `command` literally by option', async () => {
    const { agent } = connect({ commandLine: 'never' });
    await expect(agent.createTerminal({ sessionId, command: 'echo hi' })).rejects.toMatchObject({
      code: -32_603,
      data: { details: expect.stringContaining('ENOENT') },
    });
  });

  it("runs in the agent's directory, with its variables on top of the host's", async () => {
    const directory = temporaryDirectory();
    const { agent } = connect({ env: { A: 'ours', B: 'ours' } });
    const terminal = await agent.createTerminal({
      sessionId,
      command: 'echo $A $B; pwd -P',
      cwd: directory,
      env: [{ name: 'A', value: 'theirs' }],
    });
    await terminal.waitForExit();
    expect((await terminal.currentOutput()).output).toBe(`theirs ours\n${directory}\n`);
  });

  it.each([
    ['a directory outside of the root', { command: 'pwd', cwd: '/' }, 'outside'],
    ['a missing directory', { command: 'pwd', cwd: '/nowhere' }, '/nowhere'],
    ['a relative directory', { command: 'pwd', cwd: 'src' }, 'cwd: expected an absolute path'],
    ['a blank command', { command: ' ' }, 'command: expected a program'],
  ])('refuses %s as wrong parameters', async (_, request, expected) => {
    const { agent } = connect({ root: temporaryDirectory() });
    await expect(agent.createTerminal({ sessionId, ...request })).rejects.toMatchObject({
      code: -32_602,
      data: { details: expect.stringContaining(expected) },
    });
  });

  it('keeps the latest output, from a character on', async () => {
    const { agent } = connect();
    const command = 'printf "aéé"';
    const terminal = await agent.createTerminal({ sessionId, command, outputByteLimit: 3 });
    await terminal.waitForExit();
    expect(await terminal.currentOutput()).toMatchObject({ output: 'é', truncated: true });
  });

  it('bounds the output of a flood, whatever the agent asks for', async () => {
    const { agent } = connect({ maxOutputBytes: 1_000 });
    const command = 'yes | head -c 10000000; echo end';
    const terminal = await agent.createTerminal({ sessionId, command, outputByteLimit: 1e9 });
    await terminal.waitForExit();
    const { output, truncated } = await terminal.currentOutput();
    expect({ bytes: output.length, truncated, end: output.slice(-5) }).toEqual({
      bytes: 1_000,
      truncated: true,
      end: '\nend\n',
    });
  });

  it('kills everything that the command has started, and keeps the terminal', async () => {
    const { agent } = connect();
    const terminal = await agent.createTerminal({ sessionId, command: 'sleep 60 & echo $!; wait' });
    let pid = 0;
    await until(async () => {
      pid = Number((await terminal.currentOutput()).output);
      return pid > 0;
    });
    await terminal.kill();
    expect(await terminal.waitForExit()).toEqual({ exitCode: null, signal: 'SIGTERM' });
    await until(() => !isAlive(pid));
    expect((await terminal.currentOutput()).output).toBe(`${pid}\n`);
  });

  it('kills and forgets at the release', async () => {
    const { agent, terminals } = connect();
    const terminal = await agent.createTerminal({ sessionId, command: 'sleep 60' });
    const { job } = terminals.list()[0] as Any;
    await terminal.release();
    expect((await job.result).signal).toBe('SIGTERM');
    expect(terminals.list()).toEqual([]);
    await expect(terminal.currentOutput()).rejects.toMatchObject({ code: -32_002 });
  });

  it('stops waiting at a cancelled request, and lets the command run', async () => {
    const { terminals, agent } = connect();
    const { id: terminalId } = await agent.createTerminal({ sessionId, command: 'sleep 60' });
    const controller = new AbortController();
    const waiting = terminals.requests['terminal/wait_for_exit']({
      params: { sessionId, terminalId },
      signal: controller.signal,
    });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: -32_800 });
    expect(terminals.list()).toMatchObject([{ job: { status: 'running' } }]);
  });

  it('shows no session the terminals of another one', async () => {
    const { agent, terminals } = connect();
    const terminal = await agent.createTerminal({ sessionId, command: 'echo secret' });
    const theirs = { params: { sessionId: 'session-2', terminalId: terminal.id } };
    for (const method of ['output', 'wait_for_exit', 'kill', 'release'] as const) {
      await expect(terminals.requests[`terminal/${method}`](theirs)).rejects.toMatchObject({ code: -32_002 });
    }
  });

  it('ends the terminals of a session', async () => {
    const { agent, terminals } = connect();
    await agent.createTerminal({ sessionId, command: 'sleep 60' });
    const other = await agent.createTerminal({ sessionId: 'session-2', command: 'sleep 60' });
    await terminals.releaseSession(sessionId);
    expect(terminals.list()).toMatchObject([{ terminalId: other.id }]);
  });

  it('bounds how many terminals are open', async () => {
    const { agent } = connect({ maxTerminals: 1 });
    const first = await agent.createTerminal({ sessionId, command: 'true' });
    await expect(agent.createTerminal({ sessionId, command: 'true' })).rejects.toMatchObject({
      code: -32_603,
      data: { details: '1 terminals are open, the most that this client allows; release one' },
    });
    await first.release();
    await agent.createTerminal({ sessionId, command: 'true' });
  });

  it('asks the policy and the person first', async () => {
    const directory = temporaryDirectory();
    const asked: string[] = [];
    const { agent } = connect({
      policy: { deny: ['Bash(rm:*)'] },
      approve: ({ commands }: Any) => {
        asked.push(commands[0]?.text ?? '');
        return 'deny';
      },
    } as Any);
    for (const command of [`rm -r ${directory}`, `touch ${directory}/new`]) {
      await expect(agent.createTerminal({ sessionId, command })).rejects.toMatchObject({
        code: -32_603,
        data: { details: expect.stringMatching(/^not allowed: /) },
      });
    }
    expect({ asked: asked.length, isThere: existsSync(`${directory}/new`) }).toEqual({
      asked: 1,
      isThere: false,
    });
  });

  it('hands the job over before its output, so that a person can type', async () => {
    const seen: string[] = [];
    const { agent } = connect({
      pty: true,
      onTerminal: ({ job, terminalId }) => {
        seen.push(terminalId);
        job.write('Ada\n');
      },
    });
    const terminal = await agent.createTerminal({ sessionId, command: 'read -p "name? " x; echo "[$x]"' });
    expect(await terminal.waitForExit()).toMatchObject({ exitCode: 0 });
    expect((await terminal.currentOutput()).output).toContain('[Ada]');
    expect(seen).toEqual([terminal.id]);
  });

  it('ends all at the end of the connection, and takes no more', async () => {
    const { agent, terminals } = connect();
    await agent.createTerminal({ sessionId, command: 'sleep 60' });
    const { job } = terminals.list()[0] as Any;
    await terminals.dispose();
    expect((await job.result).signal).toBe('SIGTERM');
    await expect(agent.createTerminal({ sessionId, command: 'true' })).rejects.toMatchObject({
      data: { details: 'the terminals are closed' },
    });
  });

  it.each([
    [{ maxTerminals: 0 }, "'options.maxTerminals': expected an integer from 1 to 10000"],
    [{ commandLine: 'yes' }, "'options.commandLine': expected 'auto' or 'never', got 'yes'"],
    [{ onTerminal: 1 }, "'options.onTerminal': expected a function"],
    [{ sandbox: { level: 'none' }, root: '/tmp' }, "'options.sandbox': "],
    [{ timout: 1 }, "unknown; did you mean 'timeout'?"],
  ])('names a wrong option: %j', (options, expected) => {
    expect(() => terminalHandlers(options as Any)).toThrow(expected);
  });
});

/** Connects an agent of version 1 of the SDK to these terminals over a stream of bytes. */
function overBytes(terminals: TerminalHandlers): AgentSideConnection {
  const [toAgent, toClient] = [new TransformStream<Uint8Array>(), new TransformStream<Uint8Array>()];
  new ClientSideConnection(() => terminals.client as Any, ndJsonStream(toAgent.writable, toClient.readable));
  return new AgentSideConnection(() => ({}) as Any, ndJsonStream(toClient.writable, toAgent.readable));
}

it('serves an agent by the classes of version 1 of the SDK, over a stream of bytes', async () => {
  const terminals = terminalHandlers();
  const connection = overBytes(terminals);
  const terminal = await connection.createTerminal({ sessionId, command: 'echo', args: ['hi'] });
  expect(await terminal.waitForExit()).toMatchObject({ exitCode: 0 });
  expect(await terminal.currentOutput()).toMatchObject({ output: 'hi\n' });
  await terminal.release();
  await terminals.dispose();
});

/** Makes a toolset of an agent whose commands run in the terminals of a client. */
function inTerminals(client: Any, options: object = {}, signal?: AbortSignal) {
  const toolset = createTools('bash', {
    terminals: clientTerminals(client, sessionId, { signal }),
    ...options,
  });
  onTestFinished(() => toolset.dispose());
  return toolset;
}

describe('clientTerminals()', () => {
  it('runs a command in a terminal of the client, and releases it', async () => {
    const directory = temporaryDirectory();
    const { agent, terminals } = connect({ env: { EDITOR_OF: 'the client' } });
    const toolset = inTerminals(agent, { cwd: directory, env: { A: 'ours' } });
    const updates: ToolUpdate[] = [];
    const command = 'echo "$A, $EDITOR_OF"; pwd -P; exit 3';
    const onUpdate = (update: ToolUpdate) => updates.push(update);
    const result = await toolset.call('bash', { command }, { onUpdate });
    expect(result.run).toMatchObject({
      status: 'exited',
      exitCode: 3,
      stdout: `ours, the client\n${directory}\n`,
      cwd: directory,
      pid: null,
    });
    expect(updates[0]).toMatchObject({ done: false, terminalId: expect.stringMatching(/^term_/) });
    expect(result.terminalId).toBe(updates[0]?.terminalId);
    expect(terminals.list()).toEqual([]);
  });

  it('shows output while the command runs', async () => {
    const directory = temporaryDirectory();
    const { agent } = connect();
    const toolset = inTerminals(agent);
    const onUpdate = ({ text }: ToolUpdate) => text.includes('early') && writeFileSync(`${directory}/go`, '');
    const command = `echo early; until [ -e ${directory}/go ]; do sleep 0.01; done; echo late`;
    const { run } = await toolset.call('bash', { command }, { onUpdate });
    expect(run).toMatchObject({ status: 'exited', stdout: 'early\nlate\n' });
  });

  it.each([
    ['a timeout', { status: 'timeout' }, { timeout: 500 }, undefined],
    ['an abort', { status: 'aborted' }, {}, 500],
  ])('ends the whole tree of a command by %s', async (_, expected, options, abortMs) => {
    const { agent, terminals } = connect();
    const toolset = inTerminals(agent, options);
    const signal = abortMs === undefined ? undefined : AbortSignal.timeout(abortMs);
    const { run } = await toolset.call('bash', { command: 'echo $$; sleep 60 & wait' }, { signal });
    expect(run).toMatchObject(expected);
    const pid = Number(run?.stdout);
    expect(pid).toBeGreaterThan(1);
    await until(() => !isAlive(pid));
    expect(terminals.list()).toEqual([]);
  });

  it('has the signal that ended the command', async () => {
    const { agent } = connect();
    const { run } = await inTerminals(agent).call('bash', { command: 'kill -KILL $$' });
    expect(run).toMatchObject({ status: 'signaled', signal: 'SIGKILL' });
  });

  it('has the words of a client that does not allow the command', async () => {
    const { agent } = connect({ policy: { deny: ['Bash(echo:*)'] } });
    const { run } = await inTerminals(agent).call('bash', { command: 'echo hi' });
    expect(run?.error).toMatchObject({
      code: 'TERMINAL_START',
      message: expect.stringMatching(/^the client can't open a terminal: .*not allowed: /),
    });
  });

  it('has the latest output where the client keeps less, from a whole character on', async () => {
    const { agent } = connect({ maxOutputBytes: 10 });
    const { run } = await inTerminals(agent).call('bash', { command: "printf 'xx%s' éééééé" });
    expect(run?.stdout).toBe('[the client has dropped earlier output]\nééééé');
  });

  it('fails a command whose client is gone', async () => {
    const { agent, connection } = connect();
    const toolset = inTerminals(agent, {}, connection.signal);
    const onUpdate = ({ text }: ToolUpdate) => {
      if (text.includes('half')) connection.close();
    };
    const { run } = await toolset.call('bash', { command: 'echo half; sleep 60' }, { onUpdate });
    expect(run).toMatchObject({ status: 'failed', error: { code: 'TERMINAL_LOST' }, stdout: 'half\n' });
  });

  it.each([
    [undefined, 's', {}, "'client': expected an object with createTerminal()"],
    [{ createTerminal() {} }, 1, {}, "'sessionId': expected a string"],
    [{ createTerminal() {} }, 's', { signal: 1 }, "'options.signal': expected an AbortSignal"],
    [{ createTerminal() {} }, 's', { signl: 1 }, "unknown; did you mean 'signal'?"],
  ])('names a wrong argument: %j, %j, %j', (client, session, options, expected) => {
    expect(() => clientTerminals(client as Any, session as Any, options as Any)).toThrow(expected);
  });
});

it('runs commands of an agent with version 1 of the SDK in the terminals of its client', async () => {
  const terminals = terminalHandlers();
  const connection = overBytes(terminals);
  const { run } = await inTerminals(connection, {}, connection.signal).call('bash', { command: 'echo hi' });
  expect(run).toMatchObject({ status: 'exited', exitCode: 0, stdout: 'hi\n' });
  expect(terminals.list()).toEqual([]);
  await terminals.dispose();
});
