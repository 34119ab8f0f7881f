// The two ways by which requests come: a server of Node.js, and the `fetch` of other servers.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PlainRequest, Reply } from './requests.ts';
import { refusedReply, SAFE_HEADERS } from './requests.ts';

type Body = ConstructorParameters<typeof Response>[0];
type AnswerRequest = (request: PlainRequest) => Promise<Reply>;

/** Answers a request to a server of Node.js. */
async function answerNode(
  answer: AnswerRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const plain: PlainRequest = {
    method: request.method ?? 'GET',
    path: (request.url ?? '/').replace(/[?#].*$/s, ''),
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    // The rest of a body that is too long is read before the client reads the answer.
    body: (most) => bodyOf(request.iterator({ destroyOnReturn: false }), most),
  };
  const { status, headers, body, stream } = await answer(plain).catch(failed);
  if (response.destroyed) return;
  response.writeHead(status, { ...SAFE_HEADERS, ...headers });
  if (stream === undefined) {
    response.end(body);
    // Drops the rest of a body that nobody reads.
    request.resume();
    return;
  }
  response.flushHeaders();
  const onGone = stream({ write: (line) => response.write(line), end: () => response.end() });
  response.on('close', onGone);
}

/** Answers a request of the Fetch API. */
async function answerFetch(answer: AnswerRequest, request: Request): Promise<Response> {
  const { pathname, host } = new URL(request.url);
  const plain: PlainRequest = {
    method: request.method,
    path: pathname,
    header: (name) => request.headers.get(name) ?? (name === 'host' ? host : undefined),
    body: (most) => bodyOf(request.body ?? [], most),
  };
  const { status, headers, body, stream } = await answer(plain).catch(failed);
  const all = { ...SAFE_HEADERS, ...headers };
  if (stream === undefined) return new Response((body ?? null) as Body, { status, headers: all });
  const encoder = new TextEncoder();
  let onGone = () => {};
  const lines = new ReadableStream<Uint8Array>({
    start(controller) {
      let isOpen = true;
      onGone = stream({
        write: (line) => {
          if (isOpen) controller.enqueue(encoder.encode(line));
        },
        end: () => {
          if (isOpen) controller.close();
          isOpen = false;
        },
      });
      request.signal.addEventListener('abort', () => onGone());
    },
    cancel: () => onGone(),
  });
  return new Response(lines as Body, { status, headers: all });
}

/** Reads a body. Resolves with `null` as soon as it has more than `most` bytes. */
async function bodyOf(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    length += chunk.byteLength;
    if (length > most) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The answer when a defect of this package, or a client that has gone, breaks off an answer. */
function failed(): Reply {
  return refusedReply(500, 'the server has failed');
}

export { answerFetch, answerNode };
