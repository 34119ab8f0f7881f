import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { commandLine, LineClient } from './support.js';

const ASKING = () => ['--root', temporaryDirectory(), '--sandbox', 'workspace-write', '--ask-connect'];

describe('agent-bash mcp --ask-connect', { tags: ['sandbox', 'curl'] }, () => {
  it('asks the user of the client about a host, once for later commands too', async () => {
    const client = new LineClient(...ASKING(), '--mode', 'auto');
    await client.initialize({ elicitation: {} });
    const questions = () => client.messages.filter(({ method }) => method === 'elicitation/create');
    const line = (path: string) => `curl -s http://host.invalid/${path}`;
    for (const [number, { action, content, text }] of [
      { action: 'decline', content: undefined, text: 'declined' },
      { action: 'accept', content: {}, text: 'The name host.invalid has no address' },
      { action: 'accept', content: { remember: true }, text: 'The name host.invalid has no address' },
    ].entries()) {
      const id = client.call(line(`${number}`));
      const question = await until(() => questions()[number], 'a question');
      expect(question.params.message).toContain('Let this command connect to host.invalid:80?');
      expect(question.params.message).toContain(line(`${number}`));
      client.send({ id: question.id, result: { action, ...(content && { content }) } });
      const { result } = await client.answer(id);
      expect(result.content[0].text).toContain(text);
    }
    const { result } = await client.answer(client.call(line('last')));
    expect(result.content[0].text).toContain('The name host.invalid has no address');
    expect(questions()).toHaveLength(3);
  });

  it('refuses the host where the client can not ask', async () => {
    const client = new LineClient(...ASKING(), '--mode', 'auto');
    await client.initialize();
    const { result } = await client.answer(client.call('curl -s http://host.invalid/'));
    expect(result.content[0].text).toContain('host.invalid:80 (not in the list of allowed hosts)');
  });

  it.each([
    [['--ask-connect'], '--ask-connect needs --sandbox'],
    [[...ASKING(), '--network', 'on'], '--network and --ask-connect exclude each other'],
    [['--socket', 'docker'], '--socket needs --sandbox'],
    [
      [...ASKING(), '--socket', 'dockr'],
      "--socket: 'dockr': expected 'ssh-agent', 'gpg-agent', 'docker' or a path",
    ],
  ])('is checked: %j', async (flags, message) => {
    const { code, stderr } = await commandLine(['mcp', ...flags]);
    expect([code, stderr.replaceAll("'--socket'", '--socket')]).toEqual([
      2,
      expect.stringContaining(message),
    ]);
  });
});
