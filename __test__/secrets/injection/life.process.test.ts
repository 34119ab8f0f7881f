import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { until } from '../../support/processes.mjs';
import { type Guarded, inGuardedWorld } from './world.js';

const URL_OF = 'https://registry.test:8443';

const SETUP = `
  import { execFileSync } from 'node:child_process';
  const interceptors = () => execFileSync('pgrep', ['-P', String(process.pid), '-f', 'agent-bash-interceptor'])
    .toString().trim().split('\\n').map(Number);
`;

/** Whether a process of this pid is still the interceptor. */
function isInterceptor(pid: number): boolean {
  const file = `/proc/${pid}/cmdline`;
  return existsSync(file) && readFileSync(file, 'utf8').includes('agent-bash-interceptor');
}

describe('the interceptor', { tags: ['root', 'sandbox', 'curl'] }, () => {
  it('is one for all commands of a process, and ends with it', async () => {
    const pids = await inGuardedWorld<number[]>(`
      ${SETUP}
      await guarded('true');
      await guarded('true', { own: { value: 'another-value-of-it' } });
      report(interceptors());
    `);
    expect(pids).toHaveLength(1);
    await until(() => !isInterceptor(pids[0] ?? 0));
  });

  it.each(['read-only', 'isolated'])('serves commands of the level %s', async (level) => {
    const { stdout } = await inGuardedWorld<Guarded>(`
      report(await guarded('curl -sS ${URL_OF}/a',
        { sandbox: { level: '${level}', network: { allow: [RULE] } } }));
    `);
    expect(stdout).toBe('{"ok":true}\n');
  });

  it('shows a file in an isolated home, and can make none in one that is read-only', async () => {
    const [isolated, readOnly] = await inGuardedWorld<Guarded[]>(`
      const own = { ...CREDENTIAL, files: { '~/.config/own/settings': 'token={}' } };
      const results = [];
      for (const level of ['isolated', 'read-only']) {
        const sandbox = { level, network: { allow: [RULE] } };
        results.push(await guarded('cat ~/.config/own/settings', { own, sandbox }));
      }
      report(results);
    `);
    expect(isolated?.stdout).toMatch(/^token=[a-z]{3}_[A-Za-z0-9]{20}$/);
    expect(readOnly?.error?.message).toContain("/home/.config/own/settings' of files does not exist");
  });

  it('serves a session that keeps its state, and an overlay', async () => {
    const texts = await inGuardedWorld<string[]>(`
      const { Overlay, run, ShellSession } = await import(process.env.INDEX);
      const credentials = { own: CREDENTIAL };
      const sandbox = { level: 'workspace-write', network: { allow: [RULE] } };
      const session = new ShellSession({ root: ROOT, sandbox, credentials, keep: 'state' });
      const kept = await session.run('curl -sS ${URL_OF}/a');
      await session.close();
      const overlay = new Overlay({ root: ROOT });
      const covered = await run('curl -sS ${URL_OF}/a', { overlay, sandbox, credentials });
      await overlay.discard();
      report([kept.stdout, covered.stdout]);
    `);
    expect(texts).toEqual(['{"ok":true}\n', '{"ok":true}\n']);
  });
});
