// Real commands of every kind, as a test would run them.

import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Job } from '../../../index.js';
import { BashJob, bash, Jobs, keys, run, ShellSession, Target } from '../../../index.js';

/** A case, with the function that returns a result, or anything else that is compared. */
export type Case = [name: string, act: (directory: string) => Promise<unknown>];

/** Runs a job to its end. Returns its events in order, and its result. */
export async function told(job: Job, act?: (job: Job) => unknown): Promise<unknown> {
  const events: unknown[] = [];
  job.on('spawn', () => events.push('spawn'));
  job.on('data', (text: string | Uint8Array, stream: string) => {
    const last = events.at(-1);
    if (Array.isArray(last) && last[0] === stream && typeof text === 'string') last[1] += text;
    else events.push([stream, text]);
  });
  job.on('exit', (code: unknown, signal: unknown) => events.push(['exit', code, signal]));
  await act?.(job);
  const result = await job.result;
  return { events, result, read: job.id.startsWith('job-') && result.jobId !== null ? job.read() : null };
}

/** Resolves when a job has written a text. */
export function written(job: Job, text: string): Promise<void> {
  return new Promise((resolve) => {
    let all = '';
    job.on('data', (chunk: string) => {
      all += chunk;
      if (all.includes(text)) resolve();
    });
  });
}

const ofRun = (name: string, command: string | string[], options = {}): Case => [
  name,
  () => run(command as string, options),
];

async function inTable(act: (jobs: Jobs) => Promise<unknown>): Promise<unknown> {
  await using jobs = new Jobs();
  return await act(jobs);
}

export const CASES: Case[] = [
  ofRun('an exit', 'true'),
  ofRun('an exit code', 'exit 7'),
  ofRun('output', 'echo out'),
  ofRun('both streams', 'echo out; echo err >&2'),
  ofRun('standard error alone', 'echo err >&2'),
  ofRun('output without a line end', 'printf out; printf err >&2'),
  ofRun('a missing command', 'no-such-command-here'),
  ofRun('a missing program', ['no-such-program-here', 'x']),
  ofRun('words', ['printf', '%s|', 'a b', "c'd"]),
  ofRun('split words', "printf '%s|' a 'b c'", { shell: false }),
  ofRun('an other shell', 'echo $0', { shell: '/bin/sh' }),
  ofRun('a signal', 'kill -TERM $$'),
  ofRun('SIGKILL', 'kill -KILL $$'),
  ofRun('a signal without a name', 'kill -40 $$'),
  ofRun('invalid UTF-8', "printf 'a\\377b'"),
  ofRun('split UTF-8', "printf '\\303'; sleep 0.05; printf '\\251'"),
  ofRun('binary output', 'head -c 300 /dev/zero'),
  ofRun('an image', "printf '\\211PNG\\r\\n\\032\\n'; head -c 100 /dev/zero"),
  ofRun('bytes', "printf 'a\\377b'; printf c >&2", { encoding: 'buffer' }),
  ofRun('merged streams', 'echo a; echo b >&2; echo c', { output: { merge: true } }),
  ofRun('no control sequences', "printf '\\033[31mred\\033[0m\\nab\\rc\\n'", { output: { stripAnsi: true } }),
  ofRun('a cut in the middle', 'seq 1 2000', { output: { maxBytes: 200 } }),
  ofRun('the head', 'seq 1 2000', { output: { maxBytes: 200, keep: 'head' } }),
  ofRun('the tail', 'seq 1 2000; echo e >&2', { output: { maxBytes: 200, keep: 'tail' } }),
  ofRun('a cut at a character', 'seq 1 2000', { output: { maxBytes: 99, cut: 'character' } }),
  ofRun('a marker', 'seq 1 2000', { output: { maxBytes: 200, marker: '<{bytes}>' } }),
  ofRun('a view', 'seq 1 3000; echo "error: no" >&2; exit 1', { output: { view: { maxBytes: 600 } } }),
  ofRun('a view of little', 'echo ok', { output: { view: true } }),
  ofRun('a view and a cut', 'seq 1 3000', { output: { view: { maxBytes: 600 }, maxBytes: 300 } }),
  ofRun('input', 'cat', { input: 'hello\n' }),
  ofRun('input of bytes', 'cat | od -An -tx1', { input: Uint8Array.of(0, 255, 10) }),
  ofRun('input that nobody reads', 'true', { input: 'hello' }),
  ofRun('a variable', 'echo "$A"', { env: { A: 'x y' } }),
  ofRun('no other variables', 'echo "$HOME"', { extendEnv: false, env: { A: '1' } }),
  ofRun('a quiet program', 'echo $PAGER $TERM', { nonInteractive: true }),
  ofRun('another directory', 'pwd', { cwd: '/' }),
  ofRun('a missing directory', 'pwd', { cwd: '/no/such/directory' }),
  ofRun('a directory outside of the root', 'pwd', { cwd: '/', root: '/tmp' }),
  ofRun('a timeout', 'echo before; sleep 10', { timeout: 150 }),
  ofRun('a timeout with another signal', 'sleep 10', { timeout: 100, killSignal: 'SIGINT' }),
  ofRun('an ignored signal', "trap '' TERM; sleep 10 & wait; wait", {
    timeout: 100,
    forceKillAfterDelay: 100,
  }),
  ofRun('silence', 'echo a; sleep 10', { idleTimeout: 150 }),
  ofRun('a trap', "trap 'echo bye; exit 3' TERM; sleep 10 & wait", { timeout: 150 }),
  ofRun('a background process', 'sleep 0.1 >/dev/null 2>&1 & echo started'),
  ofRun('a killed background process', 'sleep 30 & echo started', { background: 'kill' }),
  ofRun('output of a background process', '(sleep 0.05; echo late) & echo early'),
  ofRun('the statuses of a pipeline', 'true | false | exit 3', { pipeStatus: true }),
  ofRun('the statuses of no pipeline', 'true', { pipeStatus: true }),
  ofRun('many lines', 'seq 1 500'),
  ofRun('slow lines', 'for i in 1 2 3; do echo $i; sleep 0.03; done'),
  ofRun('a denied command', 'rm -rf /', { policy: { allow: ['Bash(echo *)'], mode: 'dontAsk' } }),
  ofRun('an allowed command', 'echo yes', { policy: { allow: ['Bash(echo *)'] } }),
  ['an abort before the start', () => run('true', { signal: AbortSignal.abort() })],
  [
    'an abort',
    () =>
      inTable(async (jobs) => {
        const stop = new AbortController();
        const job = jobs.start('echo up; sleep 10', { signal: stop.signal });
        return told(job, async () => {
          await written(job, 'up');
          stop.abort();
        });
      }),
  ],
  [
    'a killed job',
    () =>
      inTable(async (jobs) => {
        const job = jobs.start('echo up; sleep 10');
        return told(job, async () => {
          await written(job, 'up');
          job.kill();
        });
      }),
  ],
  [
    'a signal that a job handles',
    () =>
      inTable(async (jobs) => {
        const job = jobs.start("trap 'echo got' USR1; echo up; sleep 0.3 & wait; wait");
        return told(job, async () => {
          await written(job, 'up');
          job.kill('SIGUSR1');
        });
      }),
  ],
  [
    'an asked and answered question',
    () =>
      inTable(async (jobs) => {
        const job = jobs.start('printf "name? "; read name; echo "hi $name"', { stdin: 'pipe' });
        return told(job, async () => {
          await written(job, 'name?');
          job.write('Ada\n');
          job.end();
        });
      }),
  ],
  ['an iterated job', () => inTable(async (jobs) => collected(jobs.start('echo a; sleep 0.05; echo b')))],
  [
    'a wait that is too short',
    () =>
      inTable(async (jobs) => {
        const job = jobs.start('sleep 0.5; echo late');
        const waited = await jobs.wait(job.id, { timeout: 100 });
        return { waited: [waited.status, waited.pending.length], told: await told(job) };
      }),
  ],
  [
    'a job that moves to the background',
    () =>
      inTable(async (jobs) => {
        const first = await run('echo a; sleep 0.4; echo b', { timeout: 150, onTimeout: 'background', jobs });
        const job = jobs.get(first.jobId ?? '');
        const last = await job?.result;
        return { first: [first.status, first.stdout], last: [last?.status, last?.stdout] };
      }),
  ],
  [
    'a pattern that says a server is ready',
    () =>
      inTable(async (jobs) => {
        const job = jobs.start('sleep 0.05; echo "listening on 80"; sleep 0.2');
        const ready = await job.ready({ pattern: /listening on (\d+)/ });
        return { status: ready.status, told: await told(job) };
      }),
  ],
  [
    'a terminal',
    () =>
      inTable(async (jobs) => {
        const job = jobs.start('printf "\\033[1mname?\\033[0m "; read name; echo "hi $name"', {
          pty: { cols: 40, rows: 5 },
        });
        return told(job, async () => {
          const { status } = await job.waitForScreen('name?');
          job.write(`Ada${keys('enter')}`);
          await job.result;
          return status;
        });
      }),
  ],
  ['the answer of bash()', () => bash({ command: 'echo a; echo b >&2; exit 4' }, '/tmp')],
  ['a refusal of bash()', () => bash({ command: '' }, '/tmp')],
  ['a refusal of safe mode', () => bash({ command: 'rm -rf x' }, '/tmp', true)],
  ['a BashJob', () => told(new BashJob({ command: 'echo a; sleep 0.05; echo b' }, '/tmp'))],
  [
    'a timeout of a BashJob',
    () => told(new BashJob({ command: 'echo a; sleep 9' }, '/tmp', false, { timeout: 150 })),
  ],
  [
    'a session',
    async () => {
      await using session = new ShellSession();
      const first = await session.run('cd /; X=1; echo $X');
      const second = await session.run('pwd; echo $X; false', { pipeStatus: true });
      return [first, second, session.cwd];
    },
  ],
  [
    'a session that keeps its state',
    async () => {
      await using session = new ShellSession({ keep: 'state' });
      return [await session.run('cd /; X=1'), await session.run('pwd; echo $X'), session.cwd];
    },
  ],
  [
    'a spill file',
    async (directory) => {
      await using result = await run('seq 1 5', { output: { spill: { directory } } });
      return { spill: result.spill?.bytes, complete: result.spill?.complete, stdout: result.stdout };
    },
  ],
  [
    'a target',
    async (directory) => {
      const transport = join(directory, 'transport');
      writeFileSync(transport, `#!/bin/sh\nexec env HOME='${directory}' "$@"\n`, { mode: 0o700 });
      const target = new Target({ exec: [transport] });
      const states = [target.state];
      const { stdout, target: report } = await run('echo there', { target, cwd: '/' });
      states.push(target.state);
      await target.dispose();
      return { stdout, kind: report?.kind, states: [...states, target.state] };
    },
  ],
  [
    'a recording',
    async (directory) => {
      const record = join(mkdtempSync(join(directory, 'cast-')), 'x.cast');
      await run('echo recorded', { record });
      return readFileSync(record, 'utf8').includes('recorded');
    },
  ],
  [
    'a random path',
    async (directory) => {
      // Of two kinds of characters: one name of mkdtemp in a hundred looks like a word.
      const made = join(directory, `aB3${Math.random().toFixed(3).slice(2)}`);
      mkdirSync(made, { recursive: true });
      writeFileSync(join(made, 'file'), 'content\n');
      return (await run(`cat ${made}/file`)).stdout;
    },
  ],
];

async function collected(job: Job): Promise<unknown> {
  const chunks: unknown[] = [];
  for await (const { stream, ...chunk } of job) chunks.push([stream, chunk.text]);
  return { chunks, result: await job.result };
}
