import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, read, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Recording } from '../../index.js';
import { askNodeWithMounts, SETUP } from '../faults/program.js';
import { temporaryDirectory } from '../support/directory.js';
import { INDEX } from '../support/node.js';
import { until } from '../support/processes.mjs';
import { deliberateDelay } from '../support/waits.mjs';
import { readCast } from './cast.js';
import { played } from './player.js';

interface File {
  readonly recording: Recording;
  push(line: string): void;
  close(): Promise<void>;
}

const {
  CastFile,
}: {
  CastFile: new (path: string, maxBytes: number, create: () => Promise<number>, onRoom: () => void) => File;
} = await import(new URL('../../lib/live/record/cast-file.ts', import.meta.url).href);

describe('a full disk', { tags: ['root', 'mounts'] }, () => {
  it('ends the recording with its last whole line, and takes nothing from the command', async () => {
    const root = temporaryDirectory();
    const { text, ...report } = await askNodeWithMounts<{ text: string; [name: string]: unknown }>(
      `mount -t tmpfs -o size=256k none ${root}`,
      `
        ${SETUP}
        import { readFileSync } from 'node:fs';
        const file = ${JSON.stringify(root)} + '/x.cast';
        const { exitCode, totalBytes, recording } = await run('seq 600000; exit 3', { record: file });
        const text = readFileSync(file, 'utf8');
        print({ exitCode, total: totalBytes.stdout, code: recording.error.code, complete: recording.complete,
          isRight: recording.bytes === Buffer.byteLength(text), text });
      `,
    );
    expect(report).toEqual({ exitCode: 3, total: 4_088_895, code: 'ENOSPC', complete: false, isRight: true });
    expect(text.length).toBeGreaterThan(100_000);
    expect(text.endsWith('\n')).toBe(true);
    await played(text);
  });
});

describe('a disk that hangs', () => {
  it('is given up after 5 s', async () => {
    const path = join(temporaryDirectory(), 'fifo');
    execFileSync('mkfifo', [path]);
    const reader = openSync(path, 'r+');
    // A full pipe takes no byte before another one is read.
    const filler = execFileSync('sh', ['-c', `head -c 65536 /dev/zero > ${path}`]);
    expect(filler.length).toBe(0);
    const file = new CastFile(
      path,
      1e6,
      async () => openSync(path, 'w'),
      () => {},
    );
    file.push('line\n');
    const began = performance.now();
    await file.close();
    expect(performance.now() - began).toBeGreaterThan(4_900);
    expect(file.recording).toMatchObject({ complete: false, error: { code: 'ETIMEDOUT' } });
    file.push('more\n');
    readSync(reader, Buffer.alloc(65_536));
    // The write that was given up has its place now; nothing follows it.
    const late = await promisify(read)(reader, Buffer.alloc(100), 0, 100, null);
    expect(late.buffer.toString('utf8', 0, late.bytesRead)).toBe('line\n');
    closeSync(reader);
  });
});

describe('a host that is killed', () => {
  it('leaves a file of whole lines, which plays', { timeout: 300_000 }, async () => {
    const runs = Number(process.env.LIVE_KILLS ?? 6);
    let seed = 7;
    for (let round = 0; round < runs; round++) {
      seed = (seed * 48_271) % 2_147_483_647;
      const file = join(temporaryDirectory(), `${round}.cast`);
      const program = `
        const { Jobs } = require(${JSON.stringify(INDEX)});
        const jobs = new Jobs({ record: ${JSON.stringify(file)} });
        jobs.start('while :; do seq 3000; done');
        jobs.start('while :; do date; done', { pty: true });
      `;
      const host = spawn(process.execPath, ['-e', program], { stdio: 'ignore' });
      const ended = new Promise((resolve) => host.once('exit', resolve));
      onTestFinished(() => void host.kill('SIGKILL'));
      await until(() => existsSync(file) && readFileSync(file).length > 0, 'it records');
      await deliberateDelay(seed % 400);
      host.kill('SIGKILL');
      await ended;
      const { output } = readCast(file);
      expect((await played(readFileSync(file, 'utf8'))).output.length).toBe(output.length);
    }
  });

  it('has what came before its own exit', async () => {
    const file = join(temporaryDirectory(), 'x.cast');
    const program = `
      const { Jobs } = require(${JSON.stringify(INDEX)});
      const jobs = new Jobs({ record: ${JSON.stringify(file)} });
      const job = jobs.start('echo last words; sleep 60');
      job.ready({ pattern: 'last words' }).then(() => setTimeout(() => process.exit(), 60));
    `;
    execFileSync(process.execPath, ['-e', program]);
    expect(readCast(file).output).toContain('last words');
  });
});
