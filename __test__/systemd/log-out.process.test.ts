import { beforeEach, describe, expect, it } from 'vitest';
import {
  EMULATED,
  IN_USER_MANAGER,
  inLogin,
  inService,
  killUserProcesses,
  linger,
  loggedOut,
  show,
} from './support.js';

/** Starts a durable job, and lets it go. */
const START = `
  const jobs = new Jobs({ durable: true });
  const job = jobs.start('echo begun; exec sleep 1000');
  await job.ready({ pattern: 'begun' });
  print({ id: job.id, cgroup: cgroup(job.pid), durable: job.durable });
  await jobs.release();`;

/** Returns a program that extends and ends a job if it runs, and prints all that is known of it. */
const endOf = (id: string) => `
  const jobs = new Jobs({ durable: true });
  const [found] = await jobs.find({ all: true }).then((all) => all.filter(({ id }) => id === '${id}'));
  const job = await jobs.attach('${id}', { since: 0 });
  const extended = found.end === null && (await job.extend(60_000)) < Date.now() + 61_000;
  if (found.end === null) job.kill();
  const { stdout, signal, durable } = await job.result;
  print({ ran: found.end === null, extended, stdout, signal, end: durable.end });`;

interface Started {
  id: string;
  cgroup: string;
  durable: { survives: string; reason: string };
}

describe('a durable job at a log-out', { tags: ['systemd-machine'], timeout: EMULATED }, () => {
  beforeEach(() => loggedOut(), EMULATED);
  const begun = (account: 'user' | 'root', place = '') => inLogin(account, START, place) as Promise<Started>;
  const wasEnded = { ran: true, extended: true, stdout: 'begun\n', signal: 'SIGTERM' };
  const hadEnded = { ran: false, extended: false, stdout: 'begun\n', signal: 'SIGTERM' };

  it('runs on in its session, and is found at the next login', async () => {
    const { id, cgroup, durable } = await begun('user');
    expect(cgroup).toContain('/session-');
    expect(durable.survives).toBe('process');
    expect(await inLogin('user', endOf(id))).toMatchObject({
      ...wasEnded,
      end: { cause: 'kill', reason: null },
    });
  });

  it('that kills the processes of the user ends it, and its end names the system', async () => {
    killUserProcesses();
    const { id } = await begun('user');
    await loggedOut();
    expect(await inLogin('user', endOf(id))).toMatchObject({
      ...hadEnded,
      end: { cause: 'kill', reason: 'system' },
    });
  });

  it('that could end it keeps it from starting where it must survive', async () => {
    const program = `
      const jobs = new Jobs({ durable: { survive: 'logout' } });
      const { error } = await jobs.start('true').result;
      print(error.code);`;
    expect(await inLogin('user', program)).toBe('DURABLE_UNAVAILABLE');
  });

  it('is not what ends a job of a system service, but the end of that service is', async () => {
    const service =
      'systemd-run --uid=user --setenv=HOME=/home/user --working-directory=/home/user --pipe --wait';
    const { id, durable } = (await inService(START, service)) as Started;
    expect(durable).toMatchObject({
      survives: 'process',
      reason: 'in the service of the host, and ends with it',
    });
    expect(await inLogin('user', endOf(id))).toMatchObject({
      ...hadEnded,
      end: { cause: 'kill', reason: 'system' },
    });
  });

  it("ends it with the user's manager, in which it has a scope, after the last session", async () => {
    const { id, cgroup, durable } = await begun('user', IN_USER_MANAGER);
    expect(cgroup).toContain(`/user@1000.service/app.slice/agent-bash-durable-${id}.scope`);
    expect(durable).toMatchObject({ survives: 'process' });
    await loggedOut();
    expect(await inLogin('user', endOf(id))).toMatchObject({
      ...hadEnded,
      end: { cause: 'kill', reason: 'system' },
    });
  });

  it('leaves it alone where the user lingers, and its scope goes with it', async () => {
    killUserProcesses();
    await linger();
    const { id, cgroup, durable } = await begun('user');
    expect(cgroup).toContain(`/user@1000.service/app.slice/agent-bash-durable-${id}.scope`);
    expect(durable).toMatchObject({ survives: 'logout' });
    expect(await inLogin('user', endOf(id))).toMatchObject(wasEnded);
    expect(show('--user', '--machine=user@.host', 'list-units', '--no-legend', '*durable*')).toBe('');
  });

  it('leaves that of root alone, which has a scope of the system', async () => {
    killUserProcesses();
    const { id, cgroup, durable } = await begun('root');
    expect(cgroup).toBe(`0::/system.slice/agent-bash-durable-${id}.scope`);
    expect(durable).toMatchObject({ survives: 'logout' });
    expect(await inLogin('root', endOf(id))).toMatchObject(wasEnded);
    expect(show('list-units', '--no-legend', '*durable*')).toBe('');
  });
});
