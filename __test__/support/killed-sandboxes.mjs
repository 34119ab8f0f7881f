// Kills a Node that runs commands in sandboxes, and tells what is left of them. Plain JavaScript, because
// scripts/kill-sandboxes.mjs uses it too.

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { living } from './processes.mjs';
import { deliberateDelay } from './waits.mjs';

const INDEX = fileURLToPath(new URL('../../index.js', import.meta.url));

/** The directories in which the engine keeps private files and the journal of stubs. */
const PARENTS = ['/var/tmp', '/dev/shm', '/tmp', `/run/user/${process.getuid()}`];

/**
 * Commands, jobs, terminals, sessions and what they leave in the background, in sandboxes with stubs.
 */
const PROGRAM = `
  import { Jobs, run, ShellSession } from ${JSON.stringify(INDEX)};
  const { ROOT: root, SECONDS: seconds } = process.env;
  const sandbox = { level: 'workspace-write', protected: ['memo', 'deep/er/notes'] };
  const background = '(setsid sleep ' + seconds + ' > /dev/null 2>&1 < /dev/null &)';
  const jobs = new Jobs();
  for (const level of ['workspace-write', 'isolated', 'read-only']) {
    void run('sleep ' + seconds, { root, sandbox: level });
  }
  void run(background + '; ' + background + '; trap "" TERM; sleep ' + seconds, { root, sandbox });
  void run(background, { root, sandbox });
  jobs.start('sleep ' + seconds + ' & wait', { root, sandbox });
  jobs.start(background + '; sleep ' + seconds, { root, sandbox, pty: true });
  for (const keep of ['process', 'state']) {
    const session = new ShellSession({ root, sandbox, keep });
    void session.run(background).then(() => session.run('sleep ' + seconds + ' & sleep ' + seconds));
  }
  console.log('started');
`;

/** Makes a repository, in which each command has stubs. */
export function makeWorkspace(directory) {
  const root = join(directory, 'work');
  mkdirSync(root);
  execFileSync('git', ['init', '-q', root]);
  writeFileSync(join(root, 'file'), 'text');
  return root;
}

/** Runs the commands and kills their host after so many milliseconds. Returns the host's pid. */
export async function killHost(root, seconds, moment) {
  const host = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    env: { ...process.env, ROOT: root, SECONDS: seconds, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => host.once('exit', resolve));
  await new Promise((resolve) => host.stdout.once('data', resolve));
  await deliberateDelay(moment);
  host.kill('SIGKILL');
  await ended;
  return host.pid;
}

/** Returns the names of everything that a killed host has left: processes, mounts, stubs and files. */
export function leftOf(root, seconds, pid) {
  const files = filesBelow(root).filter((name) => !isOfWorkspace(name));
  const directories = PARENTS.flatMap((parent) =>
    list(parent).filter((name) => name.startsWith(`agent-bash.${pid}.`)),
  );
  const journal = `/var/tmp/agent-bash-stubs.${process.getuid()}`;
  const entries = list(journal).filter((name) => read(join(journal, name)).includes(root));
  const processes = living(seconds).map((left) => `process ${left}`);
  return [...processes, ...holders(root), ...files, ...directories, ...entries];
}

/** Returns the processes that have something of a directory mounted or open. */
function holders(root) {
  return list('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter(
      (pid) => read(`/proc/${pid}/mountinfo`).includes(root) || links(pid).some((at) => at.includes(root)),
    )
    .map((pid) => `holder ${pid}: ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`);
}

function links(pid) {
  const names = list(`/proc/${pid}/fd`).map((name) => `fd/${name}`);
  return [...names, 'cwd'].map((name) => {
    try {
      return readlinkSync(`/proc/${pid}/${name}`);
    } catch {
      return '';
    }
  });
}

function filesBelow(root) {
  return list(root, { recursive: true });
}

/** Returns whether a file was there before the commands. */
function isOfWorkspace(name) {
  return name === 'file' || (/^\.git/.test(name) && !/commondir|config\.worktree/.test(name));
}

function list(directory, options) {
  try {
    return readdirSync(directory, options);
  } catch {
    return [];
  }
}

function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
