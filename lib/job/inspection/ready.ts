import type { PortState } from '../../addon/addon-types.ts';
import { PlainLines } from '../../addon/native.ts';
import { abortSignal, boolean, integer, invalid, object, timerMilliseconds } from '../../options/checks.ts';
import type { StreamName } from '../../result/output-api.ts';
import { now } from '../../support/now.ts';
import { clearTimeout, setTimeout } from '../../support/timers.ts';
import type { PortForward } from '../../target/ports-api.ts';
import type { ReadyOptions, ReadyResult } from './api.ts';
import type { Find } from './job-screen.ts';
import { checkPattern, finder } from './job-screen.ts';
import type { Settle } from './wait-until.ts';
import { waitUntil } from './wait-until.ts';

/** The access of {@link ready} to a job. */
export interface ReadyView {
  isOver: () => boolean;
  /** Calls `listener` after output and at the end. Returns a function that removes the listener. */
  follow: (listener: () => void) => () => void;
  /** Returns the latest output; `undefined` if none is kept, and then `tap` passes it on as it arrives. */
  read: ((since: number) => { cursor: number; chunks: { text?: string; stream: StreamName }[] }) | undefined;
  tap: (listener: (output: string | Uint8Array, stream: StreamName) => void) => () => void;
  /** Calls `listener` whenever the ports change. Returns a function that removes the listener. */
  followPorts: (listener: (ports: PortState[]) => void) => () => void;
  /** Opens a port of the job's target here; absent for a job of this machine. */
  forward?: ((port: PortState) => Promise<PortForward>) | undefined;
}

/** The default timeout of `ready()` (ms). */
const TIMEOUT_MS = 30_000;

/** The time without output (ms) after which an unfinished line is searched too. */
const UNFINISHED_MS = 50;

/** The part of a line that is searched for a pattern (UTF-16 code units). */
const MAX_LINE_LENGTH = 64 * 1024;

/**
 * Waits until a job listens on a port, or its output matches a pattern, or both.
 */
async function ready(view: ReadyView, options: unknown): Promise<ReadyResult> {
  const { port, pattern, timeout = TIMEOUT_MS, signal, forward } = checkReady(options);
  const { forward: open } = view;
  if (forward && open === undefined) throw invalid('options.forward', 'none without a target', forward);
  const beganAt = now();
  const search = pattern === undefined ? null : new PatternSearch(finder(pattern), view);
  let ports: PortState[] = [];
  const begin = (settle: Settle<ReadyResult['status']>) => {
    const step = () => {
      const hasPort = port === undefined || ports.length > 0;
      if (hasPort && (search === null || search.match !== null)) settle('ready');
      else if (view.isOver()) settle('exited');
    };
    const ends: (() => void)[] = [];
    if (search !== null) ends.push(search.start(step));
    else ends.push(view.follow(step));
    if (port !== undefined) {
      const isWanted = (found: PortState) => port === true || found.port === port;
      ends.push(
        view.followPorts((all) => {
          ports = all.filter(isWanted);
          step();
        }),
      );
    }
    step();
    return ends;
  };
  const status = await waitUntil(begin, { timeout, signal });
  const opens = forward && status === 'ready' && open;
  const found = opens
    ? await Promise.all(ports.map(async (each) => ({ ...each, local: await opens(each) })))
    : ports;
  return { status, ports: found, match: search?.match ?? null, durationMs: now() - beganAt };
}

/** Searches the plain text of both streams for a pattern, line by line. */
class PatternSearch {
  match: (string | undefined)[] | null = null;
  #find: Find;
  #view: ReadyView;
  #cursor = 0;
  #lines = { stdout: new PlainLines(), stderr: new PlainLines() };
  #timer: NodeJS.Timeout | undefined;

  constructor(find: Find, view: ReadyView) {
    this.#find = find;
    this.#view = view;
  }

  /** Starts the search, which calls `step` after each check. Returns a function that ends it. */
  start(step: () => void): () => void {
    const { read, tap, follow } = this.#view;
    const check = () => {
      for (const { text = '', stream } of this.#newChunks()) this.#push(text, stream);
      if (this.#view.isOver()) this.#tryUnfinished();
      else this.#tryLater(step);
      step();
    };
    const stops = [follow(check)];
    if (read === undefined) {
      stops.push(
        tap((text, stream) => {
          this.#push(String(text), stream);
          this.#tryLater(step);
          step();
        }),
      );
    } else {
      check();
    }
    return () => {
      clearTimeout(this.#timer);
      for (const stop of stops) stop();
    };
  }

  #newChunks(): { text?: string; stream: StreamName }[] {
    const piece = this.#view.read?.(this.#cursor);
    if (piece === undefined) return [];
    this.#cursor = piece.cursor;
    return piece.chunks;
  }

  #push(text: string, stream: StreamName): void {
    for (const line of this.#lines[stream].push(text).split('\n')) this.#try(line);
  }

  #tryLater(step: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#tryUnfinished();
      step();
    }, UNFINISHED_MS);
  }

  #tryUnfinished(): void {
    for (const lines of Object.values(this.#lines)) this.#try(lines.unfinished());
  }

  #try(line: string): void {
    this.match ??= this.#find(line.slice(0, MAX_LINE_LENGTH));
  }
}

function checkReady(options: unknown = {}): ReadyOptions {
  const given = object('options', options, ['port', 'pattern', 'timeout', 'signal', 'forward']);
  const { port, pattern, timeout, signal } = given;
  const wanted = port === true || integer('options.port', port, 1, 65_535);
  const searched = pattern === undefined ? undefined : checkPattern('options.pattern', pattern);
  if (port === undefined && pattern === undefined) {
    throw invalid('options', 'a port, a pattern or both', options);
  }
  const forward = boolean('options.forward', given.forward);
  if (forward && port === undefined) throw invalid('options.forward', 'none without a port', forward);
  return {
    port: wanted,
    pattern: searched,
    timeout: timerMilliseconds('options.timeout', timeout),
    signal: abortSignal('options.signal', signal),
    forward,
  };
}

export { ready };
