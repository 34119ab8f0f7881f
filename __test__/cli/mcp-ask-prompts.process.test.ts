import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endedOnce } from '../support/asking.js';
import { temporaryDirectory } from '../support/directory.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { commandLine, LineClient, type Message } from './support.js';

const prompt = (text: string) => `x=$("$GIT_ASKPASS" '${text}'); echo "is <$x>"`;

const server = (...flags: string[]) => new LineClient('--mode', 'auto', '--ask-prompts', ...flags);

const textOf = (result: Message): string => result.content[0].text;

/** Returns the arguments by which a call with one question is repeated with an answer. */
function answered({ inputRequests, requestState }: Message, answer: string): object {
  const keys = Object.keys(inputRequests);
  expect(keys).toHaveLength(1);
  const response = { action: 'accept', content: { answer } };
  return { requestState, inputResponses: { [keys[0] as string]: response } };
}

describe.skipIf(process.platform !== 'linux')('agent-bash mcp --ask-prompts', () => {
  it('asks by a request, and cancels it when the program that asks has ended', async () => {
    const client = server();
    await client.initialize({ elicitation: {} });
    const file = join(temporaryDirectory(), 'asked');
    const id = client.call(endedOnce(file, 'Username: '));
    const find = (name: string) => client.messages.find(({ method }) => method === name);
    const { id: question, params } = await until(() => find('elicitation/create'), 'a question');
    writeFileSync(file, '');
    expect(params).toMatchObject({ mode: 'form', message: expect.stringContaining('“Username:”') });
    const cancelled = await until(() => find('notifications/cancelled'), 'the question is cancelled');
    expect(cancelled.params.requestId).toBe(question);
    expect(textOf((await client.answer(id)).result)).toContain('is 143');
  });

  it('asks also for a job that goes on after its call', async () => {
    const client = server('--yield', '300ms');
    await client.initialize({ elicitation: {} });
    const file = join(temporaryDirectory(), 'go');
    const { result } = await client.answer(
      client.call(`until [ -e ${file} ]; do sleep 0.1; done; ${prompt('Username: ')}`),
    );
    writeFileSync(file, '');
    const find = () => client.messages.find(({ method }) => method === 'elicitation/create');
    const { id } = await until(find, 'a question');
    client.send({ id, result: { action: 'accept', content: { answer: 'me' } } });
    const { job } = result.structuredContent;
    const rest = await client.request('tools/call', {
      name: 'bash_read',
      arguments: { job, wait_ms: 20_000 },
    });
    expect(textOf(rest.result)).toContain('is <me>');
  });

  it('ends the call by a question in version 2026-07-28, and goes on with the answer', async () => {
    const client = server();
    const command = `${prompt('Username, first: ')}; ${prompt('Username, second: ')}`;
    const first = await client.callNewer(command);
    expect(first.resultType).toBe('input_required');
    const second = await client.callNewer(command, answered(first, 'one'));
    expect(second.resultType).toBe('input_required');
    const third = await client.callNewer(command, answered(second, 'two'));
    expect(textOf(third)).toContain('is <one>\nis <two>');
    const again = await client.callNewer(command, answered(second, 'two'));
    expect(textOf(again)).toContain('has been used');
  });

  it('gives an answer to the same call alone, and ends the command of another one', async () => {
    const client = server();
    const seconds = tag();
    const command = `sleep ${seconds} & ${prompt('Username: ')}`;
    const first = await client.callNewer(command);
    expect(living(seconds)).not.toEqual([]);
    const other = await client.callNewer('echo other', answered(first, 'one'));
    expect(textOf(other)).toContain('not for this call');
    await until(() => living(seconds).length === 0, 'the command is gone');
  });

  it.each(['cancelled', 'closed'])('ends the command when the repeated request is %s', async (how) => {
    const client = server();
    const seconds = tag();
    const file = join(temporaryDirectory(), 'on');
    const command = `${prompt('Username: ')}; touch ${file}; sleep ${seconds}`;
    const first = await client.callNewer(command);
    const requestId = client.startNewer(command, answered(first, 'one'));
    await until(() => existsSync(file), 'the command goes on');
    if (how === 'closed') client.process.stdin?.end();
    else client.send({ method: 'notifications/cancelled', params: { requestId } });
    await until(() => living(seconds).length === 0, 'the command is gone');
  });

  it('answers a question whose command has become a job meanwhile', async () => {
    const client = server('--yield', '1s');
    const command = prompt('Username: ');
    const ask = async () => {
      const result = await client.callNewer(command);
      return result.resultType === 'input_required' && result;
    };
    // On a busy machine, the command may be a job before it asks.
    const first = await until(ask, 'the command asks in time');
    const isJob = async () => {
      const listed = await client.callNewer('', { name: 'bash_list', arguments: {} });
      return /GIT_ASKPASS/.test(textOf(listed));
    };
    await until(isJob, 'the command is a job');
    const result = await client.callNewer(command, answered(first, 'late'));
    const { job } = result.structuredContent;
    const rest = await client.callNewer('', { name: 'bash_read', arguments: { job, wait_ms: 20_000 } });
    expect(textOf(rest)).toContain('is <late>');
  });

  it('asks nobody about a job whose call has its result', async () => {
    const client = server('--yield', '300ms');
    const file = join(temporaryDirectory(), 'go');
    const wait = `until [ -e ${file} ]; do sleep 0.1; done`;
    const { structuredContent } = await client.callNewer(`${wait}; ${prompt('Username: ')}`);
    writeFileSync(file, '');
    const { job } = structuredContent;
    const read = () => client.callNewer('', { name: 'bash_read', arguments: { job, wait_ms: 1_000 } });
    await until(async () => textOf(await read()).includes('is <>'), 'the prompt is refused');
  });

  it('is checked', async () => {
    const { code, stderr } = await commandLine(['mcp', '--ask-prompts', '--target', "exec:'sh'"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('--ask-prompts: not available with a target'),
    ]);
  });
});
