import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it, vi } from 'vitest';
import type { RedactOptions } from '../../index.js';
import { LineClient, type Message } from '../cli/support.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { leaksOnlyWithout, QUOTED, VALUE } from './support.js';

/** Connects a client to a server, which redacts by default. */
async function connected(own: RedactOptions | undefined, ...flags: string[]): Promise<LineClient> {
  const off = own === undefined ? ['--redact-env', 'none'] : [];
  const client = new LineClient(...flags, ...off);
  await client.initialize({ elicitation: {} });
  return client;
}

/** Calls a command, declines all questions, and returns them and the answer. */
async function declined(client: LineClient, command: string): Promise<Message[]> {
  const id = client.call(command);
  const find = () => client.messages.find(({ method }) => method === 'elicitation/create');
  const question = await until(find, 'a question');
  client.send({ id: question.id, result: { action: 'decline' } });
  return [question, await client.answer(id)];
}

describe('a value in what a server of MCP sends', () => {
  beforeEach(() => {
    vi.stubEnv('DEPLOY_TOKEN', VALUE);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('is not in the answer nor in its structured content', async () => {
    await leaksOnlyWithout(async (own) => {
      const client = await connected(own, '--mode', 'auto', '--structured-content', 'full');
      return client.answer(client.call('echo $DEPLOY_TOKEN; echo $DEPLOY_TOKEN >&2'));
    });
  });

  it('is not in progress', async () => {
    await leaksOnlyWithout(async (own) => {
      const client = await connected(own, '--mode', 'auto');
      const command = 'for i in 1 2 3 4; do echo $DEPLOY_TOKEN; sleep 0.6; done';
      const params = { name: 'bash', arguments: { command }, _meta: { progressToken: 'p' } };
      await client.answer(client.start('tools/call', params));
      return client.messages.filter(({ method }) => method === 'notifications/progress');
    });
  });

  it('is not in the question for an approval', async () => {
    await leaksOnlyWithout(async (own) => {
      const client = await connected(own, '--mode', 'ask');
      return declined(client, `rm -f ${QUOTED}`);
    });
  });

  it.skipIf(process.platform !== 'linux')('is not in the prompt of a program', async () => {
    await leaksOnlyWithout(async (own) => {
      const client = await connected(own, '--mode', 'auto', '--ask-prompts');
      return declined(client, `"$GIT_ASKPASS" 'Username for '${QUOTED}': ' | cat`);
    });
  });

  it.skipIf(process.platform !== 'linux')('is not in the note about a prompt for a password', async () => {
    // A program whose path has the value.
    const value = 'k7q9xtz4mw2vb8';
    vi.stubEnv('DEPLOY_TOKEN', value);
    const directory = temporaryDirectory();
    copyFileSync('/bin/bash', join(directory, value));
    const command = `cd ${directory}; ./$DEPLOY_TOKEN -c '"$GIT_ASKPASS" "Password: "; true'`;
    await leaksOnlyWithout(async (own) => {
      const client = await connected(own, '--mode', 'auto', '--ask-prompts');
      return client.answer(client.call(command));
    }, value);
  });

  it('is not in the question about a host', { tags: ['sandbox', 'curl'] }, async () => {
    await leaksOnlyWithout(async (own) => {
      const flags = ['--root', temporaryDirectory(), '--sandbox', 'workspace-write', '--ask-connect'];
      const client = await connected(own, '--mode', 'auto', ...flags);
      return declined(client, `curl -s http://host.invalid/ # ${VALUE}`);
    });
  });

  it('is not in the arguments and results of the events in an audit', async () => {
    await leaksOnlyWithout(async (own) => {
      const file = join(temporaryDirectory(), 'audit.jsonl');
      const client = await connected(own, '--mode', 'auto', '--audit', file);
      await client.answer(client.call(`echo ${QUOTED}`));
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      return lines.map((line) => JSON.parse(line));
    });
  });
});
