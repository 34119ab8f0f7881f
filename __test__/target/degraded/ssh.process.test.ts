import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run, Target } from '../../../index.js';
import { INDEX, NodeProcess } from '../../support/node.js';
import { living, until } from '../../support/processes.mjs';
import { tag } from '../../support/tag.js';
import { Sshd } from '../sshd.js';
import { programsOfOtherSystem, REASON } from './other-system.js';

describe('commands over ssh without a helper', { tags: ['sshd'], timeout: 120_000 }, () => {
  const sshd = new Sshd([`PATH=${programsOfOtherSystem()}:/usr/bin:/bin`]);

  it('have a connection each, and exit codes of their own', async () => {
    const target = new Target(sshd.box('plain'));
    for (const code of [0, 1, 126, 127, 137, 255]) {
      const result = await run(`echo out; echo err >&2; exit ${code}`, { target });
      expect(result).toMatchObject({ status: 'exited', exitCode: code, stdout: 'out\n', stderr: 'err\n' });
      expect(result.target).toMatchObject({ kind: 'ssh', supervisor: 'sh', reason: REASON });
    }
    const many = await Promise.all(Array.from({ length: 32 }, (_, code) => run(`exit ${code}`, { target })));
    expect(many.map(({ exitCode }) => exitCode)).toEqual(Array.from({ length: 32 }, (_, code) => code));
    const input = 'x'.repeat(1_000_000);
    const forwarded = await run('cat; echo end >&2', { target, input, output: { maxBytes: 2e6 } });
    expect(forwarded).toMatchObject({ stdout: input, stderr: 'end\n' });
    await target.dispose();
  });

  it('end as a group at a timeout, and leave nothing when the target is disposed', async () => {
    const seconds = tag();
    const target = new Target(sshd.box('timeout'));
    const line = `sleep ${seconds} & sleep ${seconds}`;
    expect((await run(line, { target, timeout: 1_000 })).status).toBe('timeout');
    expect(living(seconds)).toEqual([]);
    const running = run(line, { target });
    await until(() => living(seconds).length >= 2, 'both run');
    await target.dispose();
    expect((await running).error?.code).toBe('TARGET_CLOSED');
    await until(() => living(seconds).length === 0, 'nothing is left', 12_000);
  });

  it('end when Node.js is killed', async () => {
    const seconds = tag();
    const path = sshd.config('killed');
    const program = `
      import { run } from ${JSON.stringify(INDEX)};
      const target = { ssh: { host: 'box', config: ${JSON.stringify(path)} } };
      await run('yes & sleep ' + TAG, { target });
    `;
    const node = new NodeProcess(program, { tag: seconds });
    await until(() => living(seconds).length >= 1, 'it runs');
    node.process.kill('SIGKILL');
    await until(() => living(seconds).length === 0, 'nothing is left', 12_000);
  });

  it('are lost with their connection, and end there', async () => {
    const seconds = tag();
    const target = new Target(sshd.box('lost'));
    onTestFinished(() => target.dispose());
    const running = run(`sleep ${seconds} & sleep ${seconds}`, { target });
    await until(() => living(seconds).length >= 2, 'both run');
    for (const pid of living(sshd.at('lost'))) process.kill(pid, 'SIGKILL');
    expect(await running).toMatchObject({ status: 'failed', exitCode: null, error: { code: 'TARGET_LOST' } });
    await until(() => living(seconds).length === 0, 'nothing is left', 12_000);
    expect((await run('echo again', { target })).stdout).toBe('again\n');
  });

  it('use a connection of the user that is shared already', async () => {
    const more = `ControlPath ${sshd.at('control')}`;
    const config = sshd.config('shared', { more });
    const words = ['-F', config, '-o', 'ControlMaster=yes', '-N', 'box'];
    const master = spawn('ssh', words, { stdio: 'ignore' });
    onTestFinished(() => {
      master.kill();
    });
    await until(() => existsSync(sshd.at('control')), 'the shared connection is open');
    const target = new Target({ ssh: { host: 'box', config } });
    onTestFinished(() => target.dispose());
    const peer = 'echo "$SSH_CONNECTION"';
    const [first, second] = [await run(peer, { target }), await run(peer, { target })];
    expect(first.target?.supervisor).toBe('sh');
    expect(first.stdout).toBe(second.stdout);
  });
});
