import { describe, expect, it } from 'vitest';
import { textOf } from '../support.js';
import { inGuardedWorld, VALUE } from './world.js';

const URL_OF = 'https://registry.test:8443';

const SETUP = `
  const { createTools } = await import('agent-bash/tools');
  const { ShellSession } = await import(process.env.INDEX);
  const options = { root: ROOT, policy: { allow: ['Bash'] }, credentials: { own: CREDENTIAL },
    sandbox: { level: 'workspace-write', escalate: 'ask', network: { allow: [RULE] } } };
  const { policy, ...withoutPolicy } = options;
  const toolset = createTools('bash', options);
  const call = (tools, command) => tools.call('bash', { command });
  const placeholderIn = (text) => /\\b[a-z]{3}_[A-Za-z0-9]{20}\\b/.exec(text)?.[0];
`;

const world = <T>(program: string) => inGuardedWorld<T>(`${SETUP} ${program}`);

describe('a credential', { tags: ['root', 'sandbox', 'curl'] }, () => {
  it('of a toolset has one placeholder in all of its calls, and another one in each toolset', async () => {
    const { first, second, other, all } = await world<Record<string, string>>(`
      const one = await call(toolset, 'curl -sS ${URL_OF}/a; echo $OWN_TOKEN');
      const two = await call(toolset, 'echo $OWN_TOKEN');
      const elsewhere = await call(createTools('bash', options), 'echo $OWN_TOKEN');
      const [first, second, other] = [one, two, elsewhere].map(({ text }) => placeholderIn(text));
      report({ first, second, other, all: JSON.stringify(one) });
    `);
    expect(all).toContain('ok');
    expect(all).not.toContain(VALUE);
    expect(first).toBeDefined();
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  it('is that of the toolset, whatever placeholder a command sends', async () => {
    const { seen, other } = await world<{ seen: { authorization: string; other: string }[]; other: string }>(`
      const credentials = { own: { ...CREDENTIAL, value: 'another-value-of-it' } };
      const { text } = await call(createTools('bash', { ...options, credentials }), 'echo $OWN_TOKEN');
      const other = /\\b[\\w-]{20,}\\b/.exec(text)[0];
      await call(toolset, 'curl -sS -H "authorization: Bearer ' + other + '" -H "other: ' + other + '" ${URL_OF}/a');
      report({ other, seen: seen.map(({ headers }) => headers) });
    `);
    expect(seen).toMatchObject([{ authorization: `Bearer ${VALUE}`, other }]);
  });

  it('is explained to a model', async () => {
    const description = await world<string>(`report(toolset.tools[0].description);`);
    expect(description).toContain(
      'Requests to registry.test:8443 follow rules of the user, and get credentials on their way. ' +
        'Placeholders stand for these in $OWN_TOKEN: use them like the values.',
    );
  });

  it('stays with a grant of further hosts, and not with one of the whole network', async () => {
    const { more, on } = await world<{ more: string; on: string }>(`
      const ask = (network) => createTools('bash', { ...options, approve: () => ({ verdict: 'allow', sandbox: { network } }) })
        .call('bash', { command: 'curl -sS ${URL_OF}/a -k; curl -s http://registry.test/b; echo [$OWN_TOKEN]',
          reason: 'to test', ...(network === 'on' ? { unsandboxed: true } : { allow_hosts: ['registry.test:80'] }) });
      const { text: more } = await ask({ allow: ['registry.test:80'] });
      const { text: on } = await ask('on');
      report({ more, on });
    `);
    expect(more).toContain('{"ok":true}');
    expect(more).toContain('registry.test /b');
    expect(more).toMatch(/\[[a-z]{3}_/);
    expect(on).toContain('no\n');
    expect(on).toContain('[]');
  });

  it('of a session is there in all of its commands', async () => {
    const { stdout, used } = await world<{ stdout: string[]; used: unknown[] }>(`
      const session = new ShellSession(withoutPolicy);
      const results = [await session.run('curl -sS ${URL_OF}/a; T=$OWN_TOKEN'),
        await session.run('curl -sS ${URL_OF}/b; [ "$T" = "$OWN_TOKEN" ] && echo same')];
      await session.close();
      report({ stdout: results.map(({ stdout }) => stdout), used: results.map(({ sandbox }) => sandbox.used) });
    `);
    expect(stdout).toEqual(['{"ok":true}\n', '{"ok":true}\nsame\n']);
    const once = [{ credential: 'own', host: 'registry.test', port: 8443, requests: 1 }];
    expect(used).toEqual([once, once]);
  });

  it('shows its value nowhere, even if a caller gives it to a command', async () => {
    const result = await world<object>(`
      const { run } = await import(process.env.INDEX);
      report(await run('echo ' + VALUE, withoutPolicy));
    `);
    expect(textOf(result)).not.toContain(VALUE);
    expect(result).toMatchObject({ stdout: '[redacted:own]\n', command: 'echo [redacted:own]' });
  });

  it('is named by the variable of its placeholder, where a model has copied its mark', async () => {
    const text = await world<string>(`
      report((await call(toolset, 'echo [redacted:own]')).text);
    `);
    expect(text).toContain(
      'The command contains [redacted:own], which stands for a secret. Use "$OWN_TOKEN".',
    );
  });
});
