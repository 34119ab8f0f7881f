import { expect } from 'vitest';
import { INDEX, NodeProcess } from '../support/node.js';
import { living, until } from '../support/processes.mjs';

export interface End {
  program: string;
  kill?: NodeJS.Signals;
  code: number | null;
}

/** The ways in which a Node process may end. */
export const ENDS: Array<[string, End]> = [
  ['by itself', { program: 'for (const job of table.list()) job.unref();', code: 0 }],
  ['by process.exit()', { program: 'process.exit(3);', code: 3 }],
  ['by an uncaught error', { program: "setImmediate(() => { throw new Error('uncaught') });", code: 1 }],
  ['by SIGTERM', { program: 'setInterval(() => {}, 1_000);', kill: 'SIGTERM', code: null }],
  ['by SIGKILL', { program: 'setInterval(() => {}, 1_000);', kill: 'SIGKILL', code: null }],
];

/** Ways for a command to be in the table, each for `COMMAND`, of which `COUNT` processes sleep. */
export const WAYS: Array<[string, string]> = [
  ['a job of the table', 'table.start(COMMAND);'],
  [
    'a command that run() has left to the table',
    "await run(COMMAND, { onTimeout: 'background', timeout: 0, jobs: table });",
  ],
  [
    'a command of run() that may still go to the table',
    "run(COMMAND, { onTimeout: 'background', timeout: 60_000, jobs: table });",
  ],
];

/** Program text that waits until so many sleep. */
export const wait = (count: number) =>
  `await until(() => living('sleep\\0' + TAG).length === ${count}, 'all sleep');`;

/** Runs a Node that has this in a table, lets it end, and waits for its guardian to have ended too. */
export async function endedHost(setup: string, onHostExit: string, end: End, seconds: string): Promise<void> {
  const host = new NodeProcess(
    `
      import { run, Jobs } from ${JSON.stringify(INDEX)};
      const table = new Jobs({ onHostExit: ${JSON.stringify(onHostExit)} });
      await bash({ command: 'true' }, root);
      ${setup}
      const guardian = await until(() => guardians()[0], 'there is a guardian');
      console.log('guardian ' + guardian + ' ready');
      ${end.program}
    `,
    { tag: seconds },
  );
  await host.printed('ready');
  if (end.kill !== undefined) host.process.kill(end.kill);
  const { code, stdout } = await host.ended;
  expect(code).toBe(end.code);
  const guardian = Number(/guardian (\d+)/.exec(stdout)?.[1]);
  await until(() => !living('agent-bash-guardian').includes(guardian), 'the guardian has done its work');
}
