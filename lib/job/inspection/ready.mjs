import { PlainLines } from '../../addon/native.mjs';
import { abortSignal, integer, invalid, object, timerMilliseconds } from '../../options/checks.mjs';
import { now } from '../../support/now.ts';
import { checkPattern, finder } from './job-screen.mjs';
import { waitUntil } from './wait-until.mjs';

/** The default timeout of `ready()` (ms). */
const TIMEOUT_MS = 30_000;

/** The time without output (ms) after which an unfinished line is searched too. */
const UNFINISHED_MS = 50;

/** The part of a line that is searched for a pattern (UTF-16 code units). */
const LONGEST_LINE = 64 * 1024;

/**
 * Waits until a job listens on a port, or its output matches a pattern, or both. `view` is its access to the
 * job:
 *
 * - `isOver()`; `follow(listener)` calls `listener` after output and at the end;
 * - `read(since)` returns the latest output; `undefined` if none is kept, and then `tap(listener)` gets it as
 *   it arrives;
 * - `followPorts(listener)` calls `listener(ports)` whenever they change.
 */
async function ready(view, options) {
  const { port, pattern, timeout = TIMEOUT_MS, signal } = checkReady(options);
  const beganAt = now();
  const search = pattern === undefined ? null : new PatternSearch(finder(pattern), view);
  let ports = [];
  const begin = (settle) => {
    const step = () => {
      const hasPort = port === undefined || ports.length > 0;
      if (hasPort && (search === null || search.match !== null)) settle('ready');
      else if (view.isOver()) settle('exited');
    };
    const ends = [];
    if (search !== null) ends.push(search.start(step));
    else ends.push(view.follow(step));
    if (port !== undefined) {
      const isWanted = (found) => port === true || found.port === port;
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
  return { status, ports, match: search?.match ?? null, durationMs: now() - beganAt };
}

/** Searches the plain text of both streams for a pattern, line by line. */
class PatternSearch {
  match = null;
  #find;
  #view;
  #cursor = 0;
  #lines = { stdout: new PlainLines(), stderr: new PlainLines() };
  #timer;

  constructor(find, view) {
    this.#find = find;
    this.#view = view;
  }

  /** Starts the search, which calls `step` after each check. Returns a function that ends it. */
  start(step) {
    const { read, tap, follow } = this.#view;
    const check = () => {
      for (const { text, stream } of this.#newChunks()) this.#push(text, stream);
      if (this.#view.isOver()) this.#tryUnfinished();
      else this.#tryLater(step);
      step();
    };
    const stops = [follow(check)];
    if (read === undefined) {
      stops.push(
        tap((text, stream) => {
          this.#push(text, stream);
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

  #newChunks() {
    const piece = this.#view.read?.(this.#cursor);
    if (piece === undefined) return [];
    this.#cursor = piece.cursor;
    return piece.chunks;
  }

  #push(text, stream) {
    for (const line of this.#lines[stream].push(text).split('\n')) this.#try(line);
  }

  #tryLater(step) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#tryUnfinished();
      step();
    }, UNFINISHED_MS);
  }

  #tryUnfinished() {
    for (const lines of Object.values(this.#lines)) this.#try(lines.unfinished());
  }

  #try(line) {
    this.match ??= this.#find(line.slice(0, LONGEST_LINE));
  }
}

function checkReady(options = {}) {
  const { port, pattern, timeout, signal } = object('options', options, [
    'port',
    'pattern',
    'timeout',
    'signal',
  ]);
  if (port !== undefined && port !== true) integer('options.port', port, 1, 65_535);
  if (pattern !== undefined) checkPattern('options.pattern', pattern);
  if (port === undefined && pattern === undefined) {
    throw invalid('options', 'a port, a pattern or both', options);
  }
  return {
    port,
    pattern,
    timeout: timerMilliseconds('options.timeout', timeout),
    signal: abortSignal('options.signal', signal),
  };
}

export { ready };
