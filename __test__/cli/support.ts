import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { until } from '../support/processes.mjs';

export const BIN = fileURLToPath(new URL('../../entry/cli.js', import.meta.url));

export interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A command line of ours that runs. */
export class CommandLine {
  readonly process: ChildProcess;
  readonly ended: Promise<End>;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[], cwd?: string) {
    this.process = spawn(process.execPath, [BIN, ...args], {
      cwd,
      stdio: 'pipe',
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    this.process.stdout?.setEncoding('utf8').on('data', (text) => {
      this.stdout += text;
    });
    this.process.stderr?.setEncoding('utf8').on('data', (text) => {
      this.stderr += text;
    });
    // The input of a process that has ended.
    this.process.stdin?.on('error', () => {});
    this.ended = new Promise((resolve) => {
      this.process.on('close', (code, signal) =>
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr }),
      );
    });
    onTestFinished(() => {
      this.process.kill('SIGKILL');
    });
  }
}

/** Runs a command line of ours to its end. */
export function commandLine(args: readonly string[], cwd?: string): Promise<End> {
  const line = new CommandLine(args, cwd);
  line.process.stdin?.end();
  return line.ended;
}

// biome-ignore lint/suspicious/noExplicitAny: messages of a protocol.
export type Message = any;

/** A server, and a client that knows lines alone. */
export class LineClient extends CommandLine {
  #id = 0;

  constructor(...flags: string[]) {
    super(['mcp', ...flags]);
  }

  /** All messages so far. Throws for a line that is none: nothing else may be on standard output. */
  get messages(): Message[] {
    return this.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  write(text: string): void {
    this.process.stdin?.write(text);
  }

  send(message: object): void {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Sends a request, and gives its number. */
  start(method: string, params: object = {}): number {
    const id = ++this.#id;
    this.send({ id, method, params });
    return id;
  }

  answer(id: number | string): Promise<Message> {
    return until(() => this.messages.find((message) => message.id === id), `an answer to ${id}`);
  }

  request(method: string, params: object = {}): Promise<Message> {
    return this.answer(this.start(method, params));
  }

  async initialize(capabilities: object = {}): Promise<Message> {
    const clientInfo = { name: 'lines', version: '1' };
    const answer = await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities,
      clientInfo,
    });
    this.send({ method: 'notifications/initialized' });
    return answer;
  }

  /** Calls a command in version 2026-07-28 of the protocol, and returns the result. */
  async callNewer(command: string, more: object = {}): Promise<Message> {
    return (await this.answer(this.startNewer(command, more))).result;
  }

  /** Starts a call in version 2026-07-28 of the protocol, and gives the number of its request. */
  startNewer(command: string, more: object = {}): number {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      'io.modelcontextprotocol/clientInfo': { name: 'lines', version: '1' },
    };
    return this.start('tools/call', { name: 'bash', arguments: { command }, _meta, ...more });
  }

  call(command: string, more: object = {}): number {
    return this.start('tools/call', { name: 'bash', arguments: { command, ...more } });
  }
}
