import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type InputWait, type Job, type JobOptions, Jobs, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { nextWait } from '../support/jobs.js';
import { nothingFor } from '../support/waits.mjs';
import { BUSY, PIPED, type Program, SERVER_WITH_KEYS, WAITING } from './programs.js';

const directory = temporaryDirectory();

/** The time for which a busy program is observed (ms): a wait would be reported after 130 ms of silence. */
const WATCHED_MS = 1_500;

/** Programs that are not installed, and the rights that are missing. */
function missing({ command, needs = [] }: Program): string[] {
  const [program = ''] = /^python3/.exec(command) ?? [];
  return [...needs, ...(program ? [program] : [])].filter((need) =>
    need === 'root' ? process.getuid?.() !== 0 : spawnSync('which', [need]).status !== 0,
  );
}

/** Returns the name of a test, with the reason if it is skipped. */
function titled(programs: readonly Program[]): Array<Program & { title: string; isMissing: boolean }> {
  return programs.map((program) => {
    const lacks = missing(program);
    const reason = lacks.length === 0 ? '' : ` (skipped: there is no ${lacks.join(', ')})`;
    const typed = program.typed ? ` given ${JSON.stringify(program.typed)}` : '';
    return { ...program, title: `${program.command}${typed}${reason}`, isMissing: lacks.length > 0 };
  });
}

/** Starts a program in a directory of its own, where it finds no settings of the user's. */
function started(table: Jobs, { command }: Program, options: JobOptions): Job {
  const cwd = mkdtempSync(join(directory, 'program-'));
  return table.start(command, { cwd, shell: '/bin/sh', env: { HOME: cwd, GIT_PAGER: 'cat' }, ...options });
}

/** Sees a program begin to wait, once for each answer. */
async function seeWait(program: Program, options: JobOptions): Promise<void> {
  await using table = new Jobs();
  const job = started(table, program, options);
  let wait = await nextWait(job);
  for (const answer of program.typed ?? []) {
    const next = nextWait(job);
    job.write(answer);
    wait = await next;
  }
  // A program may pass through another wait while it starts: a shell that asks its terminal what it is.
  if (program.prompt !== undefined && !wait.prompt.includes(program.prompt)) wait = await nextWait(job);
  expect(wait).toMatchObject({ kind: program.kind, certain: true, listening: false });
  if (program.program !== undefined) expect(wait.program).toBe(program.program);
  if (program.prompt !== undefined) expect(wait.prompt).toContain(program.prompt);
  expect(process.kill(wait.pid, 0)).toBe(true);
}

/** Sees that a program does not wait. */
async function seeNone(program: Program, options: JobOptions): Promise<void> {
  await using table = new Jobs();
  const job = started(table, program, options);
  const waits: InputWait[] = [];
  job.on('waiting', (wait) => waits.push(wait));
  if (program.typed) {
    // The program waits until it gets an answer.
    waits.push(await nextWait(job));
    waits.length = 0;
    for (const answer of program.typed) job.write(answer);
  }
  await nothingFor(WATCHED_MS);
  expect(job.status).toBe('running');
  expect(waits).toEqual([]);
  expect(await job.waiting()).toBeNull();
}

describe.skipIf(process.platform !== 'linux').concurrent('a program at a terminal', () => {
  for (const program of titled(WAITING)) {
    it.skipIf(program.isMissing)(`waits: ${program.title}`, { timeout: 60_000 }, () =>
      seeWait(program, { pty: true }),
    );
  }
  for (const program of titled(BUSY)) {
    it.skipIf(program.isMissing)(`does not wait: ${program.title}`, { timeout: 60_000 }, () =>
      seeNone(program, { pty: true }),
    );
  }
});

describe.skipIf(process.platform !== 'linux').concurrent('a program with a pipe', () => {
  for (const program of titled(PIPED)) {
    const verb = program.kind === null ? 'does not wait' : 'waits';
    it.skipIf(program.isMissing)(`${verb}: ${program.title}`, { timeout: 60_000 }, () =>
      program.kind === null ? seeNone(program, { stdin: 'pipe' }) : seeWait(program, { stdin: 'pipe' }),
    );
  }
});

describe.skipIf(process.platform !== 'linux')('a job', () => {
  it('reports a server that takes keys to waiting(), without an event', async () => {
    await using table = new Jobs();
    const job = table.start(SERVER_WITH_KEYS, { pty: true });
    const waits: InputWait[] = [];
    job.on('waiting', (wait) => waits.push(wait));
    await job.waitForScreen('listening');
    await nothingFor(WATCHED_MS);
    expect(waits).toEqual([]);
    expect(await job.waiting()).toMatchObject({ kind: 'keys', how: 'poll', listening: true });
  });

  it('reports the longest time of a wait', { tags: ['python3'] }, async () => {
    await using table = new Jobs();
    const job = table.start(['python3', '-c', 'import select; select.select([0], [], [], 300)'], {
      pty: true,
    });
    expect(await nextWait(job)).toMatchObject({ how: 'poll', timeout: 300_000 });
  });

  it('reports each wait once, and again after an answer', async () => {
    await using table = new Jobs();
    const job = table.start('read a; sleep 0.2; read b; sleep 0.2', { pty: true });
    const waits: InputWait[] = [];
    job.on('waiting', (wait) => {
      waits.push(wait);
      setTimeout(() => job.write('answer\r'), 300);
    });
    await job.result;
    expect(waits).toHaveLength(2);
  });

  it('has no input to wait for without a terminal or a pipe, before its start and after its end', async () => {
    await using table = new Jobs();
    const job = table.start('cat; sleep 0.2');
    expect(await job.waiting()).toBeNull();
    await job.result;
    expect(await job.waiting()).toBeNull();
  });

  it('answers pending calls of waiting() when it ends', async () => {
    await using table = new Jobs();
    const job = table.start('read x', { pty: true });
    await nextWait(job);
    const asked = job.waiting();
    job.kill('SIGKILL');
    expect([null, 'line']).toContain((await asked)?.kind ?? null);
    await job.result;
  });

  it('gets the end of its input instead of waiting', async () => {
    await using table = new Jobs();
    const cat = table.start('cat; echo end', { pty: true, onWaiting: 'eof' });
    const piped = table.start('cat; echo end', { stdin: 'pipe', onWaiting: 'eof' });
    expect((await cat.result).stdout).toContain('end');
    expect((await piped.result).stdout).toBe('end\n');
  });

  it('is ended when it waits, with onWaiting kill', async () => {
    const result = await run('echo before; read x; echo after', { pty: true, onWaiting: 'kill' });
    expect(result).toMatchObject({ status: 'timeout', exitCode: null, error: { code: 'WAITING_FOR_INPUT' } });
    expect(result.stdout).toBe('before\r\n');
  });
});

describe('options', () => {
  it('that make no sense are errors', async () => {
    await using table = new Jobs();
    expect(() => table.start('cat', { onWaiting: 'ignore' as 'eof' })).toThrow("'options.onWaiting'");
    await expect(run('cat', { onWaiting: 'event' as 'eof' })).rejects.toThrow("'options.onWaiting'");
  });
});
