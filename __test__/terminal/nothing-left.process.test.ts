import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { HOST_ENDS } from '../support/host-ends.js';
import { INDEX, NodeProcess } from '../support/node.js';
import { privateDirectoriesOf } from '../support/private-directories.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

/** `nohup` leaves a file there. */
const DIRECTORY = JSON.stringify(temporaryDirectory());

/**
 * A program of a user's terminal that starts three sleepers, each protected from the end of the terminal in
 * another way.
 */
const PROGRAM = (seconds: string) =>
  `trap "" HUP TERM; sleep ${seconds} & setsid sleep ${seconds} & nohup sleep ${seconds}`;

describe('a host with a job in a terminal', () => {
  it.each(HOST_ENDS)('that ends %s leaves no process and no file', async (_, end, signal) => {
    const seconds = tag();
    const program = `
      import { jobs } from ${JSON.stringify(INDEX)};
      const job = jobs.start(${JSON.stringify(PROGRAM(seconds))}, { pty: true, cwd: ${DIRECTORY} });
      job.on('data', () => {});
      await until(() => living('sleep\\0' + TAG).length === 3, 'all sleep');
      ${end}`;
    const host = new NodeProcess(program, { tag: seconds });
    if (signal !== undefined) {
      await until(() => living(`sleep\0${seconds}`).length === 3, 'all sleep');
      host.process.kill(signal);
    }
    await host.ended;
    await until(() => living(seconds).length === 0, 'no process is left');
    await until(() => privateDirectoriesOf(host.process.pid).length === 0, 'no file is left');
    expect(living(seconds)).toEqual([]);
  });

  it('that is killed with a session beside it leaves neither', async () => {
    const seconds = tag();
    const program = `
      import { jobs, ShellSession } from ${JSON.stringify(INDEX)};
      const job = jobs.start(${JSON.stringify(PROGRAM(seconds))}, { pty: true, cwd: ${DIRECTORY} });
      const sessions = ['/bin/sh', '/bin/bash'].map((shell) => new ShellSession({ shell }));
      for (const session of sessions) session.run('sleep ${seconds} & sleep ${seconds}');
      setInterval(() => {}, 1_000);`;
    const host = new NodeProcess(program, { tag: seconds });
    await until(() => living(`sleep\0${seconds}`).length === 7, 'all sleep');
    expect(privateDirectoriesOf(host.process.pid)).toHaveLength(2);
    host.process.kill('SIGKILL');
    await host.ended;
    await until(() => living(seconds).length === 0, 'no process is left');
    await until(() => privateDirectoriesOf(host.process.pid).length === 0, 'no file is left');
  });
});
