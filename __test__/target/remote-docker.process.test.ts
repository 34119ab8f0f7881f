import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { run, Target } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { importBusybox } from './podman.js';
import { Sshd } from './sshd.js';

/** The engine as its client reaches it over ssh, whose host is another machine by its name. */
const engine = ['docker', '--host', 'ssh://box'];

function docker(...words: string[]): string {
  return execFileSync('docker', words, { encoding: 'utf8' }).trim();
}

describe('a docker engine that is reached over ssh', { tags: ['docker', 'sshd'], timeout: 120_000 }, () => {
  const { PATH = '', DOCKER_HOST } = process.env;
  const there = [`PATH=${PATH}`, ...(DOCKER_HOST === undefined ? [] : [`DOCKER_HOST=${DOCKER_HOST}`])];
  const sshd = new Sshd(there);
  const image = `agent-bash-remote-${process.pid}:1`;
  const name = `agent-bash-remote-${process.pid}`;

  beforeAll(() => {
    importBusybox(image, docker);
    docker('run', '-d', '--name', name, '--network', 'none', image, '/bin/sleep', '100000');
    // The client of docker names no configuration of ssh, so a program before ssh does.
    mkdirSync(sshd.at('bin'));
    const program = `#!/bin/sh\nexec /usr/bin/ssh -F '${sshd.config('docker')}' "$@"\n`;
    writeFileSync(sshd.at('bin/ssh'), program, { mode: 0o755 });
  });

  beforeEach(() => {
    vi.stubEnv('PATH', `${sshd.at('bin')}:${PATH}`);
    return () => vi.unstubAllEnvs();
  });

  afterAll(() => {
    docker('rm', '-f', name);
    docker('rmi', '-f', image);
  });

  it('runs commands in a running container, copies its files and forwards its ports', async () => {
    await using target = new Target({ container: { engine, name } });
    expect(await run('echo out; exit 5', { target })).toMatchObject({ stdout: 'out\n', exitCode: 5 });
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'from'), 'text');
    await target.copyTo(join(directory, 'from'), '/tmp/there');
    await target.copyFrom('/tmp/there', join(directory, 'to'));
    expect(readFileSync(join(directory, 'to'), 'utf8')).toBe('text');
    const port = await target.forward('/tmp/none', { local: join(directory, 'socket') });
    await port.close();
  });

  it('refuses a workspace, which is a directory of this machine, before anything is made', async () => {
    const workspace = temporaryDirectory();
    const { status, error } = await run('true', { target: { container: { engine, image, workspace } } });
    expect([status, error?.code]).toEqual(['failed', 'TARGET_START']);
    expect(error?.message).toContain('the engine runs on another machine (ssh://box)');
    // In a directory of this machine, a command has it as its workspace.
    const rooted = await run('true', { root: workspace, target: { container: { engine, image } } });
    expect(rooted.error?.code).toBe('TARGET_START');
    expect(docker('ps', '--all', '--filter', `ancestor=${image}`, '--format', '{{.Names}}')).toBe(name);
  });

  it('makes a container without a workspace, with mounts of its machine', async () => {
    const source = temporaryDirectory();
    writeFileSync(join(source, 'file'), 'there');
    const mounts = [{ source, target: '/data', readOnly: true }];
    await using target = new Target({ container: { engine, image, mounts } });
    const { stdout, error } = await run('cat /data/file', { target });
    expect([stdout, error]).toEqual(['there', null]);
  });
});
