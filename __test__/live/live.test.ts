import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { Live, type LiveEvent } from 'agent-bash/live';
import { createTools } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { Jobs, run, ShellSession } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

/** Collects the events of a live view until one for which `isLast` holds. */
async function until(live: Live, isLast: (event: LiveEvent) => boolean): Promise<LiveEvent[]> {
  const events: LiveEvent[] = [];
  for await (const event of live) {
    events.push(event);
    if (isLast(event)) break;
  }
  return events;
}

const isEnd = ({ type }: LiveEvent) => type === 'end';

/** Returns the text of the output among events. */
function textOf(events: LiveEvent[]): string {
  return events.map((event) => (event.type === 'output' ? event.text : '')).join('');
}

describe('a live view', () => {
  it('has the events of a command in their order, with its output', async () => {
    await using live = new Live();
    await using jobs = new Jobs();
    live.add(jobs);
    const seen = until(live, isEnd);
    const job = jobs.start('echo one; echo two >&2; exit 3', { cwd: '/' });
    await job.result;
    const events = await seen;
    expect(events.map(({ type }) => type).filter((type) => type !== 'output')).toEqual(['start', 'end']);
    expect(events[0]).toMatchObject({
      seq: 1,
      id: job.id,
      cwd: '/',
      call: null,
      session: null,
      stdin: false,
    });
    expect(events.at(-1)).toMatchObject({ seq: 2, id: job.id, exitCode: 3, totalBytes: 8 });
    const output = events.filter((event) => event.type === 'output');
    expect(output.map(({ stream, text }) => [stream, text]).sort()).toEqual([
      ['stderr', 'two\n'],
      ['stdout', 'one\n'],
    ]);
  });

  it('has the calls, questions and decisions of a toolset', async () => {
    await using live = new Live();
    await using tools = createTools('bash', { approve: () => ({ verdict: 'deny', reason: 'not now' }) });
    live.add(tools);
    const seen = until(live, ({ type }) => type === 'result');
    await tools.call('bash', { command: 'echo hi' }, { callId: 'c1' });
    const events = await seen;
    expect(events.map(({ type }) => type)).toEqual(['call', 'question', 'decision', 'result']);
    const [call, question, decision] = events;
    expect(call).toMatchObject({ tool: 'bash', callId: 'c1' });
    expect(question).toMatchObject({ command: 'echo hi', cwd: process.cwd() });
    expect(decision).toMatchObject({ verdict: 'deny', reason: 'not now', by: 'host' });
    expect('question' in decision && 'question' in question && decision.question === question.question).toBe(
      true,
    );
  });

  it('has the commands of a session, and those of run() that may move to a table', async () => {
    await using live = new Live();
    await using jobs = new Jobs();
    await using session = new ShellSession();
    live.add(jobs);
    live.add(session);
    const seen = until(live, (event) => event.type === 'end' && event.exitCode === 9);
    await session.run('echo in session');
    await run('exit 9', { jobs, background: 'adopt' });
    const events = await seen;
    expect(events.filter(({ type }) => type === 'start')).toMatchObject([
      { command: 'echo in session', session: session.id },
      { command: 'exit 9', session: null },
    ]);
    expect(textOf(events)).toBe('in session\n');
  });

  it('shows waits for input, input without its text, and sizes', async () => {
    await using live = new Live();
    await using jobs = new Jobs();
    live.add(jobs);
    const seen = until(live, isEnd);
    const job = jobs.start('read -rsp "password: " x', { pty: true });
    await new Promise((resolve) => job.once('waiting', resolve));
    job.resize(100, 30);
    job.write('secret\r');
    await job.result;
    const events = await seen;
    expect(JSON.stringify(events)).not.toContain('secret');
    const others = events.filter(({ type }) => type !== 'output');
    expect(others.map(({ type }) => type)).toEqual(['start', 'waiting', 'resize', 'input', 'waiting', 'end']);
    expect(others.slice(1, 5)).toMatchObject([
      { wait: { kind: 'password', prompt: 'password:' } },
      { cols: 100, rows: 30, by: 'host' },
      { bytes: 7, by: 'host' },
      { wait: null },
    ]);
  });

  it('of which the source was removed shows no command that starts later', async () => {
    await using live = new Live();
    await using jobs = new Jobs();
    const remove = live.add(jobs);
    const seen = until(live, isEnd);
    await jobs.start('echo first').result;
    remove();
    remove();
    await jobs.start('echo second').result;
    expect(textOf(await seen)).toBe('first\n');
    const next = live[Symbol.asyncIterator]().next();
    await live[Symbol.asyncDispose]();
    expect((await next).done).toBe(true);
  });

  it('refuses another source, and wrong options', () => {
    expect(() => new Live({ control: 'some' } as object)).toThrow(
      /'options\.control'.*'none', 'approve' or 'all'/,
    );
    expect(() => new Live({ memory: 1 })).toThrow(/'options\.memory'/);
    expect(() => new Live().add({} as Jobs)).toThrow(
      /'source'.*a toolset, a table of Jobs or a ShellSession/,
    );
    expect(() => new Live().connect({} as never)).toThrow(/'port'/);
  });

  it('delays no command whose output nobody reads', async () => {
    await using live = new Live();
    await using jobs = new Jobs();
    live.add(jobs);
    const iterator = live[Symbol.asyncIterator]();
    const { totalBytes } = await jobs.start('seq 3000000', { output: { maxBytes: 0 } }).result;
    expect(totalBytes.stdout).toBe(22_888_896);
    let shown = 0;
    let missing = 0;
    for (
      let event = (await iterator.next()).value;
      event?.type !== 'end';
      event = (await iterator.next()).value
    ) {
      if (event?.type === 'output') shown += Buffer.byteLength(event.text);
      if (event?.type === 'gap') missing += event.bytes;
    }
    expect(missing).toBeGreaterThan(20_000_000);
    expect(shown + missing).toBe(totalBytes.stdout);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: messages of a protocol.
type Message = any;

/** A page at the other end of a port. */
class Page {
  readonly messages: Message[] = [];
  #port: MessageChannel['port2'];
  #onMessage: (() => void)[] = [];

  constructor(live: Live) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port2;
    port2.on('message', (message) => {
      this.messages.push(message);
      for (const check of this.#onMessage.splice(0)) check();
    });
    live.connect(port1 as never);
  }

  send(message: object): void {
    this.#port.postMessage(message);
  }

  close(): void {
    this.#port.close();
  }

  /** Waits for a message. */
  async find(isWanted: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(isWanted);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#onMessage.push(resolve));
    }
  }

  event(type: string): Promise<Message> {
    return this.find((message) => message.type === 'event' && message.event.type === type);
  }

  get text(): string {
    return this.messages
      .map(({ type, event }) => (type === 'output' && event.type === 'output' ? event.text : ''))
      .join('');
  }
}

/** The `MessagePortMain` of Electron, as far as pages use it. */
class PortOfElectron extends EventEmitter {
  readonly messages: Message[] = [];
  isStarted = false;

  postMessage(message: Message): void {
    this.messages.push(structuredClone(message));
  }

  start(): void {
    this.isStarted = true;
  }

  close(): void {
    this.emit('close');
  }
}

describe('a page at a port', () => {
  it('gets what happened before, and then each event', async () => {
    await using live = new Live({ title: 'my agent' });
    await using jobs = new Jobs();
    live.add(jobs);
    await jobs.start('echo before').result;
    const page = new Page(live);
    const hello = await page.find(({ type }) => type === 'hello');
    expect(hello).toMatchObject({ title: 'my agent', control: 'none', questions: [] });
    expect(hello.commands).toMatchObject([
      { start: { command: 'echo before' }, latest: [{ type: 'end', exitCode: 0 }] },
    ]);
    const job = jobs.start('echo after');
    expect((await page.event('end')).event.id).toBe(job.id);
    page.close();
  });

  it('may be one of Electron, which passes events with the message as data', async () => {
    await using live = new Live();
    await using jobs = new Jobs();
    live.add(jobs);
    await jobs.start('echo from Electron').result;
    const port = new PortOfElectron();
    live.connect(port);
    expect(port.isStarted).toBe(true);
    const [hello] = port.messages;
    port.emit('message', { data: { type: 'follow', id: hello.commands[0].start.id }, ports: [] });
    expect(port.messages.find(({ type }) => type === 'output').event.text).toBe('from Electron\n');
    port.emit('close');
    await jobs.start('echo later').result;
    expect(JSON.stringify(port.messages)).not.toContain('later');
  });

  it('gets the output of the command that it follows, also of one that is over', async () => {
    await using live = new Live();
    await using jobs = new Jobs();
    live.add(jobs);
    const job = jobs.start('echo one; read -r line; echo two', { stdin: 'pipe' });
    const page = new Page(live);
    page.send({ type: 'follow', id: job.id });
    await page.find(({ event }) => event?.type === 'output');
    job.write('\n');
    await page.find(({ type }) => type === 'done');
    expect(page.text).toBe('one\ntwo\n');
    const late = new Page(live);
    late.send({ type: 'follow', id: job.id });
    await late.find(({ type }) => type === 'done');
    expect(late.text).toBe('one\ntwo\n');
    page.close();
    late.close();
  });

  it('gets no more than its credits allow, and the rest once it gives them back', async () => {
    await using live = new Live();
    await using jobs = new Jobs();
    live.add(jobs);
    const job = jobs.start('seq 100000');
    await job.result;
    const page = new Page(live);
    page.send({ type: 'follow', id: job.id });
    await page.find(({ event }) => event?.type === 'output');
    page.send({ type: 'nothing' });
    await page.find(({ type }) => type === 'refused');
    expect(page.text.length).toBeLessThan(400_000);
    let given = 0;
    while (!page.messages.some(({ type }) => type === 'done')) {
      const spent = page.messages.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
      page.send({ type: 'credit', bytes: spent - given });
      given = spent;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(page.text.length).toBe(588_895);
    page.close();
  });

  it('that reads nothing gets what it has missed when it does', async () => {
    await using live = new Live();
    await using jobs = new Jobs({ maxRunning: 100, maxFinished: 5000 });
    live.add(jobs);
    const page = new Page(live);
    for (let round = 0; round < 12; round++) {
      const started = Array.from({ length: 100 }, (_, index) => jobs.start(`true ${round} ${index}`));
      await Promise.all(started.map(({ result }) => result));
    }
    page.send({ type: 'nothing' });
    await page.find(({ type }) => type === 'refused');
    expect(page.messages.length).toBeLessThan(2_400);
    page.send({ type: 'credit', bytes: 1e6 });
    const again = await page.find((message) => message.type === 'hello' && message !== page.messages[0]);
    const seen = page.messages.flatMap(({ event }) => (event?.type === 'start' ? [event.id] : []));
    const missed = again.commands.map(({ start }: { start: { id: string } }) => start.id);
    expect(again.since).toBeGreaterThan(0);
    expect(missed.length).toBeLessThan(1_200);
    expect(new Set([...seen, ...missed]).size).toBe(1_200);
    page.close();
  });

  it.each([
    ['none', 'control'],
    ['approve', 'control'],
    ['all', 'unknown'],
  ] as const)('with control %s is refused what it may not do', async (control, reason) => {
    await using live = new Live({ control });
    await using jobs = new Jobs();
    live.add(jobs);
    const job = jobs.start('read -r line; exit 7', { stdin: 'pipe' });
    const page = new Page(live);
    for (const message of [
      { type: 'kill' },
      { type: 'input', text: '\n' },
      { type: 'resize', cols: 80, rows: 24 },
    ]) {
      page.send({ ...message, id: control === 'all' ? 'job-0' : job.id });
    }
    page.send({ type: 'answer', question: 0, verdict: 'allow' });
    await page.find(({ request }) => request === 'answer');
    const refused = page.messages.filter(({ type }) => type === 'refused');
    expect(refused.map(({ request, reason: why }) => [request, why])).toEqual([
      ['kill', reason],
      ['input', reason],
      ['resize', reason],
      ['answer', control === 'none' ? 'control' : 'unknown'],
    ]);
    job.write('\n');
    expect((await job.result).exitCode).toBe(7);
    page.close();
  });

  it('with control all types, changes the size, and ends a command', async () => {
    await using live = new Live({ control: 'all' });
    await using jobs = new Jobs();
    live.add(jobs);
    const page = new Page(live);
    const job = jobs.start('read -r line; echo "got $line"; stty size; sleep 60', { pty: true });
    page.send({ type: 'follow', id: job.id });
    await page.find(({ event }) => event?.type === 'waiting' && event.wait !== null);
    page.send({ type: 'resize', id: job.id, cols: 90, rows: 20 });
    page.send({ type: 'input', id: job.id, text: 'hello\r' });
    await job.waitForScreen('20 90');
    page.send({ type: 'kill', id: job.id });
    expect((await job.result).signal).toBe('SIGTERM');
    const by = page.messages.filter(({ event }) => event?.type === 'input' || event?.type === 'resize');
    expect(by.map(({ event }) => event.by)).toEqual(['page', 'page']);
    page.close();
  });

  it.each([
    undefined,
    null,
    5,
    'x',
    [],
    {},
    { type: 'follow', id: 5 },
    { type: 'credit', bytes: -1 },
    { type: 'input', id: 'x', text: 5 },
  ])('is refused %j', async (message) => {
    await using live = new Live({ control: 'all' });
    const page = new Page(live);
    page.send(message as object);
    await page.find(({ type }) => type === 'refused');
    page.close();
  });
});

describe('approve', () => {
  it('asks a page, and its answer counts', async () => {
    await using live = new Live({ control: 'approve' });
    await using tools = createTools('bash', { approve: live.approve });
    live.add(tools);
    const page = new Page(live);
    const call = tools.call('bash', { command: 'echo asked' });
    const { event } = await page.event('question');
    expect(event).toMatchObject({ command: 'echo asked', decision: null });
    page.send({ type: 'answer', question: event.question, verdict: 'allow' });
    page.send({ type: 'answer', question: event.question, verdict: 'deny' });
    expect((await call).text).toContain('asked');
    const { reason } = await page.find(({ request }) => request === 'answer');
    expect(reason).toBe('unknown');
    expect((await page.event('decision')).event).toMatchObject({
      verdict: 'allow',
      by: 'page',
      question: event.question,
    });
    page.close();
  });

  it('passes a denial on with its reason', async () => {
    await using live = new Live({ control: 'approve' });
    await using tools = createTools('bash', { approve: live.approve });
    live.add(tools);
    const page = new Page(live);
    const call = tools.call('bash', { command: 'echo asked' });
    const { event } = await page.event('question');
    page.send({ type: 'answer', question: event.question, verdict: 'deny', reason: 'use make' });
    const { text, isError } = await call;
    expect([isError, text]).toEqual([true, expect.stringContaining('use make')]);
    page.close();
  });

  it('adds the rules that were suggested, so that the next command is not asked about', async () => {
    await using live = new Live({ control: 'approve' });
    const policy = { mode: 'default' } as const;
    await using tools = createTools('bash', { approve: live.approve, policy });
    live.add(tools);
    const page = new Page(live);
    const root = temporaryDirectory();
    const call = tools.call('bash', { command: `touch ${join(root, 'a')}` });
    const { event } = await page.event('question');
    expect(event.decision.suggestions).not.toEqual([]);
    page.send({ type: 'answer', question: event.question, verdict: 'allow', forToolset: true });
    expect((await call).isError).toBe(false);
    expect((await tools.call('bash', { command: `touch ${join(root, 'a')}` })).isError).toBe(false);
    expect(page.messages.filter(({ event: other }) => other?.type === 'question')).toHaveLength(1);
    page.close();
  });

  it('asks about a command of run(), whose source was not added, with the whole command', async () => {
    await using live = new Live({ control: 'approve' });
    const page = new Page(live);
    const result = run('touch "$(cat x)" # a comment', {
      policy: { mode: 'default' },
      approve: live.approve,
    });
    const { event } = await page.event('question');
    expect(event).toMatchObject({ command: 'touch "$(cat x)" # a comment', call: null });
    page.send({ type: 'answer', question: event.question, verdict: 'deny', reason: 'no' });
    expect((await result).error?.message).toBe('no');
    expect((await page.event('decision')).event).toMatchObject({ verdict: 'deny', by: 'page' });
    page.close();
  });

  it('without a page that may answer is "ask" for a toolset and a denial for a command', async () => {
    await using live = new Live({ control: 'none' });
    const page = new Page(live);
    await using tools = createTools('bash', { approve: live.approve });
    const [{ text, isError }, { status, error }] = await Promise.all([
      tools.call('bash', { command: 'echo asked' }),
      run('touch x', { policy: { mode: 'default' }, approve: live.approve }),
    ]);
    expect([isError, text]).toEqual([true, expect.stringContaining('no page is open')]);
    expect([status, error?.message]).toEqual(['denied', expect.stringContaining('no page is open')]);
    page.close();
  });

  it('keeps a question for the pages that are left', async () => {
    await using live = new Live({ control: 'approve' });
    await using tools = createTools('bash', { approve: live.approve });
    live.add(tools);
    const [first, second] = [new Page(live), new Page(live)];
    const call = tools.call('bash', { command: 'echo asked' });
    await first.event('question');
    first.close();
    const { event } = await second.event('question');
    const late = new Page(live);
    const hello = await late.find(({ type }) => type === 'hello');
    expect(hello.questions).toMatchObject([{ question: event.question }]);
    late.send({ type: 'answer', question: event.question, verdict: 'allow' });
    expect((await call).isError).toBe(false);
    second.close();
    late.close();
  });

  it('of an aborted call is settled at once', async () => {
    await using live = new Live({ control: 'approve' });
    await using tools = createTools('bash', { approve: live.approve });
    live.add(tools);
    const page = new Page(live);
    const controller = new AbortController();
    const call = tools.call('bash', { command: 'echo asked' }, { signal: controller.signal });
    await page.event('question');
    controller.abort();
    expect((await call).isError).toBe(true);
    expect((await page.event('decision')).event.verdict).toBe('deny');
    page.close();
  });
});
