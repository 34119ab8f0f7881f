import { describe, expect, it } from 'vitest';
import { BashJob, bash, Jobs, run } from '../../index.js';
import { living } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { newTarget, shellTarget } from './shell-target.js';

describe.skipIf(process.platform !== 'linux')('the bash tool on a target', () => {
  it('answers as here', async () => {
    const target = newTarget();
    const answer = await bash({ command: 'pwd; echo err >&2; exit 3' }, '/usr', false, { target });
    expect(answer).toBe('/usr\n\nerr\n\n[Exit code: 3]');
    expect(await bash({ command: 'ls -d bin' }, '/usr', true, { target })).toBe('bin\n\n[Exit code: 0]');
    expect(await bash({ command: 'true' }, 'usr', false, { target })).toContain(
      'an absolute path next to a target',
    );
    expect(await bash({}, '/usr', false, { target })).toBe("Error: Missing required parameter 'command'");
  });

  it('has the streams and the exit of a job here', async () => {
    const job = new BashJob({ command: 'echo out; echo err >&2; kill -9 $$' }, '/usr', false, {
      target: newTarget(),
    });
    const data: [string, string][] = [];
    job.on('data', (text, stream) => data.push([stream, text]));
    const exit = new Promise((resolve) => {
      job.on('exit', (code, signal) => resolve([code, signal]));
    });
    expect(await exit).toEqual([null, 'SIGKILL']);
    expect(data.sort()).toEqual([
      ['stderr', 'err\n'],
      ['stdout', 'out\n'],
    ]);
    const result = await job.result;
    expect(result).toMatchObject({ status: 'signaled', target: { kind: 'exec' } });
    await expect(() => job.ready({ port: true })).rejects.toThrow('not available with a target');
  });

  it('ends at its timeout, with what it has started', async () => {
    const seconds = tag();
    const job = new BashJob({ command: `sleep ${seconds} & sleep ${seconds}` }, '/', false, {
      target: shellTarget().options,
      timeout: 300,
    });
    expect((await job.result).status).toBe('timeout');
    expect(living(seconds)).toEqual([]);
  });

  it('runs in a terminal there', async () => {
    const options = { target: newTarget(), pty: { cols: 91, rows: 30 } };
    const job = new BashJob({ command: 'stty size' }, '/', false, options);
    expect((await job.result).stdout).toContain('30 91');
  });

  it('asks a policy before the transport starts', async () => {
    const options = { target: { exec: ['/nowhere/transport'] }, policy: { deny: ['Bash(rm:*)'] } };
    const { status, error } = await new BashJob({ command: 'rm x' }, '/', false, options).result;
    expect([status, error?.code]).toEqual(['denied', 'DENIED']);
  });
});

describe('an option that a target excludes', () => {
  const target = { exec: ['/nowhere/transport'] };

  it('is that jobs outlive Node.js', async () => {
    const jobs = new Jobs({ onHostExit: 'leave' });
    expect(() => jobs.start('true', { target })).toThrow("'options.onHostExit': expected 'kill'");
    await expect(run('true', { target, jobs, onTimeout: 'background' })).rejects.toThrow(TypeError);
  });
});
