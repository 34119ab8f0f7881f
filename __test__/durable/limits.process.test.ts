import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { cgroupDirectory, leaves } from '../tree-limits/support.js';
import { durableDirectory, durableHost, durableJobs } from './support.js';

const cgroup = cgroupDirectory();
const limits = { tree: { cgroup } };

/** A command that leaves a process without its session, its parent and its output. */
const escaping = (seconds: string) => `(setsid sleep ${seconds} </dev/null >/dev/null 2>&1 &) & wait`;

/** Waits until no command has a cgroup. */
const removed = () => until(() => leaves(cgroup).length === 0, 'the cgroup is removed');

describe('limits.tree of a durable job', { tags: ['cgroup'] }, () => {
  it('hold in a cgroup of its own, which goes with it, and each reader has what was counted', async () => {
    const directory = durableDirectory();
    const jobs = durableJobs(directory);
    const job = jobs.start('cat /proc/self/cgroup; i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done', {
      limits,
    });
    const { stdout, limits: report, usage } = await job.result;
    expect(stdout).toMatch(/^0::.*\/agent-bash-test-[^/]*\/agent-bash-\d+-\d+-\d+-\d+$/m);
    expect(report).toEqual({ mechanism: 'directory', applied: [], missing: [], hit: [], reason: null });
    expect(usage?.tree?.userMs).toBeGreaterThan(0);
    await removed();
    const again = await (await durableJobs(directory).attach(job.id)).result;
    expect({ limits: again.limits, tree: again.usage?.tree }).toEqual({ limits: report, tree: usage?.tree });
  });

  it('stay, and their cgroup goes at the end, also when the host is killed', async () => {
    const directory = durableDirectory();
    const seconds = tag();
    const host = durableHost(
      directory,
      `jobs.start(${JSON.stringify(`sleep ${seconds}`)}, { limits: ${JSON.stringify(limits)} });
      await until(() => living('sleep\\0' + '${seconds}').length === 1, 'it sleeps');
      console.log('ready');
      setInterval(() => {}, 1_000);`,
    );
    await host.printed('ready');
    host.process.kill('SIGKILL');
    await host.ended;
    const [sleeping] = living(`sleep\0${seconds}`);
    expect(readFileSync(`/proc/${sleeping}/cgroup`, 'utf8')).toContain(leaves(cgroup)[0]);
    const jobs = durableJobs(directory);
    const [found] = await jobs.find({ running: true });
    await jobs.stop(found?.id as string);
    await until(() => living(seconds).length === 0, 'it has ended');
    await removed();
  });

  it('end with a kill, whatever their processes are', async () => {
    const seconds = tag();
    const jobs = durableJobs(durableDirectory());
    const job = jobs.start(`trap "" TERM; ${escaping(seconds)}; sleep ${seconds}`, { limits });
    await until(() => living(`sleep\0${seconds}`).length === 2, 'both sleep');
    job.kill('SIGKILL');
    await job.result;
    expect(living(seconds)).toEqual([]);
    await removed();
  });

  it('hold in a sandbox', { tags: ['sandbox'] }, async () => {
    const jobs = durableJobs(durableDirectory());
    const root = durableDirectory();
    const job = jobs.start('cat /proc/self/cgroup', { root, sandbox: 'workspace-write', limits });
    const { stdout, limits: report, sandbox } = await job.result;
    expect(stdout).toMatch(/agent-bash-\d+-\d+-\d+-\d+$/m);
    expect(report?.mechanism).toBe('directory');
    expect(sandbox?.level).toBe('workspace-write');
    await removed();
  });

  it('that can not be applied are an error, or are missing', async () => {
    const jobs = durableJobs(durableDirectory());
    const tree = { cgroup: join(cgroup, 'nowhere'), processes: 5 };
    const { error } = await jobs.start('true', { limits: { tree } }).result;
    expect(error?.code).toBe('LIMITS_UNAVAILABLE');
    expect(await jobs.find()).toEqual([]);
    const weaker = { tree: { ...tree, onUnavailable: 'weaker' as const } };
    const { exitCode, limits: report } = await jobs.start('exit 3', { limits: weaker }).result;
    expect(exitCode).toBe(3);
    expect(report).toMatchObject({ mechanism: null, applied: [], missing: ['processes'] });
    expect(report?.reason).toContain('nowhere');
  });
});
