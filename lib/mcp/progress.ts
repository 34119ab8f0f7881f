import type { ToolUpdate } from 'agent-bash/tools';
import { clearInterval, setInterval } from '../support/timers.ts';

/** The part of a request that progress uses. */
export interface ProgressRequest {
  _meta?: { progressToken?: string | number | undefined } | undefined;
  notify: (notification: {
    method: 'notifications/progress';
    params: { progressToken: string | number; progress: number; message: string | undefined };
  }) => Promise<void>;
}

/** Minimum interval between notifications (ms): a person reads no faster. */
const INTERVAL = 1_000;

/**
 * Interval of notifications without output (ms): well below the idle timeouts of clients, which start at a
 * minute.
 */
const HEARTBEAT = 10_000;

/** Maximum length of a message (characters): Claude Code cuts there. */
const MESSAGE_LENGTH = 200;

/** Sends progress notifications for a call whose request has a progress token. */
class Progress {
  /** Listener for `onUpdate`, or `undefined` without a progress token. */
  listener: ((update: ToolUpdate) => void) | undefined;
  #request: ProgressRequest;
  #token: string | number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #message: string | undefined;
  #startedAt = performance.now();
  #sentAt = this.#startedAt;
  #last = 0;

  constructor(request: ProgressRequest, message?: string) {
    this.#request = request;
    this.#token = request._meta?.progressToken;
    if (this.#token === undefined) return;
    this.#message = message;
    this.listener = ({ tail, job }) => {
      // No progress may follow the answer.
      if (job === undefined) this.#update(tail);
    };
    this.#timer = setInterval(() => this.#heartbeat(), HEARTBEAT);
    // The command keeps the process alive.
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#token = undefined;
  }

  #update(tail: string): void {
    this.#message = tail.trim() === '' ? this.#message : tail.slice(0, MESSAGE_LENGTH);
    if (performance.now() - this.#sentAt >= INTERVAL) this.#send();
  }

  #heartbeat(): void {
    if (performance.now() - this.#sentAt >= HEARTBEAT - INTERVAL) this.#send();
  }

  #send(): void {
    if (this.#token === undefined) return;
    this.#sentAt = performance.now();
    // Seconds since the start. The protocol requires increasing values.
    this.#last = Math.max(this.#last + 1, Math.round((this.#sentAt - this.#startedAt) / 1_000));
    const params = { progressToken: this.#token, progress: this.#last, message: this.#message };
    // Rejects after the connection has closed.
    this.#request.notify({ method: 'notifications/progress', params }).catch(() => {});
  }
}

export { Progress };
