import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Plan } from './plan.js';
import { withScriptFile } from './script-file.js';
import type { Ending } from './text.js';

export interface LaunchOptions {
  /** The time until the process group gets SIGTERM. */
  timeoutMs?: number;
  /** From there until it is killed. */
  graceMs?: number;
  /** From there until the answer no longer waits for whoever still holds a pipe. */
  drainMs?: number;
}

export interface Failure {
  failure: string;
}

/** Runs the plan to the end of its output, or to the timeout. Never rejects. */
export async function launch(plan: Plan, cwd: string, options: LaunchOptions): Promise<Ending | Failure> {
  return withScriptFile(plan, (program, args) => start(program, args, cwd, options));
}

function start(
  program: string,
  args: string[],
  cwd: string,
  options: LaunchOptions,
): Promise<Ending | Failure> {
  const { timeoutMs = 30_000, graceMs = 2_000, drainMs = 500 } = options;
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      // Detached gives a process group of its own, which is what a timeout ends.
      child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    } catch (error) {
      resolve({ failure: (error as Error).message });
      return;
    }

    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));

    let timedOut = false;
    let timer = setTimeout(() => {
      timedOut = true;
      signalGroup(child, 'SIGTERM');
      timer = setTimeout(() => {
        signalGroup(child, 'SIGKILL');
        timer = setTimeout(() => {
          child.stdout?.destroy();
          child.stderr?.destroy();
        }, drainMs);
      }, graceMs);
    }, timeoutMs);

    child.on('error', (error) => {
      clearTimeout(timer);
      resolve({ failure: error.message });
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr),
        exitCode: signal === null ? (code ?? 0) : 128 + constants.signals[signal],
        timedOut,
      });
    });
  });
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The whole group has ended already.
  }
}
