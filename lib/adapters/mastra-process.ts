// A process of a Mastra sandbox: a job behind the interface of Mastra's `ProcessHandle`.

import { Readable, Writable } from 'node:stream';
import type { Job, RunResult } from 'agent-bash';
import { addAbortListener } from '../job/abort.ts';
import type { MastraCommandOptions, MastraCommandResult, MastraProcess } from './api/mastra.ts';
import { sdkExitCode } from './support/exit-code.ts';
import { Retained } from './support/retained.ts';

type Listener = (data: string) => void;

/** The most output of each stream that a process keeps (bytes), as in Mastra's own. */
const RETAINED = 1_048_576;

class JobProcess implements MastraProcess {
  readonly pid: string;
  readonly command: string;
  exitCode: number | undefined;
  #job: Job;
  #kept: { stdout: Retained; stderr: Retained };
  #listeners = { stdout: new Set<Listener>(), stderr: new Set<Listener>() };
  #result: Promise<MastraCommandResult>;
  #reader: Readable | undefined;
  #writer: Writable | undefined;

  constructor(job: Job, { maxRetainedBytes = RETAINED, onStdout, onStderr }: MastraCommandOptions) {
    this.#job = job;
    this.pid = job.id;
    this.command = job.command;
    this.#kept = { stdout: new Retained(maxRetainedBytes), stderr: new Retained(maxRetainedBytes) };
    if (onStdout) this.#listeners.stdout.add(onStdout);
    if (onStderr) this.#listeners.stderr.add(onStderr);
    job.on('data', (text, stream) => this.#add(stream === 'stderr' ? 'stderr' : 'stdout', text));
    this.#result = job.result.then((result) => this.#ended(result));
  }

  get stdout(): string {
    return this.#kept.stdout.text;
  }

  get stderr(): string {
    return this.#kept.stderr.text;
  }

  get stdoutTruncated(): boolean {
    return this.#kept.stdout.dropped > 0;
  }

  get stderrTruncated(): boolean {
    return this.#kept.stderr.dropped > 0;
  }

  get stdoutDroppedBytes(): number {
    return this.#kept.stdout.dropped;
  }

  get stderrDroppedBytes(): number {
    return this.#kept.stderr.dropped;
  }

  async wait({
    onStdout,
    onStderr,
    abortSignal,
  }: Pick<MastraCommandOptions, 'onStdout' | 'onStderr' | 'abortSignal'> = {}): Promise<MastraCommandResult> {
    if (onStdout) this.#listeners.stdout.add(onStdout);
    if (onStderr) this.#listeners.stderr.add(onStderr);
    const kill = () => void this.#job.kill('SIGKILL');
    const forget = abortSignal && addAbortListener(abortSignal, kill);
    if (abortSignal?.aborted) kill();
    try {
      return await this.#result;
    } finally {
      forget?.();
      if (onStdout) this.#listeners.stdout.delete(onStdout);
      if (onStderr) this.#listeners.stderr.delete(onStderr);
    }
  }

  async kill(): Promise<boolean> {
    if (this.exitCode !== undefined) return false;
    this.#job.kill('SIGKILL');
    await this.#result;
    return true;
  }

  async sendStdin(data: string): Promise<void> {
    const input = this.#input();
    await new Promise<void>((resolve, reject) => {
      input.write(data, (error) => (error ? reject(error) : resolve()));
    });
  }

  async closeStdin(): Promise<void> {
    const input = this.#input();
    if (!input.writableEnded) input.end();
  }

  get reader(): Readable {
    if (this.#reader === undefined) {
      const reader = new Readable({ read() {} });
      this.#reader = reader;
      const { text } = this.#kept.stdout;
      if (text !== '') reader.push(text);
      this.#listeners.stdout.add((data) => reader.push(data));
      this.#result.then(() => reader.push(null));
    }
    return this.#reader;
  }

  get writer(): Writable {
    this.#writer ??= new Writable({
      write: (chunk, _encoding, done) => void this.sendStdin(String(chunk)).then(() => done(), done),
      final: (done) => void this.closeStdin().then(() => done(), done),
    });
    return this.#writer;
  }

  #input(): Writable {
    const { stdin } = this.#job;
    if (this.exitCode !== undefined) {
      throw new Error(`Process ${this.pid} has already exited with code ${this.exitCode}`);
    }
    if (stdin === null) throw new Error(`Process ${this.pid} does not have stdin available`);
    return stdin;
  }

  #add(stream: 'stdout' | 'stderr', text: string): void {
    this.#kept[stream].add(text);
    for (const listener of this.#listeners[stream]) listener(text);
  }

  #ended(result: RunResult): MastraCommandResult {
    const { error, status, signal, durationMs } = result;
    if (error !== null && (status === 'failed' || status === 'denied'))
      this.#add('stderr', `${error.message}\n`);
    this.exitCode = sdkExitCode(result);
    return {
      command: this.command,
      success: this.exitCode === 0,
      exitCode: this.exitCode,
      stdout: this.stdout,
      stderr: this.stderr,
      executionTimeMs: durationMs,
      timedOut: status === 'timeout' || status === 'idleTimeout',
      killed: signal !== null,
      stdoutTruncated: this.stdoutTruncated,
      stderrTruncated: this.stderrTruncated,
      stdoutDroppedBytes: this.stdoutDroppedBytes,
      stderrDroppedBytes: this.stderrDroppedBytes,
    };
  }
}

export { JobProcess };
