import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, Target } from '../../../index.js';
import { temporaryDirectory } from '../../support/directory.js';
import { INDEX, NodeProcess } from '../../support/node.js';
import { living, until } from '../../support/processes.mjs';
import { tag } from '../../support/tag.js';

const CLIENT = fileURLToPath(new URL('./pod-client.mjs', import.meta.url));

/** The time without bytes after which the server ends a connection (ms). */
const IDLE_LIMIT = 1_500;

describe.skipIf(process.platform !== 'linux')('a target in a pod, by an imitation of kubectl', () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'socket');
  const exec = [process.execPath, CLIENT, path];
  const heartbeat = { interval: 300, deadline: 2_000 };
  const started: ChildProcess[] = [];
  let server: Server;

  /** Starts what a client asks for. The end of a connection does not reach the process, as in Kubernetes. */
  function serve(socket: Socket): void {
    let pod: ChildProcess | undefined;
    let head = '';
    socket.setTimeout(IDLE_LIMIT, () => socket.destroy());
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      if (pod) return void pod.stdin?.write(bytes);
      head += bytes.toString('latin1');
      const end = head.indexOf('\n');
      if (end < 0) return;
      const [program = '', ...words] = JSON.parse(head.slice(0, end));
      const env = { PATH: process.env.PATH, HOME: directory };
      pod = spawn(program, words, { env, stdio: ['pipe', 'pipe', 'ignore'] });
      started.push(pod);
      pod.stdin?.on('error', () => {});
      pod.stdout?.on('data', (output) => socket.write(output)).on('end', () => socket.destroy());
      pod.stdin?.write(Buffer.from(head.slice(end + 1), 'latin1'));
    });
  }

  beforeAll(() => {
    server = createServer(serve);
    return new Promise<void>((resolve) => server.listen(path, resolve));
  });

  afterAll(() => {
    server?.close();
    for (const pod of started) pod.kill('SIGKILL');
  });

  it('has the exit codes of its commands, and takes their input', async () => {
    await using target = new Target({ exec, heartbeat });
    for (const code of [0, 1, 137, 255])
      expect(await run(`exit ${code}`, { target })).toMatchObject({ status: 'exited', exitCode: code });
    const input = 'x'.repeat(3_000_000);
    const counted = await run('wc -c', { target, input });
    expect(counted.stdout.trim()).toBe(String(input.length));
  });

  it('is kept by the heartbeat where idle connections are cut', async () => {
    await using target = new Target({ exec, heartbeat });
    const result = await run('sleep 4; echo done', { target });
    expect(result.stdout).toBe('done\n');
  });

  it('connects again after a cut, which has ended its commands', async () => {
    const seconds = tag();
    await using target = new Target({ exec, heartbeat: { interval: 30_000, deadline: 60_000 } });
    await run('true', { target });
    const lost = await run(`setsid sleep ${seconds} & sleep ${seconds}`, { target });
    expect(lost).toMatchObject({ status: 'failed', error: { code: 'TARGET_LOST' }, exitCode: null });
    expect((await run('echo again', { target })).stdout).toBe('again\n');
    for (const pod of started) pod.stdin?.end();
    await until(() => living(seconds).length === 0, 'its processes are gone');
  });

  it('ends everything by the heartbeat when Node.js is killed', async () => {
    const seconds = tag();
    const program = `
      import { run } from ${JSON.stringify(INDEX)};
      const target = { exec: ${JSON.stringify(exec)}, heartbeat: ${JSON.stringify(heartbeat)} };
      await run('(setsid sleep ' + TAG + ' >/dev/null 2>&1 &); yes & sleep ' + TAG, { target });
    `;
    const host = new NodeProcess(program, { tag: seconds });
    await until(() => living(seconds).length >= 2, 'both processes run');
    host.process.kill('SIGKILL');
    await until(() => living(seconds).length === 0, 'nothing is left', 12_000);
    await until(() => started.every((pod) => pod.exitCode !== null), 'the supervisors have exited', 12_000);
  });
});
