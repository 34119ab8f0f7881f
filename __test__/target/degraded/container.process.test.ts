import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { run, Target } from '../../../index.js';
import { temporaryDirectory } from '../../support/directory.js';
import { INDEX, NodeProcess } from '../../support/node.js';
import { living, until } from '../../support/processes.mjs';
import { tag } from '../../support/tag.js';
import { importBusybox, PODMAN, podman } from '../podman.js';
import { reasonOf } from './other-system.js';

describe('commands in a running container without a helper', { tags: ['podman'], timeout: 180_000 }, () => {
  const directory = temporaryDirectory();
  const name = `agent-bash-test-sh-${process.pid}`;
  const image = `localhost/${name}:1`;
  const engine = join(directory, 'engine');
  const container = { engine, name };

  beforeAll(() => {
    importBusybox(image);
    // The shell in the container has a `uname` of its own, so its processor is another one.
    const script = `[ "$1" = exec ] && { shift 3; set -- exec -i ${name} linux32 "$@"; }; exec ${PODMAN.join(' ')} "$@"`;
    writeFileSync(engine, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
    // Without CAP_SYS_RESOURCE, podman can't raise these limits to its own defaults.
    const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'];
    podman('run', '-d', '--name', name, '--network', 'none', ...limits, image, '/bin/sleep', '100000');
  });

  afterAll(() => {
    podman('rm', '-f', '--time', '0', name);
    podman('rmi', '-f', image);
  });

  it('have their outputs and exit codes', async () => {
    const target = new Target({ container });
    onTestFinished(() => target.dispose());
    for (const code of [0, 1, 125, 126, 127, 137, 255]) {
      const result = await run(`echo out; echo err >&2; exit ${code}`, { target });
      expect(result).toMatchObject({ status: 'exited', exitCode: code, stdout: 'out\n', stderr: 'err\n' });
      expect(result.target).toMatchObject({
        container: name,
        supervisor: 'sh',
        reason: reasonOf('busybox'),
      });
    }
    const copy = await run('cat; pwd >&2', { target, input: 'in\n', cwd: '/etc' });
    expect(copy).toMatchObject({ stdout: 'in\n', stderr: '/etc\n' });
  });

  it('end at a timeout, and when Node.js is killed', async () => {
    const seconds = tag();
    const line = `sleep ${seconds} & sleep ${seconds}`;
    const result = await run(line, { target: { container }, timeout: 1_500 });
    expect(result.status).toBe('timeout');
    await until(() => living(seconds).length === 0, 'nothing is left');
    const program = `
      import { run } from ${JSON.stringify(INDEX)};
      await run('yes & sleep ' + TAG, { target: ${JSON.stringify({ container })} });
    `;
    const node = new NodeProcess(program, { tag: seconds });
    await until(() => living(seconds).length >= 1, 'it runs');
    node.process.kill('SIGKILL');
    await until(() => living(seconds).length === 0, 'nothing is left', 12_000);
  });
});
