import { describe, expect, it } from 'vitest';
import { until } from '../support/processes.mjs';
import { EMULATED, IN_USER_MANAGER, IN_USER_SCOPE, inLogin, inService, linger, show } from './support.js';

/** Reaches each limit, and prints the results. */
const REACHED = `
  const limited = (command, tree) => run(command, { limits: { tree }, background: 'kill', timeout: 200_000 });
  const chosen = ({ status, error, limits, usage }) =>
    ({ status, code: error?.code, message: error?.message, limits, oomKills: usage?.tree?.oomKills });
  const MiB = 2 ** 20;
  // 200 processes that fork, and one that allocates.
  const forks = 'for i in $(seq 200); do (/bin/true; sleep 100) & done';
  const tree = forks + '; head -c 80000000 /dev/zero | tail -c 75000000 >/dev/null; wait';
  print([
    chosen(await limited(tree, { memory: 64 * MiB })),
    chosen(await limited('for i in $(seq 9); do sleep 9 & done 2>/dev/null; kill $!', { processes: 5 })),
    chosen(await limited('i=0; while [ $i -lt 9000 ]; do i=$((i+1)); done', { cpus: 0.2 })),
  ]);`;

const report = (limit: string, hit: string) => ({
  mechanism: 'systemd',
  applied: [limit],
  missing: [],
  hit: [hit],
  reason: null,
});
const OF_ALL = [
  { code: 'OUT_OF_MEMORY', status: 'signaled', limits: report('memory', 'memory') },
  { limits: report('processes', 'processes') },
  { status: 'exited', limits: report('cpus', 'cpu') },
];

describe('limits.tree below systemd', { tags: ['systemd-machine'], timeout: EMULATED }, () => {
  it('hold for root in a service', async () => {
    expect(await inService(REACHED)).toMatchObject(OF_ALL);
  });

  it('hold for root in a login session', async () => {
    expect(await inLogin('root', REACHED)).toMatchObject(OF_ALL);
  });

  it("hold for a user in a service of the user's manager", async () => {
    expect(await inLogin('user', REACHED, IN_USER_MANAGER)).toMatchObject(OF_ALL);
  });

  it("hold for a user in a scope of the user's manager", async () => {
    expect(await inLogin('user', REACHED, IN_USER_SCOPE)).toMatchObject(OF_ALL);
  });

  it('are refused to a user in a login session, with what helps', async () => {
    const program = `print(await run('echo no', { limits: { tree: { processes: 5 } } }));`;
    const { stdout, error } = (await inLogin('user', program)) as {
      stdout: string;
      error: { code: string; message: string };
    };
    expect({ stdout, code: error.code }).toEqual({ stdout: '', code: 'LIMITS_UNAVAILABLE' });
    expect(error.message).toContain('systemd-run --user --scope');
  });

  it('leave no scope of a host that was killed', async () => {
    const program = `
      const job = new Jobs().start('exec sleep 1000', { limits: { tree: { processes: 5 } } });
      await new Promise((resolve) => job.once('spawn', resolve));
      print(cgroup(job.pid));
      process.kill(process.pid, 'SIGKILL');`;
    expect(await inService(program)).toMatch(/^0::\/system.slice\/run-[^/]*\.scope\/agent-bash-/);
    const scopes = () => show('list-units', '--plain', '--no-legend', 'run-*.scope');
    await until(() => scopes() === '', 'the scope is gone', EMULATED);
  });

  it('of a durable job of a user who lingers hold in its own scope', async () => {
    await linger();
    const program = `
      const jobs = new Jobs({ durable: true });
      const job = jobs.start('cat /proc/self/cgroup; for i in $(seq 9); do sleep 9 & done 2>/dev/null; kill $!', {
        limits: { tree: { processes: 5 } },
      });
      const { stdout, limits } = await job.result;
      print({ id: job.id, stdout, limits });`;
    const { id, stdout, limits } = (await inLogin('user', program)) as {
      id: string;
      stdout: string;
      limits: object;
    };
    expect(limits).toEqual(report('processes', 'processes'));
    expect(stdout).toMatch(
      /^0::\/user.slice\/.*\/user@1000.service\/app.slice\/run-[^/]*\.scope\/agent-bash-/,
    );
    expect(id).not.toBe('');
    const own = ['--user', '--machine=user@.host', 'list-units', '--plain', '--no-legend', '*.scope'];
    await until(() => !/run-|durable/.test(show(...own)), 'the scopes are gone', EMULATED);
  });
});
