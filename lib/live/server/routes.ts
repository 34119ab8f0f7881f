import { randomBytes } from 'node:crypto';
import { isRecord } from '../../options/checks.ts';
import type { Control, MessageToPage, Refusal } from '../view/messages.ts';
import type { Viewer } from '../view/viewer.ts';
import type { Access } from './access.ts';
import { asset } from './assets.ts';
import type { PlainRequest, Reply, Sink } from './requests.ts';
import { refusedReply } from './requests.ts';

/** The most pages at the same time, and the longest body of a request (bytes). */
const MAX_STREAMS = 16;
const MAX_BODY = 64 * 1024;

/** The part of a live view that the server uses. */
export interface Served {
  view(control: Control, send: (message: MessageToPage) => void): Viewer;
  leave(viewer: Viewer): void;
}

/** A recording that the page plays. */
export interface ServedRecording {
  name: string;
  read(): string | Uint8Array;
}

const STATUS: Record<Refusal, number> = { control: 403, unknown: 404, over: 409, invalid: 400 };

/** A page with its stream. */
interface Stream {
  viewer: Viewer;
  control: Control;
  sink: Sink;
}

/**
 * Answers requests: the page with its files, one stream of messages for each page, and the messages of pages.
 *
 * The messages are those of ports, with their credits. So a page that reads slowly leaves output where it is,
 * and the answers to what it asks for come in its stream too.
 */
class Routes {
  #served: Served;
  #access: Access;
  #recordings: readonly ServedRecording[];
  #streams = new Map<string, Stream>();

  constructor(served: Served, access: Access, recordings: readonly ServedRecording[]) {
    this.#served = served;
    this.#access = access;
    this.#recordings = recordings;
  }

  async answer(request: PlainRequest): Promise<Reply> {
    const refused = this.#access.refuse(request);
    if (refused !== null) return refused;
    const name = request.path.slice(request.path.lastIndexOf('/') + 1);
    const { method } = request;
    if (name === 'send' || name === 'open') {
      return method === 'POST' ? this.#post(request, name) : refusedReply(405, 'expected POST');
    }
    const found = name === 'stream' ? this.#stream(request) : (this.#recording(request, name) ?? asset(name));
    if (found === undefined) return refusedReply(404, 'there is no such page');
    return method === 'GET' ? found : refusedReply(405, 'expected GET');
  }

  /** Ends all streams. */
  close(): void {
    for (const { viewer, sink } of this.#streams.values()) {
      this.#served.leave(viewer);
      sink.end();
    }
    this.#streams.clear();
  }

  /** Returns the list of the recordings, or the text of one, for who has a token. */
  #recording(request: PlainRequest, name: string): Reply | undefined {
    const [isOne, index] = /^(\d+)\.cast$/.exec(name) ?? [];
    if (isOne === undefined && name !== 'recordings.json') return undefined;
    if (this.#access.controlOf(request) === null) return unauthorized();
    if (index === undefined) return json(this.#recordings.map((recording) => recording.name));
    const body = this.#recordings[Number(index)]?.read();
    if (body === undefined) return undefined;
    return { status: 200, headers: { 'content-type': 'application/x-asciicast' }, body };
  }

  #stream(request: PlainRequest): Reply {
    const control = this.#access.controlOf(request);
    if (control === null) return unauthorized();
    if (this.#streams.size >= MAX_STREAMS) return refusedReply(503, `${MAX_STREAMS} pages are open`);
    if (request.method !== 'GET') return refusedReply(405, 'expected GET');
    return {
      status: 200,
      headers: { 'content-type': 'application/x-ndjson; charset=utf-8' },
      stream: (sink) => this.#begin(control, sink),
    };
  }

  #begin(control: Control, sink: Sink): () => void {
    const id = randomBytes(16).toString('base64url');
    const send = (message: object) => sink.write(`${JSON.stringify(message)}\n`);
    send({ type: 'connected', viewer: id });
    const viewer = this.#served.view(control, send);
    this.#streams.set(id, { viewer, control, sink });
    return () => {
      this.#streams.delete(id);
      this.#served.leave(viewer);
    };
  }

  async #post(request: PlainRequest, name: 'send' | 'open'): Promise<Reply> {
    const control = this.#access.controlOf(request);
    if (control === null && name === 'send') return unauthorized();
    const type = request.header('content-type') ?? '';
    if (!/^application\/json\s*(;|$)/i.test(type)) return refusedReply(415, 'expected application/json');
    const text = await request.body(MAX_BODY);
    if (text === null) return refusedReply(413, `the body has more than ${MAX_BODY} bytes`);
    const given = parsed(text);
    if (!isRecord(given)) return refusedReply(400, 'expected a JSON object');
    if (name === 'open') return this.#open(given);
    const stream = this.#streams.get(given.viewer as string);
    // The token of those who look is no key to a page of one who may do more.
    if (stream === undefined || stream.control !== control)
      return refusedReply(404, 'there is no such stream');
    const refused = stream.viewer.handle(given.message);
    return refused === null ? { status: 204 } : refusedReply(STATUS[refused], refused);
  }

  #open({ code }: Record<string, unknown>): Reply {
    const token = this.#access.exchange(code);
    if (token === null) return unauthorized();
    return json({ token });
  }
}

function unauthorized(): Reply {
  return { ...refusedReply(401, 'the token is missing or wrong'), headers: { 'www-authenticate': 'Bearer' } };
}

function json(value: unknown): Reply {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export { Routes };
