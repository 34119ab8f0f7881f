import { describe, it } from 'vitest';
import { hardToEnd, sleepers } from '../life/support.js';
import { until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { ENDS, endedHost, WAYS, wait } from './host.js';

describe.each(ENDS)('Node that ends %s', (how, end) => {
  // A command that is not in the table yet keeps Node alive.
  const ways = WAYS.filter(([way]) => how !== 'by itself' || !way.includes('may still'));

  it.each(ways)('leaves nothing of %s with kill', async (_, setup) => {
    const seconds = tag();
    const { command, count } = hardToEnd(seconds);
    const text = JSON.stringify(`${command}\nexec sleep ${seconds}`);
    await endedHost(`${setup.replace('COMMAND', text)} ${wait(count + 1)}`, 'kill', end, seconds);
    await until(() => sleepers(seconds).length === 0, 'none is left');
  });

  it('leaves nothing of what was adopted with kill', async () => {
    const seconds = tag();
    const command = `sleep ${seconds} & (setsid sleep ${seconds} <&- >&- 2>&- &) ; sleep 0.1`;
    const setup = `await run(${JSON.stringify(command)}, { background: 'adopt', jobs: table }); ${wait(2)}`;
    await endedHost(setup, 'kill', end, seconds);
    await until(() => sleepers(seconds).length === 0, 'none is left');
  });
});
