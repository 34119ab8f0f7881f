import { describe, it } from 'vitest';
import { INDEX, NodeProcess } from '../../support/node.js';
import { tag } from '../../support/tag.js';
import { deliberateDelay } from '../../support/waits.mjs';
import { Place } from './place.js';

/** The times after the start of a program at which Node.js is killed (ms): while it connects, and later. */
const MOMENTS = [0, 15, 30, 45, 60, 90, 150, 300, 600];

/** Commands with daemons, flowing output, a terminal, and processes that ignore signals. */
const COMMANDS = `
  const jobs = new Jobs();
  const lines = [
    '(setsid sleep ' + TAG + ' >/dev/null 2>&1 &); sleep ' + TAG,
    'yes | cat',
    'sleep ' + TAG + ' & (sleep ' + TAG + ' &); true',
    '(trap "" HUP TERM INT; setsid sh -c "sleep ' + TAG + ' & sleep ' + TAG + '" &); cat',
  ];
  for (const line of lines) jobs.start(line, { target, stdin: 'pipe' });
  jobs.start('trap "" HUP TERM; sleep ' + TAG, { target, pty: true });
  console.log('started');
  setInterval(() => {}, 1_000);
`;

describe.skipIf(process.platform !== 'linux')('a host that is killed', { timeout: 60_000 }, () => {
  it.each(MOMENTS)('after %i ms leaves nothing behind a transport', async (moment) => {
    const place = new Place('/bin/sh');
    const seconds = tag();
    const transport = place.transport('exec "$there" "$@"');
    const program = `
      import { Jobs, Target } from ${JSON.stringify(INDEX)};
      const target = new Target({ exec: [${JSON.stringify(transport)}] });
      ${COMMANDS}
    `;
    const host = new NodeProcess(program, { tag: seconds });
    await host.printed('started');
    await deliberateDelay(moment);
    host.process.kill('SIGKILL');
    await host.ended;
    await place.expectNothing(seconds);
  });
});
