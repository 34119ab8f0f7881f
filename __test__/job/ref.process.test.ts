import { describe, expect, it } from 'vitest';
import { runNode } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

describe('ref() and unref()', () => {
  it('a job keeps Node alive until it is over', async () => {
    const { code, stdout } = await runNode(`
      new BashJob({ command: 'sleep 0.5; exit 3' }, root).on('exit', (code) => console.log(code));
    `);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '3\n' });
  });

  it.each([
    ['in the turn of the constructor', ''],
    ['while the job runs', 'await until(() => living("sleep\\0" + TAG).length, "it sleeps");'],
  ])('unref() %s lets Node end, and the job with it', async (_, wait) => {
    const seconds = tag();
    const { code, stdout } = await runNode(
      `
        const job = new BashJob({ command: 'exec sleep ' + TAG }, root);
        job.on('exit', () => console.log('exit'));
        ${wait}
        job.unref();
      `,
      { tag: seconds },
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    await until(() => living(seconds).length === 0, 'none is left');
  });

  it('ref() takes an unref() back', async () => {
    const { stdout } = await runNode(`
      const job = new BashJob({ command: 'sleep 0.5' }, root).unref();
      job.on('exit', () => console.log('exit'));
      job.ref();
    `);
    expect(stdout).toBe('exit\n');
  });

  it('they do not count', async () => {
    const seconds = tag();
    const { stdout } = await runNode(
      `
        const job = new BashJob({ command: 'exec sleep ' + TAG }, root);
        job.on('exit', () => console.log('exit'));
        job.ref().ref().unref();
      `,
      { tag: seconds },
    );
    expect(stdout).toBe('');
  });

  it('an unref’d job does not keep Node from waiting for another one', async () => {
    const seconds = tag();
    const { stdout } = await runNode(
      `
        new BashJob({ command: 'exec sleep ' + TAG }, root).unref();
        new BashJob({ command: 'sleep 0.3' }, root).on('exit', () => console.log('exit'));
      `,
      { tag: seconds },
    );
    expect(stdout).toBe('exit\n');
    await until(() => living(seconds).length === 0, 'none is left');
  });

  it('after the end they change nothing', async () => {
    const { code, stdout } = await runNode(`
      const job = new BashJob({ command: 'true' }, root);
      await job.result;
      job.unref().ref().unref().ref();
      await bash({ command: 'true' }, root);
      console.log('end');
    `);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'end\n' });
  });

  it('a job that is killed before its start lets Node end', async () => {
    const { code } = await runNode("new BashJob({ command: 'sleep 60' }, root).kill()");
    expect(code).toBe(0);
  });

  it('an unref’d job emits events while Node runs', async () => {
    const { stdout } = await runNode(`
      const job = new BashJob({ command: 'echo hi' }, root).unref();
      job.on('data', (text) => process.stdout.write(text));
      await until(() => job.status === 'exited', 'it has exited');
    `);
    expect(stdout).toBe('hi\n');
  });
});
