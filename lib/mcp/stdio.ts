import { once } from 'node:events';
import type { Toolset } from 'agent-bash/tools';
import type { StdioOptions } from './api.ts';
import { LineTransport } from './line-transport.ts';
import { createMcpServer } from './server.ts';

/**
 * Time for the answers to requests that are under way when the input ends (ms): a client waits for its server
 * that long.
 */
const LAST_ANSWERS = 2_000;

/**
 * Serves a toolset on standard input and output until the input ends and the requests under way are answered,
 * and disposes of the toolset.
 *
 * @param options `stdin` and `stdout` (default: those of the process), and the options of {@link
 * createMcpServer}
 */
async function serveStdio(
  toolset: Toolset,
  { stdin = process.stdin, stdout = process.stdout, ...options }: StdioOptions = {},
): Promise<void> {
  const server = createMcpServer(toolset, options);
  const transport = new LineTransport(stdin, stdout, { endDelay: LAST_ANSWERS });
  const ended = once(transport, 'close');
  await server.connect(transport);
  await ended;
  await server.close();
  await toolset.dispose();
}

export { serveStdio };
