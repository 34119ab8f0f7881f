import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';

const rejected = (tree: unknown) => run('true', { limits: { tree: tree as never } });

describe('limits.tree', () => {
  it.each([
    [{ memory: 0 }, "'options.limits.tree.memory': expected an integer of at least 1 (bytes), got 0"],
    [{ swap: -1 }, "'options.limits.tree.swap': expected an integer of at least 0 (bytes), got -1"],
    [{ processes: 0.5 }, "'options.limits.tree.processes': expected an integer from 1 to 4194304, got 0.5"],
    [{ cpus: 0 }, "'options.limits.tree.cpus': expected a number of processors from 0.01 to 10000, got 0"],
    [{ cpus: Number.NaN }, "'options.limits.tree.cpus': expected a number of processors"],
    [{ cpuWeight: 10_001 }, "'options.limits.tree.cpuWeight': expected an integer from 1 to 10000"],
    [{ io: { read: 0 } }, "'options.limits.tree.io.read': expected an integer of at least 1 (bytes), got 0"],
    [{ io: 5 }, "'options.limits.tree.io': expected an object, got 5"],
    [{ cgroup: 'a/b' }, "'options.limits.tree.cgroup': expected an absolute path, got 'a/b'"],
    [{ onUnavailable: 'ignore' }, "'options.limits.tree.onUnavailable': expected 'fail' or 'weaker'"],
    [{ memry: 1 }, "'options.limits.tree.memry': unknown; did you mean 'memory'?"],
  ])('refuses %j', async (tree, message) => {
    await expect(rejected(tree)).rejects.toThrow(message);
  });

  it('is no option of a command on a target', async () => {
    const options = { target: { exec: ['sh', '-c'] }, limits: { tree: { memory: 1e9 } } };
    await expect(run('true', options as never)).rejects.toMatchObject({ code: 'ERR_FEATURE_UNAVAILABLE' });
  });

  it('runs nothing where there is no directory of cgroups', async () => {
    const { status, error, limits, pid } = await run('true', { limits: { tree: { cgroup: '/nowhere' } } });
    expect({ status, code: error?.code, limits, pid }).toEqual({
      status: 'failed',
      code: 'LIMITS_UNAVAILABLE',
      limits: null,
      pid: null,
    });
    expect(error?.message).toMatch(
      /^the limits of all processes together can't be applied: (\/nowhere can't be opened: ENOENT|this system has no cgroups)$/,
    );
  });

  it('refuses a plain directory, as podman with cgroups of version 1 has', async () => {
    const { error } = await run('true', { limits: { tree: { cgroup: '/tmp' } } });
    expect(error?.code).toBe('LIMITS_UNAVAILABLE');
  });

  it('runs without its limits where the caller accepts that, and says so', async () => {
    const tree = { cgroup: '/nowhere', memory: 1e9, processes: 10, onUnavailable: 'weaker' } as const;
    const { stdout, limits } = await run('echo ran', { limits: { tree } });
    expect(stdout).toBe('ran\n');
    expect(limits).toEqual({
      mechanism: null,
      applied: [],
      missing: ['memory', 'processes'],
      hit: [],
      reason: expect.stringMatching(/ENOENT|no cgroups/),
    });
  });
});

describe('a command without limits.tree', () => {
  it('has no report about them', async () => {
    const { limits, usage } = await run('true', { limits: { openFiles: 100 } });
    expect([limits, usage?.tree]).toEqual([null, undefined]);
  });
});
