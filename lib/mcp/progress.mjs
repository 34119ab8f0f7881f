/** Progress while output flows, at most so often (ms). */
const INTERVAL = 1_000;

/** Progress while there is no output (ms): clients that end idle calls count from the last one. */
const HEARTBEAT = 10_000;

/** What clients show of a message (characters). */
const MESSAGE_LENGTH = 200;

/** Tells the client that a call goes on, if the client asked for it by a token. */
class Progress {
  /** For `onUpdate` of a call; `undefined` if nobody asked. */
  listener;
  #request;
  #token;
  #timer;
  #message;
  #startedAt = performance.now();
  #sentAt = this.#startedAt;
  #last = 0;

  constructor(request, message) {
    this.#request = request;
    this.#token = request._meta?.progressToken;
    if (this.#token === undefined) return;
    this.#message = message;
    this.listener = ({ tail }) => this.#update(tail);
    this.#timer = setInterval(() => this.#heartbeat(), HEARTBEAT);
    // The call itself keeps the process alive.
    this.#timer.unref();
  }

  stop() {
    clearInterval(this.#timer);
    this.#token = undefined;
  }

  #update(tail) {
    this.#message = tail.trim() === '' ? this.#message : tail.slice(0, MESSAGE_LENGTH);
    if (performance.now() - this.#sentAt >= INTERVAL) this.#send();
  }

  #heartbeat() {
    if (performance.now() - this.#sentAt >= HEARTBEAT - INTERVAL) this.#send();
  }

  #send() {
    if (this.#token === undefined) return;
    this.#sentAt = performance.now();
    // Seconds since the start; the protocol wants each to be more than the last.
    this.#last = Math.max(this.#last + 1, Math.round((this.#sentAt - this.#startedAt) / 1_000));
    const params = { progressToken: this.#token, progress: this.#last, message: this.#message };
    // The connection may be closed by now.
    this.#request.notify({ method: 'notifications/progress', params }).catch(() => {});
  }
}

export { Progress };
