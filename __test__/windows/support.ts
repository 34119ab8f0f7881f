import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, vi } from 'vitest';

/** The words of a program that runs JavaScript. */
export function node(program: string, ...args: string[]): string[] {
  return [process.execPath, '-e', program, ...args];
}

/** The file by which Node.js loads the package. */
export const INDEX = `${process.cwd()}/index.js`;

/** Runs until something ends it. */
export const FOREVER = 'setInterval(() => {}, 1000);';

/** Returns a new directory, which the end of the test file removes. */
export function temporaryDirectory(prefix = 'agent-bash-test-'): string {
  const directory = mkdtempSync(join(tmpdir(), prefix));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Returns whether a process runs. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Waits until processes have ended. */
export async function untilGone(...pids: number[]): Promise<void> {
  await vi.waitFor(
    () => {
      const left = pids.filter(isAlive);
      if (left.length > 0) throw new Error(`of ${pids}, ${left} still run`);
    },
    { timeout: 30_000, interval: 20 },
  );
}

/**
 * Starts a Node.js that runs a program with `jobs` and the variable `TREE`, ends it by TerminateProcess once
 * it has printed `ready`, and returns what it has printed. The program assigns the job to `job`.
 */
export async function killedHost(program: string, tree: string): Promise<string> {
  const code = `
    const { jobs } = require(${JSON.stringify(INDEX)});
    ${program}
    job.on('data', (text) => process.stdout.write(text));`;
  const host = spawn(process.execPath, ['-e', code], {
    env: { ...process.env, TREE: tree },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of host.stdout) {
    text += chunk;
    if (text.includes('ready')) host.kill('SIGKILL');
  }
  return text;
}

/** A tree of processes, three deep: prints the pid of each, and a line `ready` at the end. */
export const TREE = `
  const { spawn } = require('node:child_process');
  process.on('SIGINT', () => {});
  const depth = Number(process.argv[1]);
  console.log(process.pid);
  if (depth === 0) console.log('ready');
  else spawn(process.execPath, ['-e', process.env.TREE, String(depth - 1)], { stdio: 'inherit' });
  setInterval(() => {}, 1000);
`;

/**
 * The same, where each process cleans up at Ctrl-C, and waits for its child then: libuv ends the children of
 * a process that exits.
 */
export const CLEANING_TREE = TREE.replace(
  '() => {}',
  `() => {
    console.log('cleaned');
    if (globalThis.child?.exitCode === null) globalThis.child.on('exit', () => process.exit());
    else process.exit();
  }`,
).replace('else spawn', 'else globalThis.child = spawn');
