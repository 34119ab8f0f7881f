import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Target, type TargetOptions } from '../../../index.js';
import { temporaryDirectory } from '../../support/directory.js';
import { until } from '../../support/processes.mjs';
import { importBusybox, PODMAN, podman } from '../podman.js';
import { Sshd } from '../sshd.js';

/** Copies a tree there and back, and reads and writes files. `top` is a directory there. */
async function expectFiles(options: TargetOptions, top: string): Promise<void> {
  const target = new Target(options);
  onTestFinished(() => target.dispose());
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'from/sub'), { recursive: true });
  for (let index = 0; index < 100; index++) writeFileSync(join(directory, `from/sub/${index}`), `${index}`);
  writeFileSync(join(directory, 'from/large'), Buffer.alloc(5_000_000, 'large '));
  const there = `${top}/copy`;
  expect(await target.copyTo(join(directory, 'from'), there)).toMatchObject({ files: 101, directories: 2 });
  expect(await target.list(`${there}/sub`)).toHaveLength(100);
  await target.write(`${there}/sub/7`, 'changed there', { atomic: true });
  expect((await target.read('sub/7', { root: there })).toString()).toBe('changed there');
  await expect(target.read('../x', { root: there })).rejects.toMatchObject({ code: 'PATH_OUTSIDE' });
  await target.copyFrom(there, join(directory, 'to'));
  expect(readFileSync(join(directory, 'to/sub/7'), 'utf8')).toBe('changed there');
  const large = readFileSync(join(directory, 'to/large'));
  expect(large.equals(readFileSync(join(directory, 'from/large')))).toBe(true);
  await target.remove(there, { recursive: true });
  await expect(target.stat(there)).rejects.toMatchObject({ code: 'ENOENT' });
  await target.dispose();
}

describe('files over ssh', { tags: ['sshd'] }, () => {
  const sshd = new Sshd();

  it('are copied, read and written', async () => {
    await expectFiles(sshd.box('files'), temporaryDirectory());
  });
});

describe('files in a container', { tags: ['podman'], timeout: 120_000 }, () => {
  const image = `localhost/agent-bash-files-${process.pid}:1`;
  beforeAll(() => {
    importBusybox(image);
    return () => podman('rmi', '--force', image);
  });

  it('of its own are copied, read and written, and belong to the user in its workspace', async () => {
    const workspace = temporaryDirectory();
    const container = { engine: PODMAN, image, workspace };
    await expectFiles({ container }, '/tmp');
    const target = new Target({ container });
    onTestFinished(() => target.dispose());
    await target.write('by-name', 'text');
    await target.write(join(workspace, 'by-path-here'), 'text', { root: workspace });
    for (const name of ['by-name', 'by-path-here']) {
      expect(readFileSync(join(workspace, name), 'utf8')).toBe('text');
      expect(statSync(join(workspace, name)).uid).toBe(process.getuid?.());
    }
    await expect(target.write('/etc/x', 'text')).rejects.toMatchObject({ code: 'EROFS' });
    await target.dispose();
  });

  it('that runs are copied, read and written', async () => {
    const name = `agent-bash-files-${process.pid}`;
    // Without CAP_SYS_RESOURCE, podman can't raise these limits to its own defaults.
    const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'];
    podman('run', '-d', '--name', name, '--network', 'none', ...limits, image, '/bin/sleep', '600');
    onTestFinished(() => {
      podman('rm', '--force', '--time', '0', name);
    });
    await until(() => podman('ps', '--format', '{{.Names}}').includes(name), 'it runs');
    await expectFiles({ container: { engine: PODMAN, name } }, '/tmp');
  });
});
