// Copies a large file to a target and back, through cuts of the connection, and prints the times and the peak
// memory of this process and of the processes of the target.
//
//   npm run build && node scripts/copy-large.mjs            10 GiB, dense
//   node scripts/copy-large.mjs --gib 2 --sparse            2 GiB with 1 MiB of data in each 64 MiB
//   node scripts/copy-large.mjs --cuts 3 --directory /data  three cuts for each direction
//
// The target is a shell of this machine. Exits with 1 if a copy differs or has no holes, if memory grew by
// more than 64 MiB (the windows of the streams, and the heap of JavaScript), or if something is left. The
// directory needs twice the size.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Target } from '../entry/index.mjs';

const MIB = 2 ** 20;
const MAX_GROWTH_MIB = 64;

const { values } = parseArgs({
  options: {
    gib: { type: 'string', default: '10' },
    cuts: { type: 'string', default: '1' },
    directory: { type: 'string', default: tmpdir() },
    sparse: { type: 'boolean', default: false },
  },
});
const size = Number(values.gib) * 2 ** 30;
const cuts = Number(values.cuts);
const directory = mkdtempSync(join(values.directory, 'agent-bash-copy-'));
const at = (name) => join(directory, name);
const problems = [];

/** Writes the file: each MiB with data begins with its number. */
function writeFile(path) {
  const block = Buffer.alloc(MIB, 'agent-bash ');
  const file = openSync(path, 'w');
  for (let begin = 0; begin < size; begin += MIB * (values.sparse ? 64 : 1)) {
    block.writeDoubleLE(begin);
    writeSync(file, block, 0, MIB, begin);
  }
  ftruncateSync(file, size);
  closeSync(file);
}

async function hashOf(path) {
  const hash = createHash('sha1');
  for await (const chunk of createReadStream(path, { highWaterMark: MIB })) hash.update(chunk);
  return hash.digest('hex');
}

/** Returns the pids of the target's processes, which have its home in their environment. */
function processesThere() {
  return readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${Number(pid)}/environ`, 'utf8')
        .split('\0')
        .includes(`HOME=${directory}`);
    } catch {
      return false; // No process, or one that has exited.
    }
  });
}

/** Returns the memory of a process (MiB): `VmRSS` or `VmHWM`, its peak. */
function memory(pid, name) {
  const line = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) / 1024;
}

/** Copies, and cuts the connection so many times on the way. Resolves with what was seen. */
async function copy(target, name, from, to) {
  writeFileSync('/proc/self/clear_refs', '5');
  const before = memory('self', 'VmRSS');
  const seen = { done: 0, reports: 0, helperMiB: 0 };
  const onProgress = ({ bytes }) => {
    seen.reports++;
    const there = processesThere();
    try {
      seen.helperMiB = Math.max(seen.helperMiB, ...there.map((pid) => memory(pid, 'VmHWM')));
    } catch {
      // The process has exited with a cut.
    }
    if (seen.done === cuts || bytes < (size / (cuts + 1)) * (seen.done + 1)) return;
    seen.done++;
    for (const pid of there) process.kill(Number(pid), 'SIGKILL');
  };
  const begin = performance.now();
  const report = await target[name](from, to, { onProgress });
  const seconds = (performance.now() - begin) / 1_000;
  const grown = memory('self', 'VmHWM') - before;
  const { blocks } = statSync(to);
  console.log(
    `${name}: ${seconds.toFixed(1)} s, ${Math.round(size / MIB / seconds)} MiB/s, ${seen.done} cuts, ` +
      `${Math.round(report.resumedBytes / MIB)} MiB resumed, ${seen.reports} reports; ` +
      `${Math.round((blocks * 512) / MIB)} MiB on disk; memory: ${grown.toFixed(0)} MiB more here, ` +
      `${seen.helperMiB.toFixed(0)} MiB at most there`,
  );
  if (seen.done < cuts) problems.push(`${name}: it was over before it was cut`);
  if (grown > MAX_GROWTH_MIB) problems.push(`${name}: memory here grew by ${grown.toFixed(0)} MiB`);
  if (seen.helperMiB > MAX_GROWTH_MIB) problems.push(`${name}: ${seen.helperMiB.toFixed(0)} MiB there`);
  if (values.sparse && blocks * 512 > size / 8) problems.push(`${name}: the holes are filled`);
}

/** Aborts a copy in the middle. */
async function abort(target, name, from, to) {
  const controller = new AbortController();
  const onProgress = ({ bytes }) => {
    if (bytes > size / 10) controller.abort();
  };
  const error = await target[name](from, to, { onProgress, signal: controller.signal }).catch(
    (reason) => reason,
  );
  if (error?.name !== 'AbortError') problems.push(`${name}: not aborted, but ${error}`);
}

try {
  const target = new Target({ exec: ['env', `HOME=${directory}`] });
  writeFile(at('source'));
  const hash = await hashOf(at('source'));
  await target.stat(directory);
  if (!values.sparse) {
    await abort(target, 'copyTo', at('source'), at('aborted'));
    await abort(target, 'copyFrom', at('source'), at('aborted'));
  }
  await copy(target, 'copyTo', at('source'), at('there'));
  rmSync(at('source'));
  if ((await hashOf(at('there'))) !== hash) problems.push('copyTo: the copy differs');
  await copy(target, 'copyFrom', at('there'), at('here'));
  rmSync(at('there'));
  if ((await hashOf(at('here'))) !== hash) problems.push('copyFrom: the copy differs');
  await target.dispose();
  const left = readdirSync(directory).filter((name) => !['here', '.cache'].includes(name));
  if (left.length > 0) problems.push(`left: ${left}`);
  const running = processesThere();
  if (running.length > 0) problems.push(`running: ${execFileSync('ps', ['-fp', running.join()])}`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
