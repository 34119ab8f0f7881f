import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type PrewarmOptions, prewarm, type RunOptions, type RunResult, run } from 'agent-bash';
import { until } from '../support/processes.mjs';
import { INSTALLED } from '../support/shells.js';

/** A shell that can wait, and the start file that it reads. */
export interface Shell {
  shell: string | [string, ...string[]];
  startFile: string;
}

const ALL: Array<[string, Shell]> = [
  ['bash', { shell: ['/bin/bash', '-lc'], startFile: '.bash_profile' }],
  ['zsh', { shell: '/bin/zsh', startFile: '.zshenv' }],
];

export const SHELLS = ALL.filter(([name]) => INSTALLED.includes(`/bin/${name}`));

/** The marks of a shell that no other process on this machine has. */
type Marked = PrewarmOptions & { env: { WARM_MARK: string } };

let marks = 0;

/** Options for which no shell waits yet. */
export function marked(options: PrewarmOptions): Marked {
  marks += 1;
  const mark = `${process.pid}-${process.hrtime.bigint()}-${marks}`;
  return { ...options, env: { LANG: 'C.UTF-8', ...options.env, WARM_MARK: mark } };
}

/**
 * The processes that have these options' mark: the shells that wait or are about to, as long as no command
 * runs.
 */
export function waiting({ env: { WARM_MARK } }: Marked): number[] {
  const variable = `WARM_MARK=${WARM_MARK}\0`;
  return children().filter((pid) => read(`/proc/${pid}/environ`).includes(variable));
}

/** Returns whether a process is idle: it sleeps, and does not wait for a child. */
function isIdle(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`);
  return (
    stat.slice(stat.lastIndexOf(')')).startsWith(') S') && read(`/proc/${pid}/task/${pid}/children`) === ''
  );
}

/** Returns the children of this process. Reading the whole process table so often would take long. */
function children(): number[] {
  return readdirSync('/proc/self/task')
    .flatMap((thread) => read(`/proc/self/task/${thread}/children`).split(' '))
    .map(Number)
    .filter((pid) => pid > 0);
}

/** Returns the text of a file in /proc; empty if the process has exited. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Starts `count` shells ahead, and waits until their start files are over. */
export async function warmUp(options: Marked, count = 1, timeout?: number): Promise<number[]> {
  if (!prewarm({ ...options, count })) throw new Error('no shell can wait for this');
  // The process may sleep for a moment between two steps.
  let looks = 0;
  return until(
    () => {
      const pids = waiting(options).filter(isIdle);
      looks = pids.length >= count ? looks + 1 : 0;
      return looks > 1 && pids;
    },
    `${count} shells wait`,
    timeout,
  );
}

/** Runs a command, and returns whether a shell that was there before ran it. */
export async function runWarm(command: string, options: RunOptions & Marked) {
  const before = waiting(options);
  const result = await run(command, { ...options, warm: true });
  return { result, wasWarm: before.includes(result.pid ?? 0) };
}

/**
 * Runs a command until an existing warm shell has run it: this process may see a new shell before the engine
 * does.
 */
export async function runOnceWarm(command: string, options: RunOptions & Marked) {
  for (let attempt = 0; attempt < 100; attempt++) {
    await warmUp(options);
    const run = await runWarm(command, options);
    if (run.wasWarm) return run;
  }
  throw new Error('no command was run warm');
}

/** Returns the properties of a result that must be equal for warm and cold shells. */
export function facts(result: RunResult) {
  const { stdout, stderr, output, exitCode, signal, status, totalBytes, truncated, cwd, error } = result;
  const left = result.backgroundPids.length;
  return { stdout, stderr, output, exitCode, signal, status, totalBytes, truncated, cwd, error, left };
}

/** Runs a command warm and cold, in the same directory, which is emptied and filled for each. */
export async function both(
  command: string,
  options: PrewarmOptions & { cwd: string },
  setup: (directory: string) => void = () => {},
  more: RunOptions = {},
) {
  const { cwd } = options;
  const refill = () => {
    for (const name of readdirSync(cwd)) rmSync(join(cwd, name), { recursive: true, force: true });
    setup(cwd);
  };
  const shell = marked(options);
  refill();
  // A shell whose start files end it, or keep it from waiting, is not there.
  await warmUp(shell, 1, 150).catch(() => {});
  const { result: warm, wasWarm } = await runWarm(command, { timeout: 20_000, ...more, ...shell });
  refill();
  const cold = await run(command, { timeout: 20_000, ...more, ...shell });
  end([...warm.backgroundPids, ...cold.backgroundPids]);
  return { warm: facts(warm), cold: facts(cold), wasWarm };
}

/** Ends what commands have left. */
function end(pids: number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has exited since.
    }
  }
}
