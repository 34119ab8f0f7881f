import { randomBytes } from 'node:crypto';
import { check, type Job, type JobOptions, type RunResult } from 'agent-bash';
import { unlessAborted } from '../../job/abort.ts';
import { boolean, callback, integer, object, oneOf } from '../../options/checks.ts';
import { SURROUNDINGS } from '../../options/surroundings/names.ts';
import { messageOf } from '../../support/message-of.ts';
import { commandOf } from './command-line.ts';
import {
  CODE,
  type CreateRequest,
  Errors,
  type ExitStatus,
  faultOf,
  type RequestErrorClass,
  type TerminalOutputResponse,
  type TerminalRequest,
} from './protocol.ts';
import { AcpTerminal } from './terminal.ts';

const OPTIONS = [
  ...SURROUNDINGS,
  ...['policy', 'approve', 'timeout'],
  ...['pty', 'maxTerminals', 'maxOutputBytes', 'commandLine', 'onTerminal', 'RequestError'],
];

/** Results without a process that are about the agent's `cwd`. */
const WRONG_DIRECTORY = ['CWD_OUTSIDE', 'CWD_MISSING', 'CWD_NOT_DIRECTORY'];

interface TerminalOptions extends JobOptions {
  maxTerminals?: number;
  maxOutputBytes?: number;
  commandLine?: 'auto' | 'never';
  onTerminal?: (terminal: { terminalId: string; sessionId: string; job: Job }) => void;
  RequestError?: RequestErrorClass;
}

/** Serves the terminals of an agent: each is a job. The types say what the options mean. */
export function terminalHandlers(given: TerminalOptions = {}): unknown {
  const terminals = new Terminals(given);
  const client = {
    createTerminal: (request: CreateRequest) => terminals.create(request),
    terminalOutput: (request: TerminalRequest) => terminals.output(request),
    waitForTerminalExit: (request: TerminalRequest, signal?: AbortSignal) => terminals.wait(request, signal),
    killTerminal: (request: TerminalRequest) => terminals.kill(request),
    releaseTerminal: (request: TerminalRequest) => terminals.release(request),
  };
  type Context<T> = { params: T; signal?: AbortSignal };
  return {
    requests: {
      'terminal/create': ({ params }: Context<CreateRequest>) => client.createTerminal(params),
      'terminal/output': ({ params }: Context<TerminalRequest>) => client.terminalOutput(params),
      'terminal/wait_for_exit': ({ params, signal }: Context<TerminalRequest>) =>
        client.waitForTerminalExit(params, signal),
      'terminal/kill': ({ params }: Context<TerminalRequest>) => client.killTerminal(params),
      'terminal/release': ({ params }: Context<TerminalRequest>) => client.releaseTerminal(params),
    },
    client,
    list: () => terminals.list(),
    releaseSession: (sessionId: string) => terminals.releaseSession(sessionId),
    dispose: () => terminals.dispose(),
    [Symbol.asyncDispose]: () => terminals.dispose(),
  };
}

class Terminals {
  readonly #options: JobOptions;
  readonly #pty: JobOptions['pty'];
  readonly #maxTerminals: number;
  readonly #maxOutputBytes: number;
  readonly #commandLine: 'auto' | 'never';
  readonly #onTerminal: TerminalOptions['onTerminal'];
  readonly #errors: Errors;
  readonly #terminals = new Map<string, AcpTerminal>();
  #isDisposed = false;

  constructor(given: TerminalOptions) {
    const { maxTerminals, maxOutputBytes, commandLine, onTerminal, RequestError, pty, ...options } = object(
      'options',
      given,
      OPTIONS,
    ) as TerminalOptions;
    callback('options.onTerminal', onTerminal);
    callback('options.RequestError', RequestError);
    checkSurroundings(options);
    this.#options = options;
    this.#pty = typeof pty === 'object' ? pty : boolean('options.pty', pty);
    this.#maxTerminals = integer('options.maxTerminals', maxTerminals, 1, 10_000) ?? 32;
    this.#maxOutputBytes = integer('options.maxOutputBytes', maxOutputBytes, 1, 268_435_456) ?? 4_194_304;
    this.#commandLine = oneOf('options.commandLine', commandLine, ['auto', 'never']) ?? 'auto';
    this.#onTerminal = onTerminal;
    this.#errors = new Errors(RequestError);
  }

  async create(request: CreateRequest): Promise<{ terminalId: string }> {
    const fault = faultOf(request);
    if (fault !== undefined) throw this.#errors.of(CODE.invalidParams, fault);
    if (this.#isDisposed) throw this.#errors.of(CODE.internal, 'the terminals are closed');
    if (this.#terminals.size >= this.#maxTerminals) {
      const text = `${this.#maxTerminals} terminals are open, the most that this client allows; release one`;
      throw this.#errors.of(CODE.internal, text);
    }
    const terminalId = `term_${randomBytes(12).toString('base64url')}`;
    const terminal = this.#start(request);
    this.#terminals.set(terminalId, terminal);
    try {
      const { sessionId, job } = terminal;
      this.#onTerminal?.({ terminalId, sessionId, job });
      const failed = await terminal.launched();
      if (failed !== null) throw this.#failure(failed);
    } catch (error) {
      this.#terminals.delete(terminalId);
      await terminal.release();
      throw error;
    }
    return { terminalId };
  }

  #start({ sessionId, command, args, env, cwd, outputByteLimit }: CreateRequest): AcpTerminal {
    const { env: ours, ...options } = this.#options;
    const limit = Math.min(outputByteLimit ?? this.#maxOutputBytes, this.#maxOutputBytes);
    const directory = cwd ?? options.cwd ?? options.root;
    const line = commandOf(command, args ?? [], this.#commandLine, String(directory ?? process.cwd()));
    const theirs = (env ?? []).map(({ name, value }) => [name, value]);
    const all: JobOptions = {
      ...options,
      ...(directory !== undefined && { cwd: directory }),
      env: { ...ours, ...Object.fromEntries(theirs) },
      ...(this.#pty !== undefined && { pty: this.#pty }),
      output: { maxBytes: 0, stripAnsi: true, ...(!this.#pty && { merge: true }) },
    };
    try {
      return new AcpTerminal(sessionId, line, all, limit);
    } catch (error) {
      throw this.#errors.of(CODE.invalidParams, messageOf(error));
    }
  }

  #failure({ status, error }: RunResult): Error {
    const reason = error?.message ?? `the command was not started (${status})`;
    if (status === 'denied') return this.#errors.of(CODE.internal, `not allowed: ${reason}`);
    const isTheirs = WRONG_DIRECTORY.includes(error?.code ?? '');
    return this.#errors.of(isTheirs ? CODE.invalidParams : CODE.internal, reason);
  }

  async output(request: TerminalRequest): Promise<TerminalOutputResponse> {
    return this.#find(request).output();
  }

  async wait(request: TerminalRequest, signal?: AbortSignal): Promise<ExitStatus> {
    const terminal = this.#find(request);
    if (signal === undefined) return terminal.exit();
    const status: ExitStatus | null = await unlessAborted(signal, () => terminal.exit(), null);
    if (status === null) throw this.#errors.of(CODE.cancelled, 'the command goes on');
    return status;
  }

  async kill(request: TerminalRequest): Promise<Record<string, never>> {
    this.#find(request).job.kill();
    return {};
  }

  async release(request: TerminalRequest): Promise<Record<string, never>> {
    const terminal = this.#find(request);
    this.#terminals.delete(request.terminalId);
    await terminal.release();
    return {};
  }

  list(): { terminalId: string; sessionId: string; job: Job }[] {
    return [...this.#terminals].map(([terminalId, { sessionId, job }]) => ({ terminalId, sessionId, job }));
  }

  async releaseSession(sessionId: string): Promise<void> {
    const own = this.list().filter((terminal) => terminal.sessionId === sessionId);
    await Promise.all(own.map((terminal) => this.release(terminal)));
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await Promise.all(this.list().map((terminal) => this.release(terminal)));
  }

  /** An id counts in its own session: no agent reaches the terminal of another one. */
  #find({ sessionId, terminalId }: TerminalRequest): AcpTerminal {
    const terminal = this.#terminals.get(terminalId);
    if (terminal?.sessionId === sessionId) return terminal;
    throw this.#errors.of(CODE.notFound, `no terminal ${terminalId} in this session`);
  }
}

/** Checks what commands get now, and not when an agent asks. @throws TypeError */
function checkSurroundings({ policy, approve, timeout, ...surroundings }: JobOptions): void {
  callback('options.approve', approve);
  integer('options.timeout', timeout, 0, Number.MAX_SAFE_INTEGER);
  const { limits, ...others } = surroundings;
  check('true', { ...others, policy: policy ?? {} } as Parameters<typeof check>[1]);
}
