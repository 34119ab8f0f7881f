// The options of `agent-bash mcp` for its live view.

import type { Live } from 'agent-bash/live';
import type { Toolset, ToolsOptions } from 'agent-bash/tools';
import type { OptionTable } from '../arguments.ts';
import { choice, count, UsageError } from '../arguments.ts';
import { openPage } from './open-page.ts';

export interface LiveValues {
  live?: boolean;
  livePort?: number;
  liveOpen?: boolean;
  liveControl?: 'none' | 'approve' | 'all';
}

const LIVE_OPTIONS: OptionTable<LiveValues> = {
  live: { type: 'boolean' },
  'live-port': { read: count },
  'live-open': { type: 'boolean' },
  'live-control': { read: choice('none', 'approve', 'all') },
};

/** Returns the live view; `undefined` if none is asked for. */
async function liveOf({ live, livePort, liveOpen, liveControl }: LiveValues): Promise<Live | undefined> {
  if (!live) {
    const [first] = Object.entries({
      'live-port': livePort,
      'live-open': liveOpen,
      'live-control': liveControl,
    })
      .filter(([, value]) => value !== undefined)
      .map(([name]) => name);
    if (first !== undefined) throw new UsageError(`--${first} needs --live`, 'mcp');
    return undefined;
  }
  const { Live } = await import('agent-bash/live');
  return new Live(liveControl === undefined ? {} : { control: liveControl });
}

/**
 * Returns the option `approve` by which questions go to a page. What `own` decides is not asked, and what
 * nobody at a page decides is asked by the client.
 */
function approveBy(
  live: Live | undefined,
  { liveControl = 'none' }: LiveValues,
  own: ToolsOptions['approve'],
): ToolsOptions['approve'] {
  if (live === undefined || liveControl === 'none') return own;
  return async (call) => {
    const answer = (await own?.(call)) ?? 'ask';
    const verdict = typeof answer === 'string' ? answer : answer.verdict;
    return verdict === 'ask' ? live.approve(call) : answer;
  };
}

/**
 * Shows the commands of a toolset on a page, whose URL goes to standard error.
 *
 * @throws UsageError for a port in use
 */
async function showLive(live: Live, toolset: Toolset, { livePort, liveOpen }: LiveValues): Promise<void> {
  live.add(toolset);
  const listening = await live.listen(livePort === undefined ? {} : { port: livePort }).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new UsageError(`--live-port ${livePort} is in use`, 'mcp');
  });
  console.error(`agent-bash: live view: ${listening.url}`);
  if (liveOpen && !(await openPage(listening.openUrl()))) {
    console.error('agent-bash: there is no program that opens pages here');
  }
}

export { approveBy, LIVE_OPTIONS, liveOf, showLive };
