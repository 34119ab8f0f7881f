import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { until } from './processes.mjs';

export const INDEX = fileURLToPath(new URL('../../index.js', import.meta.url));
export const PROCESSES = fileURLToPath(new URL('./processes.mjs', import.meta.url));
export const WAITS = fileURLToPath(new URL('./waits.mjs', import.meta.url));

const PRELUDE = `
  import { bash, BashJob } from ${JSON.stringify(INDEX)};
  import {
    resources, children, descriptors, guardians, isCalm, living, residentMemory, threads, until,
  } from ${JSON.stringify(PROCESSES)};
  import { deliberateDelay, nothingFor, unchangedFor } from ${JSON.stringify(WAITS)};
  const { TAG } = process.env;
  const root = '/';
`;

export interface NodeEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A Node process that runs a program: an ES module, behind imports of the package and of our helpers. */
export class NodeProcess {
  readonly process: ChildProcess;
  readonly ended: Promise<NodeEnd>;
  #stdout = '';
  #stderr = '';
  #end: NodeEnd | undefined;

  constructor(program: string, { tag = '', flags = [] }: NodeOptions = {}) {
    // Not in the command line, where the tag marks the processes of a job.
    this.process = spawn(process.execPath, [...flags, '--input-type=module', '-e', PRELUDE + program], {
      env: { ...process.env, TAG: tag, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.process.stdout?.setEncoding('utf8').on('data', (text) => {
      this.#stdout += text;
    });
    this.process.stderr?.setEncoding('utf8').on('data', (text) => {
      this.#stderr += text;
    });
    this.ended = new Promise((resolve) => {
      this.process.on('exit', (code, signal) => {
        const end = () => {
          this.#end = { code, signal, stdout: this.#stdout, stderr: this.#stderr };
          resolve(this.#end);
        };
        // The output may still be in the pipe. A process that is left over may hold our pipes open for
        // long, and that is for the tests to see.
        this.process.on('close', end);
        setTimeout(end, 5_000).unref();
      });
    });
    onTestFinished(() => {
      this.process.kill('SIGKILL');
    });
  }

  /** The standard output of the program so far. */
  get stdout(): string {
    return this.#stdout;
  }

  /** Waits until the program has printed this. */
  async printed(text: string, timeout?: number): Promise<void> {
    await until(
      () => {
        if (this.#stdout.includes(text)) return true;
        if (this.#end !== undefined) throw new Error(`it ended: ${this.#stdout}${this.#stderr}`);
        return false;
      },
      `the program prints ${text}`,
      timeout,
    );
  }
}

interface NodeOptions {
  tag?: string;
  flags?: string[];
}

/** Runs a program to its end. */
export function runNode(program: string, options?: NodeOptions): Promise<NodeEnd> {
  return new NodeProcess(program, options).ended;
}

/** Runs a program that prints JSON, and returns the value. */
export async function askNode<T>(program: string, options?: NodeOptions): Promise<T> {
  const { code, signal, stdout, stderr } = await runNode(program, options);
  if (code !== 0) throw new Error(`ended with ${code ?? signal}: ${stderr}`);
  return JSON.parse(stdout) as T;
}
