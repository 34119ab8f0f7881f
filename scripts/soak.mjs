// Runs many short commands with random options, checks every property of every result, and searches for
// leaks.
//
//   npm run soak -- --commands 100000 --seed 7
//
// Exits with 1 if a result was wrong, or a process, descriptor or file remained. The last output is JSON.

import { randomInt } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { children, living, residentMemory, resources, until } from '../__test__/support/processes.mjs';
import agentBash from '../index.js';

const { Jobs, run } = agentBash;
const { values } = parseArgs({
  options: { commands: { type: 'string' }, seed: { type: 'string' }, atOnce: { type: 'string' } },
});
const COMMANDS = Number(values.commands ?? 100_000);
const SEED = Number(values.seed ?? randomInt(2 ** 31));
const AT_ONCE = Number(values.atOnce ?? 12);
/** The first commands create everything permanent: threads, the guardian, compiled code. */
const WARM_UP = Math.min(1_000, COMMANDS / 4);
/** A duration that no other process sleeps for, so that remaining processes can be found. */
const TAG = `976.${randomInt(10 ** 9, 10 ** 10)}`;
const MIB = 1024 * 1024;

const place = realpathSync(mkdtempSync(join(tmpdir(), 'agent-bash-soak-')));
const jobs = new Jobs({ maxRunning: 1_000, maxFinished: 10 });

let state = SEED;
/** Returns a random integer below `limit` (mulberry32). */
function random(limit) {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
}
const pick = (list) => list[random(list.length)];
const maybe = (options) => (random(3) === 0 ? options : {});

function randomText() {
  const words = ['a', 'line', 'ü', '€', '🦀', ' ', '\n', '\n', '\t', 'x'.repeat(random(300))];
  return Array.from({ length: random(30) }, () => pick(words)).join('');
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns options that do not change the result of a command of some milliseconds. */
function harmless() {
  return {
    ...maybe({ shell: pick(['/bin/sh', '/bin/bash', ['/bin/bash', '--norc', '-c'], 'auto']) }),
    ...maybe({ timeout: 60_000 }),
    ...maybe({ idleTimeout: 60_000 }),
    ...maybe({ background: pick(['keep', 'kill', 'adopt']) }),
    ...maybe({ drain: pick(['end', { idle: 5_000, max: 20_000 }]) }),
    ...maybe({ signal: new AbortController().signal }),
    ...maybe({ killSignal: pick(['SIGTERM', 'SIGINT', 9]) }),
    ...maybe({ limits: { memory: 4 * 2 ** 30, cpu: 60_000, fileSize: 2 ** 30, openFiles: 200 } }),
    ...maybe({ nonInteractive: true }),
    ...maybe({ onTimeout: 'background', timeout: 60_000 }),
    ...maybe({ root: '/', cwd: place }),
    reject: false,
  };
}

/** Checks the properties that all results share. */
function expectEqual(result, expected, what) {
  for (const [name, value] of Object.entries(expected)) {
    if (!isDeepStrictEqual(result[name], value)) {
      const short = (fact) => JSON.stringify(fact)?.slice(0, 200);
      throw new Error(`${what}: ${name} is ${short(result[name])}, not ${short(value)}`);
    }
  }
  if (!(result.durationMs >= 0)) throw new Error(`${what}: durationMs is ${result.durationMs}`);
}

const ended = { status: 'exited', signal: null, error: null, jobId: null };

const kinds = {
  async output() {
    const [out, err, code] = [randomText(), randomText(), random(256)];
    const merge = random(4) === 0;
    const command = `printf %s ${quoted(out)}; printf %s ${quoted(err)} >&2; exit ${code}`;
    const [stdout, stderr] = merge ? [out + err, ''] : [out, err];
    const result = await run(command, { ...harmless(), output: { merge } });
    const totalBytes = { stdout: Buffer.byteLength(stdout), stderr: Buffer.byteLength(stderr) };
    const truncated = false;
    const facts = { ...ended, exitCode: code, stdout, stderr, totalBytes, truncated, backgroundPids: [] };
    expectEqual(result, facts, 'output');
  },
  async bytes() {
    const bytes = Uint8Array.from({ length: random(300) }, () => random(256));
    const octal = [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
    const result = await run(`printf '${octal}'`, { ...harmless(), encoding: 'buffer' });
    expectEqual(result, { ...ended, exitCode: 0, stdout: bytes, stderr: new Uint8Array() }, 'bytes');
  },
  async cut() {
    const count = 200 + random(20_000);
    const maxBytes = random(600);
    const keep = pick(['head', 'tail', 'both']);
    const output = { maxBytes, keep, cut: 'character', marker: '<{bytes} of {total}>' };
    const result = await run(`seq ${count}`, { ...harmless(), shell: '/bin/sh', output });
    let whole = '';
    for (let number = 1; number <= count; number++) whole += `${number}\n`;
    const head = keep === 'head' ? maxBytes : keep === 'tail' ? 0 : Math.floor(maxBytes / 2);
    const marker = `<${whole.length - maxBytes} of ${whole.length}>`;
    const tail = maxBytes - head;
    const stdout = whole.slice(0, head) + marker + (tail ? whole.slice(-tail) : '');
    expectEqual(result, { ...ended, exitCode: 0, stdout, truncated: true }, 'cut');
  },
  async input() {
    const input = randomText().repeat(1 + random(100));
    const result = await run('cat', { ...harmless(), input });
    expectEqual(result, { ...ended, exitCode: 0, stdout: input, stderr: '' }, 'input');
  },
  async unreadInput() {
    const input = Buffer.alloc(random(1_000_000), 'x');
    const result = await run('exit 5', { ...harmless(), input });
    expectEqual(result, { ...ended, exitCode: 5, stdout: '' }, 'unreadInput');
  },
  async environment() {
    const value = randomText();
    const result = await run('printf %s "$SOAK"', { ...harmless(), env: { SOAK: value } });
    expectEqual(result, { ...ended, exitCode: 0, stdout: value }, 'environment');
  },
  async words() {
    const words = Array.from({ length: random(5) }, randomText);
    const result = await run(['printf', '%s|', ...words]);
    const stdout = words.length ? words.map((word) => `${word}|`).join('') : '|';
    expectEqual(result, { ...ended, exitCode: 0, stdout }, 'words');
  },
  async directory() {
    const result = await run('pwd -P', { ...harmless(), root: '/', cwd: place });
    expectEqual(result, { ...ended, exitCode: 0, stdout: `${place}\n`, cwd: place }, 'directory');
  },
  async refusedDirectory() {
    const [cwd, code] = pick([
      ['..', 'CWD_OUTSIDE'],
      ['none', 'CWD_MISSING'],
      ['/etc/passwd', 'CWD_NOT_DIRECTORY'],
    ]);
    const result = await run('true', { root: place, cwd });
    expectEqual({ ...result, code: result.error?.code }, { status: 'failed', code, pid: null }, 'refused');
  },
  async missingProgram() {
    const result = await run(['/nonexistent/program']);
    expectEqual({ ...result, code: result.error?.code }, { status: 'failed', code: 'ENOENT' }, 'missing');
  },
  async file() {
    const text = randomText().repeat(1 + random(50));
    const output = { spill: true, maxBytes: 10 };
    const result = await run(`printf %s ${quoted(text)}`, { ...harmless(), output });
    const written = await readFile(result.spillPath, 'utf8');
    await result[Symbol.asyncDispose]();
    expectEqual({ ...result, written }, { ...ended, exitCode: 0, written: text }, 'file');
  },
  async death() {
    const result = await run('kill -KILL $$', harmless());
    const facts = { status: 'signaled', exitCode: null, signal: 'SIGKILL', stdout: '' };
    expectEqual(result, facts, 'death');
  },
  async late() {
    const result = await run('echo early; exec sleep 0.02', { ...harmless(), input: 'x' });
    expectEqual(result, { ...ended, exitCode: 0, stdout: 'early\n' }, 'late');
  },
  async timeout() {
    const command = `echo hi; sleep ${TAG} & ${pick(['', 'setsid '])}sleep ${TAG}`;
    const shell = pick(['/bin/sh', '/bin/bash']);
    const result = await run(command, {
      shell,
      timeout: 150 + random(50),
      output: { spill: random(4) === 0 },
    });
    expectEqual(result, { status: 'timeout', signal: 'SIGTERM', stdout: 'hi\n' }, 'timeout');
    await result[Symbol.asyncDispose]?.();
  },
  async idle() {
    const result = await run(`echo hi; exec sleep ${TAG}`, { shell: '/bin/sh', idleTimeout: 150 });
    expectEqual(result, { status: 'idleTimeout', stdout: 'hi\n', signal: 'SIGTERM' }, 'idle');
  },
  async abort() {
    const signal = AbortSignal.timeout(random(60));
    const result = await run(`sleep ${TAG}`, { shell: '/bin/sh', signal });
    expectEqual(result, { status: 'aborted' }, 'abort');
  },
  async killedLeftover() {
    const command = `${pick(['', 'setsid '])}sleep ${TAG} >/dev/null 2>&1 & echo hi`;
    const result = await run(command, { shell: '/bin/sh', background: 'kill' });
    expectEqual(result, { ...ended, exitCode: 0, stdout: 'hi\n', backgroundPids: [] }, 'killedLeftover');
  },
  async keptLeftover() {
    const command = `${pick(['', 'setsid '])}sleep ${TAG} >/dev/null 2>&1 & echo $!`;
    const result = await run(command, { shell: '/bin/sh' });
    const pid = Number(result.stdout);
    expectEqual(result, { ...ended, exitCode: 0, backgroundPids: [pid] }, 'keptLeftover');
    process.kill(pid, 'SIGKILL');
  },
  async adopted() {
    const command = `sleep 0.${100 + random(99)} & echo hi`;
    const result = await run(command, { shell: '/bin/sh', background: 'adopt', jobs, drain: { idle: 20 } });
    expectEqual(
      { ...result, left: result.backgroundPids.length },
      { ...ended, jobId: result.jobId, left: 1 },
      'adopted',
    );
    const { finished } = await jobs.wait(result.jobId);
    expectEqual(
      finished[0],
      { ...ended, jobId: result.jobId, stdout: 'hi\n', backgroundPids: [] },
      'adopted later',
    );
  },
  async moved() {
    const options = { shell: '/bin/sh', timeout: random(80), onTimeout: 'background', jobs };
    const result = await run(`echo one; sleep 0.2; echo two; exec sleep ${TAG}`, options);
    expectEqual(result, { status: 'background', exitCode: null }, 'moved');
    const job = jobs.get(result.jobId);
    await until(() => job.read().text === 'one\ntwo\n', 'all of the output');
    job.kill();
    expectEqual(
      await job.result,
      { status: 'signaled', signal: 'SIGTERM', stdout: 'one\ntwo\n' },
      'moved later',
    );
  },
  async written() {
    const job = jobs.start('cat; echo end', { shell: '/bin/sh', stdin: 'pipe' });
    const pieces = Array.from({ length: random(5) }, randomText);
    for (const piece of pieces) job.write(piece);
    job.end();
    const facts = { ...ended, jobId: job.id, exitCode: 0, stdout: `${pieces.join('')}end\n` };
    expectEqual(await job.result, facts, 'written');
  },
};

const names = Object.keys(kinds);
// Slow kinds are rarer, so that most of the time is spent on starts and ends.
const SLOW = new Set(['timeout', 'idle', 'adopted', 'moved', 'abort', 'late']);
const lot = names.flatMap((name) => Array(SLOW.has(name) ? 1 : 8).fill(name));

const wrong = [];
let next = 0;

async function oneAfterAnother(end) {
  while (next < end && wrong.length < 20) {
    const number = next++;
    const kind = pick(lot);
    await kinds[kind]().catch((error) => wrong.push(`${number} ${kind}: ${error.message}`));
  }
}

async function runUpTo(end) {
  await Promise.all(Array.from({ length: AT_ONCE }, () => oneAfterAnother(end)));
}

async function calm() {
  const isCalm = () => children().join() === 'guardian';
  await until(isCalm, 'the engine is calm').catch(() => {});
  return resources();
}

// Node opens a descriptor when it first writes to a stream.
console.error(`seed ${SEED}`);
await runUpTo(WARM_UP);
const before = await calm();
globalThis.gc?.();
const memoryBefore = residentMemory();
const startedAt = performance.now();
for (let end = WARM_UP; end < COMMANDS; ) {
  end = Math.min(COMMANDS, end + 5_000);
  await runUpTo(end);
  const perSecond = Math.round((next - WARM_UP) / ((performance.now() - startedAt) / 1_000));
  console.error(`${next} commands, ${perSecond} a second, ${Math.round(residentMemory() / MIB)} MiB`);
}
await jobs.dispose();
const same = async () => isDeepStrictEqual(await calm(), before);
await until(same, 'the counts are the same again').catch(() => {});
await until(() => living(TAG).length === 0, 'none is left').catch(() => {});
const left = living(TAG).length;
const after = resources();
rmSync(place, { recursive: true, force: true });
globalThis.gc?.();
const growthMiB = Math.round((residentMemory() - memoryBefore) / MIB);
const isClean = wrong.length === 0 && left === 0 && isDeepStrictEqual(before, after);
console.log(JSON.stringify({ commands: next, seed: SEED, wrong, left, before, after, growthMiB }, null, 2));
process.exitCode = isClean ? 0 : 1;
