// Reads the process table of this machine. Plain JavaScript, because programs that a test starts import it
// too.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import * as macos from './process-table-macos.mjs';
import { within } from './slowness.mjs';

const isMacOS = process.platform === 'darwin';

/** The longest time that an event may take on a busy machine (ms). */
const EVENT_TIMEOUT = within(30_000);

/** Waits until the condition holds, and returns its value. */
export async function until(condition, what = String(condition), timeout = EVENT_TIMEOUT) {
  const deadline = performance.now() + timeout;
  for (;;) {
    const answer = await condition();
    if (answer) return answer;
    if (performance.now() > deadline) throw new Error(`waited ${timeout} ms for: ${what}`);
    await delay(20);
  }
}

/** Returns the living processes with this text in their command lines. */
export function living(text) {
  return processNumbers().filter((pid) => pid !== process.pid && commandLine(pid).includes(text));
}

/** Returns the processes that run a program whose path begins so, but for the children of this process. */
export function programs(path) {
  return processNumbers().filter((pid) => {
    try {
      return programOf(pid).startsWith(path) && statusOf(pid).parent !== process.pid;
    } catch {
      // The process has exited, or belongs to another user.
      return false;
    }
  });
}

/**
 * Returns the name, the state and the parent of a process. The row is read from its last parenthesis on: a
 * name may have some.
 */
function statusOf(pid) {
  if (isMacOS) return macos.statusOf(pid);
  const stat = read(`/proc/${pid}/stat`);
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { name: stat.split(/[()]/)[1], state, parent: Number(parent) };
}

/** Returns the parent of a process. */
export function parentOf(pid) {
  return statusOf(pid).parent;
}

/** Returns the guardians of this process. */
export function guardians() {
  return living('agent-bash-guardian').filter((pid) => parentOf(pid) === process.pid);
}

/** Returns whether a process runs. A zombie, which init may keep for a while, does not. */
export function isAlive(pid) {
  return processNumbers().includes(pid) && /^[^ZX]/.test(statusOf(pid).state ?? '');
}

/** Returns the children of this process, including zombies, as `name state`. */
export function children() {
  return processNumbers().flatMap((pid) => {
    const { name, state, parent } = statusOf(pid);
    if (parent !== process.pid) return [];
    const shown = commandLine(pid).includes('agent-bash-guardian') ? 'guardian' : name;
    return [state === 'Z' ? `${shown} (zombie)` : shown];
  });
}

/** Returns the targets of the open descriptors of this process. */
export function descriptors() {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`).replace(/\[\d+\]/, '')];
    } catch {
      // The descriptor that listed the directory.
      return [];
    }
  });
}

/**
 * Returns whether the engine runs no command, and has closed what the last one had: a command has its result
 * a moment before the engine closes its file and its pidfd. The guardian stays, with a pidfd of its own.
 */
export function isCalm() {
  const names = descriptors();
  const pidfds = names.filter((name) => name.includes('pidfd')).length;
  return children().join() === 'guardian' && pidfds <= 1 && !names.some((name) => name.includes('/output-'));
}

/** Returns the names of this process's threads. */
export function threads() {
  return readdirSync('/proc/self/task').map((id) => read(`/proc/self/task/${id}/comm`).trim());
}

/** Returns everything that can leak in this process, sorted, including the engine's short-lived threads. */
export function resources() {
  return { children: children().sort(), descriptors: descriptors().sort(), threads: threads().sort() };
}

/** Returns the resident memory of this process (bytes). */
export function residentMemory() {
  return process.memoryUsage.rss();
}

function processNumbers() {
  if (isMacOS) return macos.processNumbers();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function commandLine(pid) {
  return isMacOS ? macos.commandLine(pid) : read(`/proc/${pid}/cmdline`);
}

function programOf(pid) {
  return isMacOS ? macos.programOf(pid) : readlinkSync(`/proc/${pid}/exe`);
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has exited meanwhile.
    return '';
  }
}
