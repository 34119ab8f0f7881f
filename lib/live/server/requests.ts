// Requests and answers as the server has them, whichever way a request has come.

export interface PlainRequest {
  method: string;
  /** The path of the URL, without its query. */
  path: string;
  /** Returns a header by its name in small letters. */
  header(name: string): string | undefined;
  /** Resolves with the body; `null` for one above `most` bytes. */
  body(most: number): Promise<string | null>;
}

/** Where the lines of a stream go. */
export interface Sink {
  write(line: string): void;
  /** Ends the stream. */
  end(): void;
}

export interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Begins a stream in place of the body. Returns what to call when the client has gone. */
  stream?: (sink: Sink) => () => void;
}

/** The headers of all answers. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Returns an answer of one line of text. */
export function refusedReply(status: number, why: string): Reply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: `${why}\n` };
}
