import { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { isRecord } from '../options/checks.ts';
import { clearTimeout, setTimeout } from '../support/timers.ts';
import { idInLine } from './line-id.ts';

type Id = string | number | null | undefined;

/** A message of JSON-RPC, whose other parts the SDK checks. */
interface Message {
  jsonrpc?: unknown;
  id?: Id;
  method?: unknown;
  params?: unknown;
  result?: unknown;
  error?: unknown;
}

/** Maximum length of a message (bytes). 16 MiB: the largest arguments of a tool are far below. */
const MAX_LINE_LENGTH = 16 * 1_048_576;

/** Length of the ends that are kept of a longer message (bytes), for its id. SDKs write it first or last. */
const KEPT_OF_LONGER = 4_096;

const NEWLINE = 10;

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/**
 * Transport over two streams, one message per line.
 *
 * Answers an invalid or oversized line with an error and continues, where the SDK's transport ignores it or
 * closes the connection. Closes the connection at an oversized line without an id, as nobody could assign the
 * error.
 */
class LineTransport extends EventEmitter {
  onmessage: ((message: Message) => void) | undefined;
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  #input: Readable;
  #output: Writable;
  #longest: number;
  #endDelay: number;
  #parts: Buffer[] = [];
  #length = 0;
  /** The beginning of an oversized line; `undefined` for any other line. */
  #head: string | undefined;
  /** The ids of the requests that have no answer yet. */
  #open = new Set<unknown>();
  #hasEnded = false;
  #endTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /**
   * @param options `longest`: the maximum length of a message (bytes); `endDelay`: how long requests may take
   * after the end of input until they are answered (ms)
   */
  constructor(
    input: Readable,
    output: Writable,
    { longest = MAX_LINE_LENGTH, endDelay = 0 }: { longest?: number; endDelay?: number } = {},
  ) {
    super();
    this.#input = input;
    this.#output = output;
    this.#longest = longest;
    this.#endDelay = endDelay;
  }

  async start(): Promise<void> {
    this.#input.on('data', (chunk) => this.#read(chunk));
    this.#input.on('error', (error) => this.#end(error));
    this.#input.on('end', () => this.#inputEnded());
    this.#output.on('error', (error) => this.#end(error));
  }

  async send(message: Message): Promise<void> {
    if (this.#isClosed) throw new Error('The connection is closed');
    await new Promise<void>((resolve) => {
      // A stream error closes the connection, so the promise need not reject.
      this.#output.write(`${JSON.stringify(message)}\n`, () => resolve());
    });
    if (message.method === undefined) this.#settle(message.id);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#endTimer);
    this.#input.pause();
    this.onclose?.();
    this.emit('close');
  }

  #inputEnded(): void {
    if (this.#isClosed) return;
    this.#hasEnded = true;
    if (this.#open.size === 0) void this.close();
    else this.#endTimer = setTimeout(() => this.close(), this.#endDelay);
  }

  /** Counts a request as answered, or as cancelled: then it has no answer. */
  #settle(id: unknown): void {
    this.#open.delete(id);
    if (this.#hasEnded && this.#open.size === 0) void this.close();
  }

  #end(error: Error): void {
    this.onerror?.(error);
    void this.close();
  }

  #read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#line();
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (part.length > 0) this.#parts.push(part);
    if (this.#length <= this.#longest) return;
    const kept = Buffer.concat(this.#parts);
    this.#head ??= kept.subarray(0, KEPT_OF_LONGER).toString('utf8');
    // A copy, which does not hold the memory of the rest.
    this.#parts = [Buffer.from(kept.subarray(-KEPT_OF_LONGER))];
  }

  #line(): void {
    const [parts, length, head] = [this.#parts, this.#length, this.#head];
    this.#parts = [];
    this.#length = 0;
    this.#head = undefined;
    if (this.#isClosed) return;
    const text = Buffer.concat(parts);
    if (head === undefined) this.#message(text.toString('utf8'));
    else this.#oversized(idInLine(head, text.toString('utf8')), length);
  }

  #oversized(id: Id, length: number): void {
    const fault = `The message has ${length} bytes; at most ${this.#longest} are taken`;
    this.#refuse(id ?? null, INVALID_REQUEST, fault);
    if (id === undefined) void this.close();
  }

  #message(line: string): void {
    if (line.trim() === '') return;
    let message: Message;
    try {
      message = JSON.parse(line);
    } catch (error) {
      const id = idInLine(line.slice(0, KEPT_OF_LONGER), line.slice(-KEPT_OF_LONGER)) ?? null;
      this.#refuse(id, PARSE_ERROR, `Not JSON: ${(error as Error).message}`);
      return;
    }
    const fault = faultOf(message);
    if (isAnswer(message) && !isValidAnswer(message)) this.onmessage?.(invalidAnswer(message.id));
    else if (fault === undefined) this.#pass(message);
    else this.#refuse(isId(message?.id) ? message.id : null, INVALID_REQUEST, fault);
  }

  #pass(message: Message): void {
    const { id, method, params } = message;
    if (method !== undefined && id !== undefined) this.#open.add(id);
    this.onmessage?.(message);
    if (method === 'notifications/cancelled') this.#settle(isRecord(params) ? params.requestId : undefined);
  }

  #refuse(id: Id, code: number, message: string): void {
    this.onerror?.(new Error(message));
    this.send({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => {});
  }
}

/** Returns why a value is not a JSON-RPC message, or `undefined` for a valid one. */
function faultOf(message: unknown): string | undefined {
  if (Array.isArray(message)) return 'Batches are not part of the protocol; send one message a line';
  if (!isRecord(message)) return 'A message is a JSON object';
  if (message.jsonrpc !== '2.0') return "A message has 'jsonrpc': '2.0'";
  const isRequest = typeof message.method === 'string';
  if (!isRequest && message.result === undefined && message.error === undefined) {
    return "A message has a 'method' (text), a 'result' or an 'error'";
  }
  if (message.id !== undefined && !isId(message.id)) return "An 'id' is text or an integer";
  return isRequest ? faultOfParams(message.params) : undefined;
}

/**
 * Returns what is wrong with the parameters of a request. The SDK does not answer a request with an invalid
 * `_meta`.
 */
function faultOfParams(params: unknown): string | undefined {
  if (params === undefined) return undefined;
  if (!isRecord(params)) return "'params' is an object";
  const { _meta: meta } = params;
  if (meta === undefined) return undefined;
  if (!isRecord(meta)) return "'params._meta' is an object";
  const { progressToken } = meta;
  if (progressToken === undefined || isId(progressToken)) return undefined;
  return "'params._meta.progressToken' is text or an integer";
}

/** Returns whether a message answers a request of the server. */
function isAnswer(message: Message): boolean {
  const hasAnswer = message?.result !== undefined || message?.error !== undefined;
  return hasAnswer && message.method === undefined && isId(message.id);
}

function isValidAnswer({ jsonrpc, result, error }: Message): boolean {
  if (jsonrpc !== '2.0') return false;
  if (error === undefined) return isRecord(result);
  return isRecord(error) && Number.isInteger(error.code) && typeof error.message === 'string';
}

/**
 * Returns what the SDK gets in place of an invalid answer. The SDK drops those, and the call would wait for
 * an hour.
 */
function invalidAnswer(id: Id): Message {
  const message = 'The answer is invalid';
  return { jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message } };
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isInteger(id);
}

export { LineTransport };
