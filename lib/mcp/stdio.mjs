import { once } from 'node:events';
import { LineTransport } from './line-transport.mjs';
import { createMcpServer } from './server.mjs';

/** How long answers that need no waiting may take after the end of input (ms). */
const LAST_ANSWERS = 50;

/**
 * Serves a toolset on standard input and output until the input ends. Then every job is killed, and the toolset disposed of.
 *
 * @param options `stdin` and `stdout` in the place of the process's own, and what {@link createMcpServer} takes
 */
async function serveStdio(toolset, { stdin = process.stdin, stdout = process.stdout, ...options } = {}) {
  const server = createMcpServer(toolset, options);
  const transport = new LineTransport(stdin, stdout, { endDelay: LAST_ANSWERS });
  const ended = once(transport, 'close');
  await server.connect(transport);
  await ended;
  await server.close();
  await toolset.dispose();
}

export { serveStdio };
