import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTools } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { check, type Policy, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

const policy: Policy = { mode: 'readOnly', deny: ['Bash(curl:*)'] };

/** A command that no list of queries has. */
const UNKNOWN = `${process.execPath} -p 'fs.readFileSync("a", "utf8")'`;

describe("the mode 'readOnly' in a sandbox that only reads", { tags: ['sandbox'] }, () => {
  it('allows what it does not know, and the kernel refuses what that writes', async () => {
    const root = temporaryDirectory();
    writeFileSync(join(root, 'a'), 'text');
    const options = { root, policy, sandbox: 'read-only' } as const;
    expect(await run(UNKNOWN, options)).toMatchObject({ status: 'exited', stdout: 'text\n' });
    const { exitCode, stderr } = await run('touch b; echo x > a; mkdir c', options);
    expect(exitCode).toBe(1);
    expect(stderr.match(/Read-only file system/g)).toHaveLength(3);
    expect(readdirSync(root)).toEqual(['a']);
  });

  it('denies what is dangerous, and what a rule denies', async () => {
    const options = { root: temporaryDirectory(), policy, sandbox: 'read-only' } as const;
    expect(await run('rm -rf /', options)).toMatchObject({ error: { code: 'DANGEROUS' } });
    expect(await run('curl example.org', options)).toMatchObject({ error: { code: 'DENIED' } });
  });

  it.each([
    ['no sandbox', undefined],
    ['one that writes', 'workspace-write'],
    ['a network', { level: 'read-only', network: 'on' }],
    ['a socket of the host', { level: 'read-only', sockets: ['docker'] }],
    ['servers of the host', { level: 'read-only', network: 'loopback' }],
    ['a sandbox that may lack parts', { level: 'read-only', onUnavailable: 'weaker' }],
  ] as const)('judges the text as without one, given %s', async (_, sandbox) => {
    const root = temporaryDirectory();
    expect(await run(UNKNOWN, { root, policy, sandbox })).toMatchObject({ status: 'denied' });
  });

  it('runs queries of git as they stand, because their programs have the sandbox too', async () => {
    const root = temporaryDirectory();
    await run('git init -q && git config core.fsmonitor "touch ran; false"', { cwd: root });
    const options = { root, policy, sandbox: 'read-only' } as const;
    expect((await run('git status --porcelain', options)).status).toBe('exited');
    expect(existsSync(join(root, 'ran'))).toBe(false);
  });

  it('is no decision about the same command without that sandbox', async () => {
    const root = temporaryDirectory();
    const decision = check(UNKNOWN, { root, policy, sandbox: 'read-only' });
    expect(decision.verdict).toBe('allow');
    expect(await run(UNKNOWN, { root, decision })).toMatchObject({
      status: 'denied',
      error: { message: expect.stringContaining('sandbox') },
    });
    const inside = await run(UNKNOWN, { root, decision, sandbox: 'read-only' });
    expect(inside.status).toBe('exited');
  });

  it.each(['carry', 'live'] as const)('holds for the session %s of the tools', async (session) => {
    const root = temporaryDirectory();
    await using inside = createTools('bash', { root, session, policy, sandbox: 'read-only' });
    const call = (command: string) => inside.call('bash', { command });
    await call('x=1');
    expect((await call(`${process.execPath} -p 1+$x; touch new`)).text).toMatch(/2\n.*Read-only file system/);
    expect((await call('curl example.org')).isError).toBe(true);
    expect(readdirSync(root)).toEqual([]);
    await using writing = createTools('bash', { root, session, policy, sandbox: 'workspace-write' });
    expect((await writing.call('bash', { command: 'ls' })).isError).toBe(true);
  });

  it('holds for the tools, and for what they write to a job', async () => {
    const root = temporaryDirectory();
    await using toolset = createTools('bash', { root, policy, sandbox: 'read-only' });
    const { text } = await toolset.call('bash', { command: `${process.execPath} -p 1+1` });
    expect(text).toContain('2\n');
    const started = await toolset.call('bash', { command: 'cat', background: true });
    const { job } = started.data as { job: string };
    expect((await toolset.call('bash_write', { job, text: 'curl example.org\n' })).isError).toBe(true);
    expect((await toolset.call('bash_write', { job, text: 'make anything\n' })).isError).toBe(false);
  });
});
