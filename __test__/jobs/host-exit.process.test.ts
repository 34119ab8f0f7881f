import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sleepers } from '../life/support.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { ENDS, endedHost, wait } from './host.js';

const directory = temporaryDirectory();

describe('a job that is left when Node ends', () => {
  it('works on when it writes to a file', async () => {
    const seconds = tag();
    const done = join(directory, 'done');
    const go = join(directory, 'go');
    const setup = `
      table.start('until [ -e ${go} ]; do sleep 0.02; done >/dev/null 2>&1; echo hi >${done}; : ' + TAG).unref();
    `;
    await endedHost(setup, 'leave', { program: 'process.exit(0);', code: 0 }, seconds);
    writeFileSync(go, '');
    await until(() => existsSync(done), 'it has gone on');
  });

  it('is killed by dispose() anyway', async () => {
    const seconds = tag();
    const setup = `
      table.start('(setsid sleep ' + TAG + ' <&- >&- 2>&- &); exec sleep ' + TAG); ${wait(2)}
      await table.dispose();
    `;
    await endedHost(setup, 'leave', { program: 'process.exit(0);', code: 0 }, seconds);
    expect(sleepers(seconds)).toEqual([]);
  });
});

describe('a process that a command of run() has left, with keep', () => {
  it.each(ENDS)('outlives a Node that ends %s', async (_, end) => {
    const seconds = tag();
    const setup = `await run('sleep ' + TAG + ' >/dev/null 2>&1 & sleep ' + TAG + ' &', { drain: { idle: 50 } }); ${wait(2)}`;
    await endedHost(setup, 'kill', end, seconds);
    expect(sleepers(seconds)).toHaveLength(2);
  });
});
