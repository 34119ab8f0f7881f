// Checks that an installed agent-bash works on this machine: node scripts/smoke.mjs [directory where it is
// installed] It runs in Node, Bun or Deno and needs only a POSIX shell with sleep, cat and echo. Each check
// runs in the main thread and in a worker.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const directory = resolve(workerData?.directory ?? process.argv[2] ?? '.');
const entry = createRequire(join(directory, 'package.json')).resolve('agent-bash');
const { BashJob, Jobs, bash, diagnostics, run } = await import(pathToFileURL(entry));
const here = realpathSync(directory);

/** The name of a check -> the check. */
const checks = {
  async 'bash() answers with both streams and the exit code'() {
    const answer = await bash({ command: 'echo out; echo err >&2; exit 3' }, here);
    assert.equal(answer, 'out\n\nerr\n\n[Exit code: 3]');
  },

  async 'bash() runs what safe mode allows, and nothing else'() {
    assert.match(await bash({ command: 'ls' }, here, true), /\[Exit code: 0\]$/);
    assert.match(await bash({ command: 'sleep 0' }, here, true), /^Error: /);
  },

  async 'BashJob gives its output while it comes'() {
    const job = new BashJob({ command: 'echo one; echo two >&2' }, here);
    const heard = { stdout: '', stderr: '' };
    job.on('data', (chunk, stream) => {
      heard[stream] += chunk;
    });
    const { exitCode, status } = await job.result;
    assert.deepEqual({ exitCode, status, ...heard }, { ...DONE, stdout: 'one\n', stderr: 'two\n' });
  },

  async 'run() runs words, with input, a directory and variables'() {
    const cat = await run(['cat'], { input: 'grüße\n' });
    assert.equal(cat.stdout, 'grüße\n');
    const shell = await run('pwd; echo "$SMOKE"', { cwd: here, env: { SMOKE: 'here' } });
    assert.equal(shell.stdout, `${here}\nhere\n`);
  },

  async 'run() keeps the beginning and the end of a long output'() {
    // 100 times 30,000 bytes by the shell alone: a small system may lack other programs.
    const command = 'x=$(printf %030000d 0); i=0; while [ $i -lt 100 ]; do printf %s $x; i=$((i+1)); done';
    const { stdout, totalBytes, truncated } = await run(command, { output: { maxBytes: 1000 } });
    assert.equal(totalBytes.stdout, 3e6);
    assert.ok(truncated && stdout.length < 1500);
  },

  async 'run() says why a program could not be started'() {
    const { error, status } = await run(['no-such-program']);
    assert.deepEqual([status, error.code], ['failed', 'ENOENT']);
  },

  async 'a timeout ends the command and what it has started'() {
    const { status, stdout } = await run('sleep 600 & echo $!; wait', { timeout: 5_000 });
    assert.equal(status, 'timeout');
    await untilGone(Number(stdout));
  },

  async 'kill() ends a command that ignores SIGTERM'() {
    const job = new BashJob({ command: "trap '' TERM; echo ready; sleep 600 & wait; sleep 600" }, here);
    await once(job, 'data');
    job.kill('SIGKILL');
    const { signal, status } = await job.result;
    assert.deepEqual([status, signal], ['signaled', 'SIGKILL']);
  },

  async 'an AbortSignal ends a command'() {
    const { status } = await run(['sleep', '600'], { signal: AbortSignal.timeout(200) });
    assert.equal(status, 'aborted');
  },

  async 'a background job is read, waited for and killed'() {
    const jobs = new Jobs();
    const short = jobs.start('echo text');
    await jobs.wait(short.id, { timeout: 10_000 });
    assert.equal(jobs.read(short.id).text, 'text\n');
    const long = jobs.start('echo started; sleep 600');
    await once(long, 'data');
    jobs.kill(long.id);
    assert.equal((await long.result).status, 'signaled');
  },

  async 'a guardian watches'() {
    await run('true');
    const deadline = performance.now() + 15_000;
    while (diagnostics().guardian.state === 'starting' && performance.now() < deadline) {
      await new Promise((done) => setTimeout(done, 5));
    }
    const { guardian } = diagnostics();
    assert.equal(guardian.state, 'running', guardian.error?.message);
  },

  async 'a job ends when its Node is killed'() {
    const program = `
      const { BashJob } = require(${JSON.stringify(entry)});
      const job = new BashJob({ command: 'echo $$; sleep 600 & echo $!; wait' }, '/', false, { timeout: 0 });
      job.on('data', (chunk) => process.stdout.write(chunk));`;
    const host = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    let pids = '';
    for await (const chunk of host.stdout) {
      pids += chunk;
      if (pids.split('\n').length === 3) host.kill('SIGKILL');
    }
    for (const pid of pids.trim().split('\n')) await untilGone(Number(pid));
  },
};

const DONE = { exitCode: 0, status: 'exited' };

function isAlive(pid) {
  assert.ok(pid > 1, 'a process number');
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // The first process of a container may not reap orphans. They stay in the process table as zombies.
  return process.platform !== 'linux' || !/^State:\s+Z/m.test(statusOf(pid));
}

function statusOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return 'State: Z'; // The process has ended since.
  }
}

async function untilGone(pid) {
  const deadline = performance.now() + 15_000;
  while (isAlive(pid)) {
    assert.ok(performance.now() < deadline, `process ${pid} is still there`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Returns the version of glibc; `null` for another C library. */
function libc() {
  if (process.platform !== 'linux') return '';
  const { glibcVersionRuntime } = process.report.getReport().header;
  return glibcVersionRuntime ? `, glibc ${glibcVersionRuntime}` : ', musl';
}

/** Names the runtime. Bun and Deno also report the version of Node that they emulate. */
function runtime() {
  const { bun, deno, node } = process.versions;
  if (bun !== undefined) return `Bun ${bun}`;
  return deno === undefined ? `Node ${node}` : `Deno ${deno}`;
}

let failures = 0;
for (const [name, check] of Object.entries(checks)) {
  const place = isMainThread ? 'main' : 'worker';
  try {
    await check();
    console.log(`ok (${place}): ${name}`);
  } catch (error) {
    failures += 1;
    console.log(`FAILED (${place}): ${name}\n${error.stack}`);
  }
}
if (failures > 0) process.exitCode = 1;

if (isMainThread) {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { directory } });
  const [code] = await once(worker, 'exit');
  if (code !== 0) process.exitCode = 1;
  const { version } = createRequire(entry)('./package.json');
  const where = `${runtime()}, ${process.platform} ${process.arch}${libc()}`;
  console.log(`agent-bash ${version} ${process.exitCode ? 'does NOT work' : 'works'} here: ${where}`);
}
