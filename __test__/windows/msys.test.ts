import { once } from 'node:events';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';
import { FOREVER, temporaryDirectory } from './support.ts';

const directory = temporaryDirectory();
/** A Node.js that lies beside the library of MSYS2, so it counts as one of its programs. */
const program = join(directory, 'program.exe');
copyFileSync(process.execPath, program);
writeFileSync(join(directory, 'msys-2.0.dll'), '');

/** Runs a test that needs Ctrl-Break, which wine lacks. */
const onWindows = it.skipIf(process.env.WINEPREFIX !== undefined);

describe('a program of MSYS2', () => {
  onWindows.each(['SIGTERM', 'SIGINT'] as const)(
    'gets Ctrl-Break, since it ignores Ctrl-C: %s',
    async (name) => {
      const code = `process.on('SIGINT', () => process.exit(4)); process.on('SIGBREAK', () => process.exit(5));
      console.log('ready'); ${FOREVER}`;
      const jobs = new Jobs();
      const job = jobs.start([program, '-e', code], { forceKillAfterDelay: 50_000 });
      await once(job, 'data');
      job.kill(name);
      expect(await job.result).toMatchObject({ status: 'exited', exitCode: 5 });
      await jobs.dispose();
    },
  );

  onWindows('has the signal that was asked for if Ctrl-Break ends it', async () => {
    const jobs = new Jobs();
    const job = jobs.start([program, '-e', `console.log('ready'); ${FOREVER}`], {
      forceKillAfterDelay: 50_000,
    });
    await once(job, 'data');
    job.kill('SIGTERM');
    expect(await job.result).toMatchObject({ status: 'signaled', signal: 'SIGTERM' });
    await jobs.dispose();
  });

  it('has the signal that its exit code tells', async () => {
    const { status, signal } = await run([program, '-e', 'process.reallyExit(9 << 8)']);
    expect([status, signal]).toEqual(['signaled', 'SIGKILL']);
  });

  it('has an exit code of 8 bits otherwise', async () => {
    const { status, exitCode } = await run([program, '-e', 'process.exit(9)']);
    expect([status, exitCode]).toEqual(['exited', 9]);
  });
});

describe('another program', () => {
  it('has an exit code of more bits', async () => {
    const { status, exitCode } = await run([process.execPath, '-e', 'process.reallyExit(9 << 8)']);
    expect([status, exitCode]).toEqual(['exited', 9 << 8]);
  });
});
