import { describe, expect, it } from 'vitest';
import { Jobs } from '../../index.js';
import { until } from '../support/processes.mjs';

describe('a job that takes no notice of its kill signal', () => {
  it('is sent it again, and another one, when kill() is called again', async () => {
    await using jobs = new Jobs();
    const command =
      "trap 'echo int' INT; trap 'echo term; exit 3' TERM; echo up; while :; do sleep 0.02; done";
    const job = jobs.start(command, { shell: '/bin/sh', killSignal: 'SIGINT', forceKillAfterDelay: false });
    await until(() => job.read().text === 'up\n');
    job.kill();
    await until(() => job.read().text === 'up\nint\n');
    job.kill('SIGINT');
    await until(() => job.read().text === 'up\nint\nint\n');
    expect(job.kill('SIGTERM')).toBe(true);
    const { status, exitCode, stdout } = await job.result;
    expect({ status, exitCode, stdout }).toEqual({
      status: 'exited',
      exitCode: 3,
      stdout: 'up\nint\nint\nterm\n',
    });
  });
});
