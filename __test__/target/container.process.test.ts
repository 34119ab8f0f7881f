import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, Target } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { INDEX, NodeProcess } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { importBusybox, PODMAN, podman } from './podman.js';

describe('a target that is a running container', { tags: ['podman'] }, () => {
  const directory = temporaryDirectory();
  const id = `agent-bash-test-${process.pid}`;
  const image = `localhost/${id}:1`;
  const engine = join(directory, 'engine');
  let started = 0;

  /** Starts a container that sleeps, and returns its name. */
  function container(): string {
    const name = `${id}-${started++}`;
    // Without CAP_SYS_RESOURCE, podman can't raise these limits to its own defaults.
    const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'];
    podman('run', '-d', '--name', name, '--network', 'none', ...limits, image, '/bin/sleep', '100000');
    return name;
  }

  beforeAll(() => {
    importBusybox(image);
    writeFileSync(engine, `#!/bin/sh\nexec ${PODMAN.join(' ')} "$@"\n`, { mode: 0o700 });
  });

  afterAll(() => {
    for (let index = 0; index < started; index++) podman('rm', '-f', '--time', '0', `${id}-${index}`);
    podman('rmi', '-f', image);
  });

  it('runs commands in it, whose exit codes are theirs', async () => {
    const name = container();
    const target = new Target({ container: { engine, name } });
    for (const code of [0, 1, 125, 126, 127, 137, 255]) {
      const result = await run(`echo out; echo err >&2; exit ${code}`, { target });
      expect(result).toMatchObject({ status: 'exited', exitCode: code, stdout: 'out\n', stderr: 'err\n' });
      expect(result.target).toMatchObject({ kind: 'container', container: name });
    }
    const terminal = await run('ls /; id -u', { target });
    expect(terminal.stdout).toContain('proc');
    await target.dispose();
    expect(podman('exec', name, 'ls', '/root/.cache/agent-bash')).toMatch(/^helper-[0-9a-f]{64}$/);
    expect(podman('exec', name, 'ps')).not.toContain('supervise');
  });

  it('ends whole trees at a timeout, and when Node.js is killed', async () => {
    const seconds = tag();
    const name = container();
    const line = `(setsid sleep ${seconds} >/dev/null 2>&1 &); sleep ${seconds}`;
    const result = await run(line, { target: { container: { engine, name } }, timeout: 1_500 });
    expect(result.status).toBe('timeout');
    expect(living(seconds)).toEqual([]);
    const program = `
      import { run } from ${JSON.stringify(INDEX)};
      const target = { container: { engine: ${JSON.stringify(engine)}, name: ${JSON.stringify(name)} } };
      await run('(setsid sleep ' + TAG + ' >/dev/null 2>&1 &); yes & sleep ' + TAG, { target });
    `;
    const node = new NodeProcess(program, { tag: seconds });
    await until(() => living(seconds).length >= 2, 'both processes run');
    node.process.kill('SIGKILL');
    await until(() => living(seconds).length === 0, 'nothing is left', 12_000);
    // The first process of this container reaps nothing.
    const left = () => podman('exec', name, 'ps', '-o', 'comm').split('\n').slice(1);
    await until(() => left().sort().join() === 'ps,sleep', 'nothing is left that nobody reaps', 12_000);
  });

  it('is lost when the container is removed', async () => {
    const name = container();
    const target = new Target({ container: { engine, name } });
    await run('true', { target });
    const running = run('sleep 1000', { target });
    await run('true', { target });
    podman('rm', '-f', '--time', '0', name);
    expect(await running).toMatchObject({ status: 'failed', error: { code: 'TARGET_LOST' } });
    const next = await run('true', { target });
    expect(next.error?.code).toBe('TARGET_CONTAINER');
    expect(next.error?.message).toContain(`There is no running container '${name}'`);
    await target.dispose();
  });
});
