import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { BIN, commandLine, LineClient, type Message } from './support.js';

const text = ({ result }: Message): string => result.content[0].text;

/** Returns the memory that a process shares with no other (bytes), which no size of a program changes. */
function ownMemory(pid: number | undefined): number {
  const [, size] = /RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(size) * 1_024;
}

/** Waits for a question of the server, the first by default. */
function questionOf(client: LineClient, number = 1): Promise<Message> {
  const questions = () => client.messages.filter(({ method }) => method === 'elicitation/create');
  return until(() => questions()[number - 1], `question ${number}`);
}

/** A command that is no query, and writes nothing. */
const WRITING = 'touch /dev/null; echo ran';

describe('agent-bash mcp', () => {
  it('answers initialize with the protocol that it was asked for, or with the newest that it has', async () => {
    const client = new LineClient();
    const { result } = await client.initialize();
    expect(result).toMatchObject({
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'agent-bash' },
      capabilities: { tools: {} },
    });
    const other = new LineClient('--name', 'mine');
    const answer = await other.request('initialize', {
      protocolVersion: '1999-01-01',
      capabilities: {},
      clientInfo: { name: 'lines', version: '1' },
    });
    expect(answer.result.protocolVersion).toBe('2025-11-25');
    expect(answer.result.serverInfo.name).toBe('mine');
  });

  it('reports its protocol version to a client of the newer protocol', async () => {
    const client = new LineClient();
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'lines', version: '1' },
    };
    const { result } = await client.request('server/discover', { _meta: meta });
    expect(result).toMatchObject({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
    const listed = await client.request('tools/list', { _meta: meta });
    expect(listed.result).toMatchObject({
      resultType: 'complete',
      cacheScope: 'public',
      ttlMs: expect.any(Number),
    });
  });

  it('takes little memory', async () => {
    const plain = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log()']);
    await once(plain.stdout, 'data');
    const client = new LineClient('--mode', 'auto');
    await client.initialize();
    await client.answer(client.call('echo works'));
    const taken = ownMemory(client.process.pid) - ownMemory(plain.pid);
    plain.kill();
    client.process.stdin?.end();
    await client.ended;
    expect(taken).toBeLessThan(40_000_000);
  });

  describe('given what is no message', () => {
    it.each([
      ['no JSON', 'garbage', -32_700],
      ['half a message', '{"jsonrpc":"2.0","id":', -32_700],
      ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32_600],
      ['a number', '7', -32_600],
      ['null', 'null', -32_600],
      ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32_600],
      ['no method', '{"jsonrpc":"2.0","id":1}', -32_600],
      ['parameters that are a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32_600],
      [
        'metadata that are no object',
        '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":5}}',
        -32_600,
      ],
      [
        'a wrong progress token',
        '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":{}}}}',
        -32_600,
      ],
      ['a wrong id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32_600],
    ])('answers an error and goes on: %s', async (_what, line, code) => {
      const client = new LineClient();
      client.write(`${line}\n`);
      const error = await until(() => client.messages[0], 'an answer');
      expect(error).toMatchObject({ jsonrpc: '2.0', error: { code, message: expect.any(String) } });
      await client.initialize();
    });

    it.each([
      ['first', (long: string) => `{"jsonrpc":"2.0","id":99,"method":"tools/call","params":${long}}`],
      [
        'last, as the SDKs do',
        (long: string) => `{"method":"tools/call","params":${long},"jsonrpc":"2.0","id":99}`,
      ],
      [
        'before the version',
        (long: string) => `{"method":"tools/call","params":${long},"id":99,"jsonrpc":"2.0"}`,
      ],
    ])('answers a message of 20 MB under its id, and goes on: the id stands %s', async (_where, message) => {
      const client = new LineClient('--mode', 'auto');
      await client.initialize();
      client.write(`${message(`{"x":"${'x'.repeat(20_000_000)}","id":7}`)}\n`);
      const { error } = await client.answer(99);
      expect(error).toMatchObject({ code: -32_600, message: expect.stringContaining('bytes') });
      expect(text(await client.answer(client.call('echo works')))).toContain('works');
    });

    it.each([
      ['none', '"id":{}'],
      ['one of a part', '"more":{"id":7}'],
    ])('ends the connection at a message of 20 MB without an id: %s', async (_which, member) => {
      const client = new LineClient('--mode', 'auto');
      await client.initialize();
      client.write(`{"params":{"id":7,"x":"${'x'.repeat(20_000_000)}"},${member}}\n`);
      expect((await client.ended).code).toBe(0);
      expect(client.messages.at(-1)).toMatchObject({ id: null, error: { code: -32_600 } });
    });

    it('answers text that is not JSON under its id', async () => {
      const client = new LineClient();
      client.write('{"jsonrpc":"2.0","id":"a b","method":"ping","params":{oops}}\n');
      expect((await client.answer('a b')).error.code).toBe(-32_700);
    });

    it('ignores blank lines, and answers unknown methods and wrong parameters', async () => {
      const client = new LineClient();
      client.write('\n  \r\n');
      await client.initialize();
      expect((await client.request('tools/run')).error.code).toBe(-32_601);
      expect((await client.request('tools/call', { name: 7 })).error.code).toBe(-32_602);
      expect((await client.request('tools/call', { name: 'zsh' })).error.code).toBe(-32_602);
      // Answers that nobody waits for.
      client.send({ id: 'x', result: {} });
      expect((await client.request('ping')).result).toEqual({});
    });

    it('reads a message whose bytes come one by one, and several that come at once', async () => {
      const client = new LineClient();
      await client.initialize();
      const message = `${JSON.stringify({ jsonrpc: '2.0', id: 'ä', method: 'ping' })}\n`;
      for (const byte of Buffer.from(message)) {
        client.process.stdin?.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await client.answer('ä');
      client.write(
        ['a', 'b', 'c']
          .map((id) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }))
          .join('\n')
          .concat('\n'),
      );
      await Promise.all(['a', 'b', 'c'].map((id) => client.answer(id)));
    });
  });

  it('ends the command of a request that is cancelled, and does not answer it', async () => {
    const seconds = tag();
    const client = new LineClient('--mode', 'auto');
    await client.initialize();
    const id = client.call(`(setsid sleep ${seconds} &) ; sleep ${seconds}`);
    await until(() => living(seconds).length >= 2, 'both sleep');
    client.send({ method: 'notifications/cancelled', params: { requestId: id, reason: 'enough' } });
    await until(() => living(seconds).length === 0, 'nobody is left');
    await client.request('ping');
    expect(client.messages.some((message) => message.id === id)).toBe(false);
  });

  it.each(['the end of its input', 'SIGTERM', 'SIGINT', 'SIGKILL'])(
    'leaves nothing after %s',
    async (how) => {
      const seconds = tag();
      const client = new LineClient('--mode', 'auto', '--yield', '200ms');
      await client.initialize();
      await client.answer(client.call(`trap '' TERM; (setsid sleep ${seconds} &) ; sleep ${seconds}`));
      expect(living(seconds).length).toBeGreaterThanOrEqual(2);
      const endedAt = performance.now();
      if (how.startsWith('SIG')) client.process.kill(how as NodeJS.Signals);
      else client.process.stdin?.end();
      const { code, signal, stderr } = await client.ended;
      // The server allows itself 0.7 s; the rest is for a busy machine.
      expect(performance.now() - endedAt).toBeLessThan(10_000);
      const ends: Record<string, unknown> = {
        SIGTERM: [143, null],
        SIGINT: [130, null],
        SIGKILL: [null, 'SIGKILL'],
      };
      expect([code, signal]).toEqual(ends[how] ?? [0, null]);
      expect(stderr).toBe('');
      await until(() => living(seconds).length === 0, 'nobody is left');
    },
  );

  it('answers what was asked before its input ended', async () => {
    const client = new LineClient('--mode', 'auto');
    await client.initialize();
    const id = client.start('tools/list');
    client.process.stdin?.end();
    await client.ended;
    expect(client.messages.find((message) => message.id === id)?.result.tools.length).toBeGreaterThan(0);
  });

  it('answers calls that end soon after its input ended', async () => {
    const client = new LineClient('--mode', 'auto');
    await client.initialize();
    const ids = ['sleep 0.5; echo first', 'sleep 1; echo second'].map((command) => client.call(command));
    const cancelled = client.call('sleep 60');
    client.send({ method: 'notifications/cancelled', params: { requestId: cancelled } });
    client.process.stdin?.end();
    const endedAt = performance.now();
    expect((await client.ended).code).toBe(0);
    const answers = ids.map((id) => text(client.messages.find((message) => message.id === id)));
    expect(answers).toEqual([expect.stringContaining('first'), expect.stringContaining('second')]);
    // The server waits for the last answer alone; the rest is for a busy machine.
    expect(performance.now() - endedAt).toBeLessThan(10_000);
  });

  it('ends calls that go on after its input ended', async () => {
    const seconds = tag();
    const client = new LineClient('--mode', 'auto');
    await client.initialize();
    const id = client.call(`sleep ${seconds}`);
    await until(() => living(seconds).length > 0, 'it sleeps');
    client.process.stdin?.end();
    expect((await client.ended).code).toBe(0);
    await until(() => living(seconds).length === 0, 'nobody is left');
    expect(client.messages.some((message) => message.id === id)).toBe(false);
  });

  it('exits when its answers are not read', async () => {
    const client = new LineClient('--mode', 'auto');
    await client.initialize();
    client.process.stdout?.destroy();
    client.call('echo works');
    client.call('echo works');
    expect((await client.ended).code).toBe(0);
  });

  it('asks by default, and denies for a client without elicitation', async () => {
    const client = new LineClient();
    await client.initialize();
    const answer = await client.answer(client.call(WRITING));
    expect(answer.result.isError).toBe(true);
    expect(text(answer)).toContain('--mode auto');
  });

  it('runs what a rule allows without asking, and denies by rules and for danger', async () => {
    const client = new LineClient('--allow', 'Bash(echo:*)', '--deny', 'Bash(rm:*)');
    await client.initialize();
    expect(text(await client.answer(client.call('echo ran')))).toContain('ran');
    expect(text(await client.answer(client.call('echo ran; rm x')))).toContain('Bash(rm:*)');
    expect(text(await client.answer(client.call('echo ran; touch /dev/null')))).toContain('--mode auto');
  });

  it('denies dangerous commands without asking', async () => {
    for (const mode of ['auto', 'ask']) {
      const client = new LineClient('--mode', mode);
      await client.initialize({ elicitation: {} });
      const answer = await client.answer(client.call('true && rm -rf /'));
      expect(answer.result.isError).toBe(true);
      expect(text(answer)).toContain('not allowed');
    }
  });

  it.each([
    ['a result that is null', { result: null }],
    ['a result that is text', { result: 'accept' }],
    ['an error without a code', { error: 'no' }],
  ])('denies after an invalid answer to its question: %s', async (_what, answer) => {
    const client = new LineClient();
    await client.initialize({ elicitation: {} });
    const id = client.call(WRITING);
    const question = await questionOf(client);
    client.send({ id: question.id, ...answer });
    const { result } = await client.answer(id);
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('invalid') }] });
  });

  it('asks by elicitation, and takes no answer twice', async () => {
    const client = new LineClient();
    await client.initialize({ elicitation: {} });
    const id = client.call(WRITING);
    const question = await questionOf(client);
    expect(question.params.message).toContain(WRITING);
    client.send({ id: question.id, result: { action: 'accept', content: {} } });
    expect(text(await client.answer(id))).toContain('ran');
    const dismissed = client.call(WRITING);
    const second = await questionOf(client, 2);
    client.send({ id: second.id, result: { action: 'cancel' } });
    expect(text(await client.answer(dismissed))).toContain('dismissed');
  });

  it('shows in its question what a terminal would not', async () => {
    const client = new LineClient();
    await client.initialize({ elicitation: {} });
    client.call("touch 'a\u001b[2K\u202e'\necho b");
    const { message } = (await questionOf(client)).params;
    expect(message).toContain("touch 'a\\u{1b}[2K\\u{202e}'\necho b");
    expect(message).not.toMatch(/[\u001b\u202e]/);
  });

  it('answers with the error of the shell to a command that it can not read', async () => {
    const client = new LineClient('--mode', 'auto');
    await client.initialize();
    const { result } = await client.answer(client.call('echo "a'));
    expect(result.content[0].text).toMatch(/unexpected EOF[\s\S]*exit code: 2/);
  });

  it('runs a command that is longer than it can read, once the user has accepted it', async () => {
    const client = new LineClient();
    await client.initialize({ elicitation: {} });
    const id = client.call(`cat <<'E' | wc -c\n${'a'.repeat(12_000)}\nE\n`);
    const question = await questionOf(client);
    client.send({ id: question.id, result: { action: 'accept', content: {} } });
    expect(text(await client.answer(id))).toContain('12001');
  });

  it('does not take an approval for another call', async () => {
    const client = new LineClient();
    const ask = async (command: string, more?: object) => ({ result: await client.callNewer(command, more) });
    const { result } = await ask('touch /dev/null');
    expect(result.resultType).toBe('input_required');
    const { requestState } = result;
    const inputResponses = { approval: { action: 'accept', content: {} } };
    expect(text(await ask('touch /dev/zero', { requestState, inputResponses }))).toContain(
      'not for this call',
    );
    // The approval has been used.
    expect(text(await ask('touch /dev/null', { requestState, inputResponses }))).toContain('has been used');
    expect(text(await ask('touch /dev/null', { requestState: 'guess', inputResponses }))).toContain(
      'not for this call',
    );
  });

  it('writes an audit that only this user can read', async () => {
    const file = join(temporaryDirectory(), 'audit.jsonl');
    const client = new LineClient('--mode', 'auto', '--audit', file);
    await client.initialize();
    await client.answer(client.call('echo works; exit 3'));
    client.process.stdin?.end();
    await client.ended;
    const events = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['call', 'decision', 'result']));
    expect(events.find(({ type }) => type === 'call')).toMatchObject({
      tool: 'bash',
      args: { command: 'echo works; exit 3' },
    });
    expect(events.find(({ type }) => type === 'result').result).toMatchObject({
      isError: true,
      text: expect.stringContaining('works'),
    });
    for (const { time } of events) expect(new Date(time).toISOString()).toBe(time);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('runs commands where and with what its options say', async () => {
    const directory = temporaryDirectory();
    const client = new LineClient(
      '--mode',
      'auto',
      '--root',
      directory,
      '--env',
      'ONE=1',
      '--no-inherit-env',
      '--shell',
      '/bin/bash',
    );
    await client.initialize();
    const answer = await client.answer(client.call('echo $PWD $ONE $HOME.'));
    expect(text(answer)).toContain(`${directory} 1 .`);
    const outside = await client.answer(client.call('true', { cwd: '/' }));
    expect(outside.result.isError).toBe(true);
  });

  it('tells the model what its session keeps', async () => {
    const instructions = async (...flags: string[]) =>
      (await new LineClient(...flags).initialize()).result.instructions;
    expect(await instructions()).toContain('Each command has a shell of its own;');
    expect(await instructions('--session', 'live')).toContain('All commands run in one shell: ');
  });

  it('runs commands in a sandbox, and tells the model', { tags: ['sandbox'] }, async () => {
    const root = temporaryDirectory();
    const client = new LineClient('--mode', 'auto', '--root', root, '--sandbox', 'workspace-write');
    const { result } = await client.initialize();
    expect(result.instructions).toContain('Commands run in a sandbox');
    const { tools } = (await client.request('tools/list')).result;
    expect(tools[0].description).toContain(`they can write below ${root} and /tmp. There is no network.`);
    const answer = await client.answer(client.call('echo x > inside; cat inside; echo x > /etc/outside'));
    expect(answer.result.isError).toBe(true);
    expect(text(answer)).toMatch(/^x\n.*Read-only file system/);
  });

  it('has the tools of another dialect', async () => {
    const client = new LineClient('--mode', 'auto', '--dialect', 'bash', '--max-output', '2K');
    await client.initialize();
    const { result } = await client.request('tools/list');
    expect(result.tools.length).toBeGreaterThan(1);
    const answer = await client.answer(client.call('yes | head -c 100000'));
    expect(text(answer).length).toBeLessThan(2_500);
  });

  describe('given a wrong command line', () => {
    it.each([
      ['--mode', 'read-only', /expected ask or auto; .*--sandbox read-only/],
      ['--mode', 'never', /expected one of ask, auto/],
      ['--deny', 'Bash(rm', /--deny: missing closing/],
      ['--dialect', 'fish', /dialect/],
      ['--yield', '45', /invalid value '45' for --yield: expected a duration/],
      ['--limit-memory', 'much', /--limit-memory: expected a size/],
      ['--env', '=2', /--env: expected KEY or KEY=VALUE/],
      ['--audit', '/missing/audit', /can't write to the audit file/],
      ['--print-config', 'emacs', /--print-config: expected one of claude, cursor/],
      ['--yeild', '1s', /unknown option '--yeild'/],
      ['extra', 'words', /unexpected 'extra'/],
    ])('says what is wrong: %s %s', async (flag, value, message) => {
      const { code, stdout, stderr } = await commandLine(['mcp', flag, value]);
      expect(code).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).toMatch(message);
      expect(stderr).toContain("Try 'agent-bash mcp --help'");
    });

    it.each([
      ['--dialect', 'fish', /dialect/],
      ['--deny', 'rm', /--deny: expected 'Bash\(rm:\*\)'/],
      ['--sandbox', 'strict', /--sandbox/],
      ['--target', 'podman', /--target/],
    ])('prints no configuration of it: %s %s', async (flag, value, message) => {
      const words = ['mcp', '--print-config', 'claude', '--root', '/', flag, value];
      const { code, stdout, stderr } = await commandLine(words);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(message);
    });
  });

  it.each(['claude', 'cursor', 'vscode', 'codex', 'gemini'])(
    'prints the configuration of %s',
    async (name) => {
      const { code, stdout, stderr } = await commandLine([
        'mcp',
        '--mode',
        'auto',
        '--print-config',
        name,
        '--root',
        '/a "b"',
      ]);
      expect(code).toBe(0);
      // The tests run in a clone.
      const args = [BIN, 'mcp', '--mode', 'auto', '--root', '/a "b"'];
      if (name === 'codex') {
        expect(stdout).toBe(
          `[mcp_servers.agent-bash]\ncommand = "node"\nargs = [${args.map((arg) => JSON.stringify(arg)).join(', ')}]\n`,
        );
      } else {
        const config = JSON.parse(stdout);
        const servers = name === 'vscode' ? config.servers : config.mcpServers;
        expect(servers['agent-bash']).toMatchObject({ command: 'node', args });
      }
      expect(stderr).toMatch(/^For /);
    },
  );

  it('has nothing of the SDK to install', () => {
    expect(readFileSync(join(BIN, '../../bundle/mcp-licenses.txt'), 'utf8')).toMatch(
      /@modelcontextprotocol\/server .*Apache-2\.0[\s\S]*zod .*MIT/,
    );
    expect(readFileSync(join(BIN, '../../bundle/mcp.cjs'), 'utf8')).not.toMatch(
      /require\(["'](?!node:|url|agent-bash)[^"'.]+["']\)/,
    );
  });
});
