import { join } from 'node:path';
import { Live, type LiveEvent } from 'agent-bash/live';
import { withShell } from 'agent-bash/testing';
import { expect, it } from 'vitest';
import { Jobs, run, ShellSession } from '../../index.js';
import { readCast } from '../recording/cast.js';
import { temporaryDirectory } from '../support/directory.js';

const directory = temporaryDirectory();
let next = 0;
const newFile = (end: string) => join(directory, `${next++}.${end}`);

/** Records and replays a test that writes a recording, and returns both recordings. */
async function casts(act: (record: string) => Promise<unknown>) {
  const file = newFile('json');
  const [recorded, replayed] = [newFile('cast'), newFile('cast')];
  await withShell('x', { file, mode: 'record' }, () => act(recorded));
  await withShell('x', { file, mode: 'replay' }, () => act(replayed));
  return [readCast(recorded), readCast(replayed)] as const;
}

const COMMAND = "echo one; sleep 0.3; printf 't\\303\\251\\n' >&2; exit 3";

it.each<[string, (record: string) => Promise<unknown>]>([
  ['a command', (record) => run(COMMAND, { record })],
  [
    'a command that waits for its recording',
    (record) => run(COMMAND, { record: { file: record, whenSlow: 'wait' } }),
  ],
  [
    'a session',
    async (record) => {
      await using session = new ShellSession({ record });
      await session.run(`${COMMAND.replace('exit', '(exit')})`);
    },
  ],
  [
    'a table of jobs',
    async (record) => {
      await using jobs = new Jobs({ record });
      await jobs.start(COMMAND).result;
    },
  ],
])('the recording of a replay has the output, at its times: %s', async (_, act) => {
  const [recorded, replayed] = await casts(act);
  const time = /\d+\.\d+ ?s|\d+ ?ms/g;
  expect(replayed.output.replace(time, '<time>')).toBe(recorded.output.replace(time, '<time>'));
  expect(replayed.output).toContain('té');
  const longest = ({ events }: typeof recorded) => Math.max(...events.map(([interval]) => interval));
  expect(Math.abs(longest(replayed) - longest(recorded))).toBeLessThan(0.1);
});

it('a live view of a fake has its output, and that of a flood has a gap', async () => {
  await withShell('x', { mode: 'fakes' }, async (shell) => {
    shell.fake('greet', 'hi\n');
    shell.fake('flood', { chunks: [[0, 'stdout', 'x'.repeat(3_000_000)]] });
    const seen = async (command: string) => {
      await using live = new Live();
      await using jobs = new Jobs();
      live.add(jobs);
      const events: LiveEvent[] = [];
      const all = (async () => {
        for await (const event of live) {
          events.push(event);
          if (event.type === 'end') break;
        }
      })();
      await jobs.start(command).result;
      await all;
      return events;
    };
    expect(await seen('greet')).toMatchObject([
      { type: 'start' },
      { type: 'output', text: 'hi\n' },
      { type: 'end' },
    ]);
    const flood = await seen('flood');
    expect(flood.find(({ type }) => type === 'gap')).toMatchObject({ bytes: 3_000_000 - 1024 * 1024 });
  });
});
