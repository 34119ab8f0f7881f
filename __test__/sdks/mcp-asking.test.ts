import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { elicitConnect, elicitPrompt } from 'agent-bash/mcp';
import { createTools, type Toolset, type ToolsOptions } from 'agent-bash/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endedOnce } from '../support/asking.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { type Answering, type Any, answerBy, connected, KINDS, type Kind, textOf } from './mcp-clients.js';

/** A toolset whose programs ask the user of the client. */
function asking(options: ToolsOptions = {}): Toolset {
  const toolset = createTools('bash', { shell: '/bin/bash', onPrompt: elicitPrompt, ...options });
  onTestFinished(() => toolset.dispose());
  return toolset;
}

/** A client whose user answers by a function, and the forms that the user has got. */
async function client(kind: Kind, toolset: Toolset, answering: Answering, options = {}) {
  const forms: Any[] = [];
  const client = await connected(kind, toolset, undefined, options);
  answerBy(kind, client, (params) => {
    forms.push(params);
    return answering(params);
  });
  const call = (command: string) => client.callTool({ name: 'bash', arguments: { command } });
  return { client, forms, call };
}

const prompt = (text: string) => `x=$("$GIT_ASKPASS" '${text}'); echo "$? is <$x>"`;
const TRUST = 'Are you sure you want to continue connecting (yes/no/[fingerprint])? ';

describe.skipIf(process.platform !== 'linux').each(KINDS)('a prompt for $name', (kind) => {
  it('is a form with one field for a text, which shows who asks, and the command', async () => {
    const content = { answer: 'somebody-else' };
    const { forms, call } = await client(kind, asking(), () => ({ action: 'accept', content }));
    const command = prompt('Username for server: ');
    expect(textOf(await call(command))).toContain('0 is <[redacted:answer]>');
    expect(forms).toHaveLength(1);
    expect(forms[0].message).toMatch(/^\/.*bash asks: “Username for server:”\n/);
    expect(forms[0].message).toContain(command);
    expect(forms[0].requestedSchema).toEqual({
      type: 'object',
      properties: { answer: { type: 'string', title: 'Answer', maxLength: 1024 } },
      required: ['answer'],
    });
  });

  it.each([
    ['accept', '0 is <yes>'],
    ['decline', '0 is <no>'],
    ['cancel', '1 is <>'],
  ])('is a form without fields for a confirmation: %s', async (action, text) => {
    const answer = { action, ...(action === 'accept' && { content: {} }) };
    const { forms, call } = await client(kind, asking(), () => answer);
    expect(textOf(await call(prompt(TRUST)))).toContain(text);
    expect(forms[0].requestedSchema).toEqual({ type: 'object', properties: {} });
    expect(forms[0].message).toContain('To accept answers yes, to decline answers no.');
  });

  it.each([{ action: 'decline' }, { action: 'cancel' }])(
    'for a text is refused after $action',
    async (answer) => {
      const { forms, call } = await client(kind, asking(), () => answer);
      expect(textOf(await call(prompt('Username: ')))).toContain('1 is <>');
      expect(forms).toHaveLength(1);
    },
  );

  it.each(['Password for server: ', 'Username and password: '])(
    'for a secret is no form, and the answer says what helps: %s',
    async (text) => {
      const { forms, call } = await client(kind, asking(), () => ({ action: 'decline' }));
      const result = await call(prompt(text));
      expect(textOf(result)).toContain('1 is <>');
      expect(textOf(result)).toMatch(/bash asked for a \w+, and got no answer: MCP forbids forms/);
      expect(result.structuredContent.text).toBe(textOf(result));
      expect(forms).toEqual([]);
    },
  );

  it('follows another one in the same call', async () => {
    const { forms, call } = await client(kind, asking(), ({ message }: Any) => ({
      action: 'accept',
      content: { answer: /“Username, first/.test(message) ? 'aa' : 'bb' },
    }));
    const text = textOf(await call(`${prompt('Username, first: ')}; ${prompt('Username, second: ')}`));
    expect(text).toContain('0 is <aa>\n0 is <bb>');
    expect(forms).toHaveLength(2);
  });

  it('is a question about the command that was approved before', async () => {
    const toolset = asking({ approve: () => 'ask' });
    const content = { answer: 'me' };
    const { forms, call } = await client(kind, toolset, () => ({ action: 'accept', content }));
    expect(textOf(await call(prompt('Username: ')))).toContain('0 is <me>');
    expect(forms.map(({ message }) => message.split(/[?:]/)[0])).toEqual([
      'Run this command',
      expect.stringMatching(/bash asks$/),
    ]);
  });

  it('needs no answer when the program that asks has ended, and a late one goes nowhere', async () => {
    const directory = temporaryDirectory();
    const [asked, over] = [join(directory, 'asked'), join(directory, 'over')];
    const late = async () => {
      writeFileSync(asked, '');
      await until(() => existsSync(over), 'the program has ended');
      return { action: 'accept', content: { answer: 'late' } };
    };
    const { forms, call } = await client(kind, asking(), late);
    const text = textOf(await call(`${endedOnce(asked, 'Username: ')}; touch ${over}`));
    expect(text).toContain('is 143');
    expect(text).not.toContain('late');
    expect(forms).toHaveLength(1);
  });

  it('is refused for a client that can not ask, and the answer says so', async () => {
    const silent = await connected({ ...kind, client: kind.silent }, asking());
    const result = await silent.callTool({ name: 'bash', arguments: { command: prompt('Username: ') } });
    expect(textOf(result)).toContain('1 is <>');
    expect(textOf(result)).toContain('got no answer: this client cannot ask the user');
  });
});

describe.each(KINDS)('a question about a host for $name', { tags: ['sandbox', 'curl'] } as object, (kind) => {
  function confined(): Toolset {
    const network = { allow: [], onConnect: elicitConnect };
    return asking({ root: temporaryDirectory('/var/tmp'), sandbox: { level: 'workspace-write', network } });
  }
  const LINE = 'curl -s http://host.invalid/';

  it.each([
    [{ action: 'decline' }, '(declined)'],
    [{ action: 'accept', content: {} }, 'The name host.invalid has no address'],
  ])('is asked while the command waits: %j', async (answer, text) => {
    const { forms, call } = await client(kind, confined(), () => answer);
    expect(textOf(await call(LINE))).toContain(text);
    expect(forms).toHaveLength(1);
    expect(forms[0].message).toContain('Let this command connect to host.invalid:80?');
  });
});
