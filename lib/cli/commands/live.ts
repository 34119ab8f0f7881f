import { once } from 'node:events';
import { resolve } from 'node:path';
import type { OptionTable } from '../arguments.ts';
import { count, readOptions, UsageError } from '../arguments.ts';
import { colorsFor, visibleLine } from '../colors.ts';
import { interrupted } from '../interrupted.ts';
import { openPage } from '../live/open-page.ts';
import { recordingsOf } from '../live/recordings.ts';
import { liveServer } from '../live/server-module.ts';

interface LiveValues {
  port?: number;
  open?: boolean;
  json?: boolean;
}

const OPTIONS: OptionTable<LiveValues> = {
  port: { read: count },
  open: { type: 'boolean' },
  json: { type: 'boolean' },
};

/** Implements `agent-bash live`: lists the live views of this user, or replays a recording on a page. */
async function live(words: string[]): Promise<number> {
  const { values, words: rest } = readOptions('live', words, OPTIONS);
  if (rest.length > 1) throw new UsageError(`unexpected '${rest[1]}'`, 'live');
  return rest.length === 0 ? listServers(values) : replay(rest[0], values);
}

function listServers({ json }: LiveValues): number {
  const servers = liveServer().listed();
  if (json) {
    process.stdout.write(`${JSON.stringify(servers, null, 2)}\n`);
    return 0;
  }
  if (servers.length === 0) {
    process.stderr.write('No live view of yours listens now. agent-bash mcp --live begins one.\n');
    return 0;
  }
  const { bold, dim } = colorsFor(process.stdout);
  for (const { title, pid, cwd, since, url } of servers) {
    const when = new Date(since).toLocaleString();
    process.stdout.write(
      `${bold(visibleLine(title))}  ${dim(`pid ${pid}, in ${visibleLine(cwd)}, since ${when}`)}\n  ${url}\n`,
    );
  }
  return 0;
}

async function replay(path: string, { port, open }: LiveValues): Promise<number> {
  const recordings = recordingsOf(path);
  const { LiveServer } = liveServer();
  const nothing = { view: () => unused(), leave: () => {} };
  const server = new LiveServer(nothing, {
    title: `replay of ${resolve(path)}`,
    control: 'none',
    recordings,
  });
  const listening = await server.listen(port === undefined ? {} : { port }).catch((error) => {
    if (error.code === 'EADDRINUSE') throw new UsageError(`--port ${port} is in use`, 'live');
    throw error;
  });
  process.stdout.write(`${listening.viewUrl}\n`);
  if (open && !(await openPage(listening.openUrl()))) {
    process.stderr.write('There is no program that opens pages here.\n');
  }
  const signal = interrupted();
  // The server does not keep Node.js alive.
  const hold = setInterval(() => {}, 86_400_000);
  if (!signal.aborted) await once(signal, 'abort');
  clearInterval(hold);
  await server.close();
  return 0;
}

/** A replay has no live messages: a page asks for its recordings first. */
function unused(): never {
  throw new Error('a replay has no live view');
}

export { live as act, OPTIONS };
