import { describe, expect, it } from 'vitest';
import { BashJob, run } from '../../index.js';
import { living } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

const TREES: Record<string, string> = {
  children: 'sleep $T & sleep $T & wait',
  grandchildren: 'sh -c "sh -c \'sleep $T & wait\' & wait" & wait',
  'a pipeline': 'sleep $T | cat | cat',
  'a child in a session of its own': 'setsid sleep $T & wait',
  'a daemon with nothing of ours open': `sh -c 'setsid sh -c "sleep $T & exec sleep $T" </dev/null >/dev/null 2>&1 &'; sleep $T`,
  'a child that ignores SIGTERM': `sh -c 'trap "" TERM HUP INT; while :; do sleep $T; done' & wait`,
  'a subshell': '(sleep $T; echo never)',
};

describe('a timeout', () => {
  it.each(Object.entries(TREES))('ends %s too', async (_, command) => {
    const seconds = tag();
    const { status } = await run(command.replaceAll('$T', seconds), {
      timeout: 500,
      forceKillAfterDelay: 300,
    });
    expect({ status, left: living(`sleep\0${seconds}`) }).toEqual({ status: 'timeout', left: [] });
  });

  it('of a BashJob ends children too', async () => {
    const seconds = tag();
    const command = `setsid sleep ${seconds} & sh -c 'sleep ${seconds} & wait'`;
    const { status } = await new BashJob({ command }, '/', false, { timeout: 500 }).result;
    expect({ status, left: living(`sleep\0${seconds}`) }).toEqual({ status: 'timeout', left: [] });
  });
});
