// The lifetime of a command in a terminal of the client: creates the terminal, follows the output, and
// releases it. The client may answer late, never, or with anything: each wait has a bound.

import { addAbortListener } from '../../job/abort.ts';
import { messageOf } from '../../support/message-of.ts';
import { now } from '../../support/now.ts';
import { clearTimeout, setTimeout } from '../../support/timers.ts';
import type {
  ClientTerminal,
  ClientTerminalExit,
  ClientTerminalRequest,
  ClientTerminals,
} from '../api/terminals.ts';

/** The longest waits for the answer of a client (ms): a model waits for the end of its call. */
const KILL_DEADLINE = 1_000;
const OUTPUT_AFTER_KILL_DEADLINE = 2_000;
const RELEASE_DEADLINE = 1_000;
/** The same for the output of a command that has ended (ms), which may be 16 MiB over a slow connection. */
const OUTPUT_DEADLINE = 10_000;

/** The shortest time between two requests for output: with a listener, and without one (ms). */
const POLL_INTERVAL = 250;
const QUIET_POLL_INTERVAL = 2_000;
/** How many times as long as its last answer took a client is left alone. */
const POLL_FACTOR = 5;

/** Gets all of the output so far that the client has kept. */
export type OutputListener = (output: string) => void;

/** A command in a terminal, and what ends it. */
export interface TerminalCommand {
  request: ClientTerminalRequest;
  signal: AbortSignal;
  /** The time limit of the command, and that of a time without output (ms); `undefined` and 0 for none. */
  timeoutMs: number | undefined;
  idleTimeoutMs: number | undefined;
  /** Gets the id of the terminal. Returns who gets the output while the command runs. */
  opened: ((terminalId: string) => OutputListener) | undefined;
}

/** The end of a command in a terminal. */
export interface TerminalEnd {
  status: 'ended' | 'timeout' | 'idleTimeout' | 'aborted' | 'failed';
  terminalId: string | undefined;
  exit: ClientTerminalExit | null;
  output: string;
  truncated: boolean;
  error: { code: 'TERMINAL_START' | 'TERMINAL_LOST'; message: string } | null;
}

/** Why a command is given up before its end. */
type StopReason = 'timeout' | 'idleTimeout' | 'aborted' | 'lost';

/** The answer of a client: a value, or its reason for none. */
type ClientAnswer<Value> = { value: Value; error?: undefined; stopped?: undefined } | Failure;
type Failure = { error: string; stopped?: undefined };
/** The event that came before the answer. */
type Stopped = { stopped: StopReason; error?: undefined };

/** The output of a terminal that was seen last. */
interface Seen {
  output: string;
  truncated: boolean;
  exit: ClientTerminalExit | null;
}

const NOTHING: Seen = { output: '', truncated: false, exit: null };
const GONE = 'its connection has ended';

/** Runs a command in a terminal of the client. Never rejects. */
async function runInClient(terminals: ClientTerminals, command: TerminalCommand): Promise<TerminalEnd> {
  const stop = new Stop(command, terminals.signal);
  try {
    const creating = answerOf(async () => handleOf(await terminals.create(command.request)));
    const made = await Promise.race([creating, stop.answer]);
    if (made.error !== undefined) return failed('TERMINAL_START', made.error);
    if (made.stopped === undefined) {
      return await releasing(made.value, () => inTerminal(made.value, command, stop));
    }
    creating.then((late) => {
      if (late.error === undefined) discard(late.value);
    });
    return made.stopped === 'lost' ? lost(GONE) : ended(made.stopped, undefined, NOTHING);
  } finally {
    stop.forget();
  }
}

/** Uses a terminal, and releases it whatever happens. */
async function releasing(terminal: ClientTerminal, use: () => Promise<TerminalEnd>): Promise<TerminalEnd> {
  try {
    return await use();
  } finally {
    await bounded(
      answerOf(() => terminal.release()),
      RELEASE_DEADLINE,
      undefined,
    );
  }
}

async function inTerminal(
  terminal: ClientTerminal,
  { opened, idleTimeoutMs }: TerminalCommand,
  stop: Stop,
): Promise<TerminalEnd> {
  const { id } = terminal;
  const poll = new Poll(terminal, opened?.(id), idleTimeoutMs);
  try {
    const exiting = answerOf(() => terminal.waitForExit());
    const exit = await Promise.race([exiting, poll.end, stop.answer]);
    poll.stop();
    if (exit.error !== undefined) return lost(exit.error, id, poll.seen);
    if (exit.stopped !== undefined) return await given(exit.stopped, terminal, poll.seen);
    const rest = bounded<ClientAnswer<Seen>, Failure>(seenIn(terminal), OUTPUT_DEADLINE, {
      error: NO_OUTPUT,
    });
    const last = await Promise.race([rest, stop.answer]);
    if (last.error !== undefined) return lost(last.error, id, poll.seen);
    if (last.stopped !== undefined) return await given(last.stopped, terminal, poll.seen);
    return ended('ended', id, { ...last.value, exit: exit.value ?? last.value.exit });
  } finally {
    poll.stop();
  }
}

const NO_OUTPUT = `it did not give the output within ${OUTPUT_DEADLINE / 1_000} seconds`;

/** Gives a command up. After a timeout or an abort, it is killed, and its output is asked for once more. */
async function given(stopped: StopReason, terminal: ClientTerminal, seen: Seen): Promise<TerminalEnd> {
  if (stopped === 'lost') return lost(GONE, terminal.id, seen);
  await bounded(
    answerOf(() => terminal.kill()),
    KILL_DEADLINE,
    undefined,
  );
  const last = await bounded(seenIn(terminal), OUTPUT_AFTER_KILL_DEADLINE, undefined);
  return ended(stopped, terminal.id, last?.error === undefined ? (last?.value ?? seen) : seen);
}

/** Ends the command of a terminal that came when nobody waited for it any more. */
async function discard(terminal: ClientTerminal): Promise<void> {
  await bounded(
    answerOf(() => terminal.kill()),
    KILL_DEADLINE,
    undefined,
  );
  await answerOf(() => terminal.release());
}

function ended(status: TerminalEnd['status'], terminalId: string | undefined, seen: Seen): TerminalEnd {
  return { status, terminalId, ...seen, error: null };
}

function failed(
  code: 'TERMINAL_START' | 'TERMINAL_LOST',
  reason: string,
  terminalId?: string,
  seen: Seen = NOTHING,
): TerminalEnd {
  const message =
    code === 'TERMINAL_START'
      ? `the client can't open a terminal: ${reason}`
      : `the client's terminal was lost: ${reason}; the command may still run there`;
  return { ...ended('failed', terminalId, seen), exit: null, error: { code, message } };
}

function lost(reason: string, terminalId?: string, seen?: Seen): TerminalEnd {
  return failed('TERMINAL_LOST', reason, terminalId, seen);
}

/** An end of the wait for a command: its timeout, the signal of the call, or the end of the client. */
class Stop {
  readonly answer: Promise<Stopped>;
  #timer: NodeJS.Timeout | undefined;
  #forgetters: (() => void)[] = [];

  constructor({ signal, timeoutMs = 0 }: TerminalCommand, client: AbortSignal | undefined) {
    this.answer = new Promise((resolve) => {
      const on = (source: AbortSignal, stopped: StopReason) => {
        if (source.aborted) resolve({ stopped });
        this.#forgetters.push(addAbortListener(source, () => resolve({ stopped })));
      };
      on(signal, 'aborted');
      if (client !== undefined) on(client, 'lost');
      if (timeoutMs > 0) this.#timer = setTimeout(resolve, atMost(timeoutMs), { stopped: 'timeout' });
    });
  }

  forget(): void {
    clearTimeout(this.#timer);
    for (const forget of this.#forgetters) forget();
  }
}

/** Asks for the output of a terminal again and again. */
class Poll {
  seen: Seen = NOTHING;
  /**
   * Resolves if the client no longer gives the output, or if the output has not changed for the idle timeout.
   */
  readonly end: Promise<Failure | Stopped>;
  #terminal: ClientTerminal;
  #listener: OutputListener | undefined;
  #intervalMs: number;
  #idleTimeoutMs: number;
  #resolve: (end: Failure | Stopped) => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(terminal: ClientTerminal, listener: OutputListener | undefined, idleTimeoutMs = 0) {
    this.#terminal = terminal;
    this.#listener = listener;
    this.#intervalMs = listener === undefined ? QUIET_POLL_INTERVAL : POLL_INTERVAL;
    this.#idleTimeoutMs = idleTimeoutMs;
    this.end = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#arm(0);
    this.#armIdle();
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#idleTimer);
  }

  #arm(lastMs: number): void {
    this.#timer = setTimeout(() => this.#ask(), Math.max(this.#intervalMs, POLL_FACTOR * lastMs));
  }

  /** Starts the idle timeout anew. It has one interval more, since output is seen so much later. */
  #armIdle(): void {
    clearTimeout(this.#idleTimer);
    if (this.#idleTimeoutMs === 0) return;
    const ms = atMost(this.#idleTimeoutMs + this.#intervalMs);
    this.#idleTimer = setTimeout(this.#resolve, ms, { stopped: 'idleTimeout' });
  }

  async #ask(): Promise<void> {
    const start = now();
    const answer = await seenIn(this.#terminal);
    if (this.#isOver) return;
    if (answer.error !== undefined) {
      this.#resolve(answer);
      return;
    }
    if (answer.value.output !== this.seen.output) this.#armIdle();
    this.seen = answer.value;
    this.#listener?.(answer.value.output);
    this.#arm(now() - start);
  }
}

function seenIn(terminal: ClientTerminal): Promise<ClientAnswer<Seen>> {
  return answerOf(async () => {
    const { output, truncated, exitStatus } = Object(await terminal.currentOutput());
    if (typeof output !== 'string') throw new Error('its answer has no output');
    return { output, truncated: truncated === true, exit: exitStatus ?? null };
  });
}

function handleOf(given: unknown): ClientTerminal {
  const terminal = Object(given) as ClientTerminal;
  const isWhole = METHODS.every((name) => typeof terminal[name] === 'function');
  if (isWhole && typeof terminal.id === 'string') return terminal;
  throw new Error('it gave no terminal');
}

const METHODS = ['currentOutput', 'waitForExit', 'kill', 'release'] as const;

/** Returns the answer to a request. Never rejects. */
async function answerOf<Value>(ask: () => Promise<Value>): Promise<ClientAnswer<Value>> {
  try {
    return { value: await ask() };
  } catch (error) {
    return { error: reasonOf(error) };
  }
}

/**
 * Returns the words of an error. The SDK of the protocol has those of a handler in the data of a general one.
 */
function reasonOf(error: unknown): string {
  const message = messageOf(error, 'its error cannot be read');
  const details = detailsOf(error);
  return typeof details !== 'string' || message.includes(details) ? message : `${message}: ${details}`;
}

function detailsOf(error: unknown): unknown {
  try {
    return Object(Object(error).data).details;
  } catch {
    return undefined;
  }
}

/** Resolves with the value of a promise that never rejects, or after `ms` with `late`. */
function bounded<Value, Late>(promise: Promise<Value>, ms: number, late: Late): Promise<Value | Late> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(late), ms);
    promise.then((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}

/** Returns a time that a timer of Node.js can have (ms). */
function atMost(ms: number): number {
  return Math.min(ms, 2 ** 31 - 1);
}

export { runInClient };
