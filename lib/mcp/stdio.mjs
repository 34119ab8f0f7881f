import { once } from 'node:events';
import { LineTransport } from './line-transport.mjs';
import { createMcpServer } from './server.mjs';

/** Time for answers that are ready when the input ends (ms): handlers without a command take below 5. */
const LAST_ANSWERS = 50;

/**
 * Serves a toolset on standard input and output until the input ends, and disposes of the toolset.
 *
 * @param options `stdin` and `stdout` (default: those of the process), and the options of {@link createMcpServer}
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
