// `agent-bash/live`: what the commands of an agent do, as they do it.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InputWait } from '../job/inspection/api.ts';
import type { Jobs } from '../job/jobs-api.ts';
import type { SandboxRefusal } from '../options/surroundings/sandbox-api.ts';
import type { Approve, Decision } from '../policy/api.ts';
import type { RunStatus } from '../result/api.ts';
import type { SignalName, StreamName } from '../result/output-api.ts';
import type { ShellSession } from '../session/api.ts';
import type { Dialect, Escalation, Verdict } from '../tools/api/definition.ts';
import type { Toolset } from '../tools/api/index.ts';
import type { ToolsOptions } from '../tools/api/options.ts';

/**
 * Something that has happened to a command, a call or a question. Plain JSON, the same in the iterator of
 * {@link Live}, at a page, and (but `output`) in the comments of a recording.
 *
 * All events are in one order. Those of a command begin with `start` and finish with `end`. Environments, and
 * input that a terminal does not echo, are never in an event.
 */
export type LiveEvent = LiveEventBase &
  (
    | LiveCall
    | LiveResult
    | LiveQuestion
    | LiveDecision
    | LiveStart
    | LiveOutput
    | LiveWaiting
    | LiveInput
    | LiveResize
    | LiveState
    | LiveMoved
    | LiveEnd
    | LiveGap
  );

/** The fields of every event, beside those of its type. */
export interface LiveEventBase {
  /**
   * The number of the event: they rise by one, in each {@link Live} and each recording from 1. Output and
   * gaps have that of the latest event before them.
   */
  seq: number;
  /**
   * Milliseconds since 1970. Of output: when the engine has read it, within 5 ms, also if the event loop of
   * Node.js was busy then. So a later event of another command may have an earlier time.
   */
  time: number;
}

/** A tool of a toolset was called. */
export interface LiveCall {
  type: 'call';
  /** The number of the call, unique within the thread; `callId` may be absent. */
  call: number;
  tool: string;
  dialect: Dialect;
  /** The SDK's id of the call, or `null`. */
  callId: string | null;
}

/** A call has its answer. */
export interface LiveResult {
  type: 'result';
  call: number;
  isError: boolean;
}

/** The host is asked about a command: the function `approve` was called. */
export interface LiveQuestion {
  type: 'question';
  /** The number of the question, unique within the thread. */
  question: number;
  /** The call that asks; `null` for a command that no tool has started. */
  call: number | null;
  /** The whole text that would run, or be written to the input of a job. */
  command: string;
  /** The directory in which the command would start; `null` where it is not known. */
  cwd: string | null;
  /** The decision of the policy, with the verdict `ask`; `null` without a policy. */
  decision: Decision | null;
  /** The rights that the command asks for beyond its sandbox; `null` for none. */
  escalation: Escalation | null;
}

/** A command was allowed, denied, or would need an answer that nobody can give (`ask`). */
export interface LiveDecision {
  type: 'decision';
  /** The question that this answers; `null` if nobody was asked. */
  question: number | null;
  call: number | null;
  command: string;
  verdict: Verdict;
  reason: string | null;
  /** The one who has decided: the policy, the function `approve` of the host, or a person at a page. */
  by: 'policy' | 'host' | 'page';
}

/** A command was started. */
export interface LiveStart {
  type: 'start';
  /** The id of the command, unique within the thread: `job-7`, also for one of `run()` or of a session. */
  id: string;
  /** The call that has started it; `null` for a command that no tool has started. */
  call: number | null;
  /** The id of its {@link ShellSession}, or `null`. */
  session: string | null;
  command: string;
  /** The command's directory as it was given; in a session, that of the shell. */
  cwd: string;
  /** The level of its sandbox: `workspace-write`; `null` without one. */
  sandbox: string | null;
  /** The kind of its target: `ssh`; `null` on this machine. */
  target: string | null;
  /** The size of its terminal; `null` without one. */
  pty: { cols: number; rows: number } | null;
  /** Whether input can be written to it while it runs. */
  stdin: boolean;
}

/** A command has written text. `cursor` is the position after the text in all of its output (bytes). */
export interface LiveOutput {
  type: 'output';
  id: string;
  stream: StreamName;
  /**
   * Text for a terminal that nothing but the command's own place on the screen can be changed by: without
   * titles, links, access to the clipboard, queries and device control. Without a terminal, only colours,
   * tabs, line ends and backspaces are left of its control sequences.
   */
  text: string;
  cursor: number;
}

/** A command waits for input; with `null`, it does no longer. */
export interface LiveWaiting {
  type: 'waiting';
  id: string;
  wait: InputWait | null;
}

/** Input was written to a command. Its text is nowhere, as it may be a password. */
export interface LiveInput {
  type: 'input';
  id: string;
  by: 'host' | 'page';
  /** The length of the input; 0 for its end. */
  bytes: number;
}

/** The terminal of a command has got another size. */
export interface LiveResize {
  type: 'resize';
  id: string;
  by: 'host' | 'page';
  cols: number;
  rows: number;
}

/** The processes of a running command have changed. They are looked at each second while a page shows it. */
export interface LiveState {
  type: 'state';
  id: string;
  /** The processes, each after its parent. At most 500. */
  processes: { pid: number; parent: number; program: string }[];
  /** The TCP ports on which they listen. */
  ports: { port: number; address: string; pid: number }[];
  /** The accesses that the sandbox has refused so far. */
  refused: SandboxRefusal[];
}

/** `run()` has answered, and the command goes on in a table of jobs. */
export interface LiveMoved {
  type: 'moved';
  id: string;
}

/** A command is over. */
export interface LiveEnd {
  type: 'end';
  id: string;
  status: RunStatus;
  exitCode: number | null;
  signal: SignalName | null;
  durationMs: number;
  /** The length of all of its output (bytes). */
  totalBytes: number;
  /** The pids of its processes that still run. */
  backgroundPids: number[];
  /** The accesses that the sandbox has refused. */
  refused: SandboxRefusal[];
  /** The code of the result's `error`, or `null`. */
  errorCode: string | null;
}

/** Output of a command is missing here: it came faster than it was read. */
export interface LiveGap {
  type: 'gap';
  id: string;
  /** The length of the missing output. */
  bytes: number;
}

export interface LiveOptions {
  /** The title of the page. Default: `bash in` and the directory of Node.js. */
  title?: string | undefined;
  /**
   * The rights of pages: look (default); answer questions (`'approve'`); also end, type and resize (`'all'`).
   */
  control?: 'none' | 'approve' | 'all' | undefined;
  /** The most memory for the output of ended commands (bytes), at least 1 MiB. Default 67,108,864. */
  memory?: number | undefined;
  /**
   * For {@link Live.node} and {@link Live.fetch}: the names under which your server is reached, as browsers
   * send them in `Host`: `localhost:3000`. Requests to other names are refused.
   */
  hosts?: readonly string[] | undefined;
}

/** A server of {@link Live.listen}. */
export interface LiveListening {
  /** The URL of the page, which may do what `control` says. It has a token: who knows it is let in. */
  url: string;
  /** A URL with which one can only look. */
  viewUrl: string;
  /** Returns a URL that opens the page once within a minute, for programs whose words others can see. */
  openUrl(): string;
  /** Stops listening, and closes its connections. Idempotent. */
  close(): Promise<void>;
}

/** A port of `node:worker_threads`, or `MessagePortMain` of Electron. */
export interface MessagePortLike {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  start?(): void;
  close?(): void;
}

/**
 * Shows what commands do, to code and to pages.
 *
 * A `Live` changes nothing of a command: not its result, its environment, its terminal, or when its output is
 * read. It reads the output from a buffer of 1 MiB for each observed command; output that leaves the buffer
 * unread is a {@link LiveGap}.
 *
 * @example
 * const live = new Live();
 * live.add(createTools('bash', { root }));
 * for await (const event of live) console.log(event.type);
 */
export declare class Live implements AsyncDisposable {
  /** @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong or unknown option, which it names */
  constructor(options?: LiveOptions);

  /**
   * Shows the commands of a toolset, a table or a session from now on; those of a table also if `run()` may
   * leave them to it.
   *
   * @returns a function that stops it for commands that start later. Idempotent.
   * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for anything else
   */
  add(source: Toolset | Jobs | ShellSession): () => void;

  /**
   * For the option `approve` of toolsets, `run()`, tables and sessions: asks the pages. The answer of a page
   * counts once. If no page that may answer is connected for 2 s, the answer is `ask` for a toolset, whose
   * SDK may then ask, and a denial for a command.
   */
  readonly approve: NonNullable<ToolsOptions['approve']> & Approve;

  /**
   * Connects a page in the same process or the same program: trusted, without a token. The port may do what
   * `control` says.
   */
  connect(port: MessagePortLike): void;

  /**
   * Shows the page on 127.0.0.1, until the view is disposed of. Neither the server nor a page keeps Node.js
   * alive; an unanswered question does.
   *
   * @param options.port default: any that is free
   * @throws Error with code `EADDRINUSE` for a port in use
   */
  listen(options?: { port?: number | undefined }): Promise<LiveListening>;

  /** Answers requests to a server of yours at a path that ends with `/`. Needs the option `hosts`. */
  readonly node: (request: IncomingMessage, response: ServerResponse) => void;

  /** Answers the requests of a server by the Fetch API, as {@link Live.node} does. */
  readonly fetch: (request: Request) => Promise<Response>;

  /** The token of pages that may do what `control` says, for {@link Live.node} and {@link Live.fetch}. */
  readonly token: string;

  /** The token of pages that only look. */
  readonly viewToken: string;

  /**
   * Iterates over the events from now on. The output that an iterator has not read stays in the buffers of
   * the commands, so that a slow iterator gets gaps; beside it, at most 10,000 events wait, and then the
   * oldest ones are dropped.
   */
  [Symbol.asyncIterator](): AsyncIterator<LiveEvent>;

  /** Removes all sources, ends all iterators, and closes all ports. Commands go on. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}
