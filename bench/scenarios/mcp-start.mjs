import { residentMiB } from '../lib/processes.mjs';
import { median } from '../lib/stats.mjs';
import { now } from '../lib/time.mjs';

export const title = 'an MCP server, from its start to its answer to `initialize`';
export const metrics = ['ms', 'rssMiB'];
export const peers = ['agent-bash-mcp'];

const COUNT = 10;

export async function measure(load) {
  const { HELLO, serve } = await load();
  const times = [];
  const sizes = [];
  for (let count = 0; count < COUNT; count++) {
    const begin = now();
    const { server, request } = serve();
    await request('initialize', HELLO);
    times.push(now() - begin);
    sizes.push(residentMiB(server.pid));
    server.stdin.end();
    await new Promise((resolve) => server.once('exit', resolve));
  }
  return { ms: median(times), rssMiB: median(sizes) };
}
