// Where the messages of a page come from: a port, a server, or recordings.

import type { MessageFromPage, MessageToPage } from '../view/messages.ts';

/** The page's end of its source. */
export interface Receiver {
  message(message: MessageToPage): void;
  /** `lost`: the source tries again; `ended`: it does not. */
  state(state: 'connecting' | 'live' | 'lost' | 'ended', why?: string): void;
}

/** A connection or a file from which the page gets messages. */
export interface MessageSource {
  send(message: MessageFromPage): void;
  close(): void;
}

/** The credits that are given back at once (bytes). */
const CREDIT_BYTES = 64 * 1024;

/** The pauses before the next attempt to connect (ms). */
const PAUSES = [300, 1_000, 2_000, 5_000];

/** Adds up the credits, so that not each message makes a request. */
function credits(send: (message: MessageFromPage) => void): { give(bytes: number): void; reset(): void } {
  let shown = 0;
  return {
    give(bytes) {
      shown += bytes;
      if (shown < CREDIT_BYTES) return;
      send({ type: 'credit', bytes: shown });
      shown = 0;
    },
    reset() {
      shown = 0;
    },
  };
}

/** Connects to a port of the same program. */
function connectPort(port: MessagePort, receiver: Receiver): MessageSource {
  const listener = ({ data }: MessageEvent) => receiver.message(data as MessageToPage);
  const onClose = () => receiver.state('ended', 'the program has closed the connection');
  port.addEventListener('message', listener);
  port.addEventListener('close', onClose);
  port.start();
  receiver.state('live');
  return {
    send: (message) => port.postMessage(message),
    close: () => {
      port.removeEventListener('message', listener);
      port.removeEventListener('close', onClose);
      port.close();
    },
  };
}

/** Connects to a server, again and again. */
class ServerSource implements MessageSource {
  #base: URL;
  #token: string;
  #receiver: Receiver;
  #abort = new AbortController();
  #viewer: string | null = null;
  #attempts = 0;
  /** The messages before this one are sent: the server gets them in their order. */
  #sent: Promise<unknown> = Promise.resolve();

  constructor(url: string, token: string, receiver: Receiver) {
    this.#base = new URL(url, document.baseURI);
    this.#token = token;
    this.#receiver = receiver;
    void this.#run();
  }

  send(message: MessageFromPage): void {
    const viewer = this.#viewer;
    if (viewer === null) return;
    const headers = { ...this.#headers(), 'content-type': 'application/json' };
    const body = JSON.stringify({ viewer, message });
    const url = new URL('send', this.#base);
    this.#sent = this.#sent.then(() => fetch(url, { method: 'POST', headers, body }).catch(() => {}));
  }

  close(): void {
    this.#abort.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    this.#receiver.state('connecting');
    while (!signal.aborted) {
      const why = await this.#stream().catch(() => null);
      this.#viewer = null;
      if (signal.aborted) return;
      if (why !== null) {
        this.#receiver.state('ended', why);
        return;
      }
      this.#receiver.state('lost');
      const pause = PAUSES[Math.min(this.#attempts++, PAUSES.length - 1)];
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /**
   * Reads the stream to its end. Resolves with why there is no use in trying again; otherwise with `null`.
   */
  async #stream(): Promise<string | null> {
    const { signal } = this.#abort;
    const response = await fetch(new URL('stream', this.#base), { headers: this.#headers(), signal });
    if (response.status === 401) return 'the link of this page is not valid any more';
    if (response.status === 503) return 'too many pages are open';
    if (!response.ok || response.body === null) return null;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest: string[] = [];
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return null;
      const lines = value.split('\n');
      rest.push(lines[0]);
      if (lines.length === 1) continue;
      this.#line(rest.join(''));
      for (const line of lines.slice(1, -1)) this.#line(line);
      rest = [lines.at(-1) ?? ''];
    }
  }

  #line(line: string): void {
    const message = JSON.parse(line) as MessageToPage | { type: 'connected'; viewer: string };
    if (message.type === 'connected') {
      this.#viewer = message.viewer;
      this.#attempts = 0;
      this.#receiver.state('live');
    } else this.#receiver.message(message);
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#token}` };
  }
}

export { connectPort, credits, ServerSource };
