import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, Target } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { INDEX, NodeProcess } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { importBusybox } from './podman.js';

const engine = 'docker';

function docker(...words: string[]): string {
  return execFileSync(engine, words, { encoding: 'utf8' }).trim();
}

describe('a target in docker', { tags: ['docker'], timeout: 60_000 }, () => {
  const image = `agent-bash-test-${process.pid}:1`;
  const name = `agent-bash-test-${process.pid}`;

  beforeAll(() => {
    importBusybox(image, docker);
    docker('run', '-d', '--name', name, '--network', 'none', image, '/bin/sleep', '100000');
  });

  afterAll(() => {
    docker('rm', '-f', name);
    docker('rmi', '-f', image);
  });

  it('has the exit codes of its commands, in both kinds of containers', async () => {
    for (const container of [
      { engine, image },
      { engine, name },
    ]) {
      await using target = new Target({ container });
      for (const code of [0, 1, 125, 126, 127, 137, 255]) {
        const result = await run(`echo out; echo err >&2; exit ${code}`, { target });
        expect(result).toMatchObject({ status: 'exited', exitCode: code, stdout: 'out\n', stderr: 'err\n' });
      }
    }
  });

  it('has a workspace with protected paths, whose name may have blanks, commas and line breaks', async () => {
    const workspace = join(temporaryDirectory(), 'a "b", c\nd');
    mkdirSync(join(workspace, 'memo'), { recursive: true });
    const target = { container: { engine, image, workspace, protected: ['memo'] } };
    const { stderr } = await run('echo x >new; echo x >memo/a; mv memo other', { target });
    expect(stderr).toContain('Read-only file system');
    expect(statSync(join(workspace, 'new')).uid).toBe(process.getuid?.());
    expect(existsSync(join(workspace, 'memo'))).toBe(true);
  });

  it.each(['image', 'name'])('leaves nothing when Node.js is killed: by %s', async (kind) => {
    const seconds = tag();
    const container = kind === 'image' ? { engine, image } : { engine, name };
    const program = `
      import { run } from ${JSON.stringify(INDEX)};
      const target = { container: ${JSON.stringify(container)} };
      await run('(setsid sleep ' + TAG + ' >/dev/null 2>&1 &); yes & sleep ' + TAG, { target });
    `;
    const host = new NodeProcess(program, { tag: seconds });
    await until(() => living(seconds).length >= 2, 'both processes run');
    host.process.kill('SIGKILL');
    await until(() => living(seconds).length === 0, 'no process is left', 12_000);
    const left = () => docker('ps', '--all', '--filter', `ancestor=${image}`, '--format', '{{.Names}}');
    await until(() => left() === name, 'no container is left', 12_000);
  });
});
