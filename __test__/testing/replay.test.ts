import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withShell } from 'agent-bash/testing';
import { describe, expect, it } from 'vitest';
import { run, ShellSession } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { CASES } from './support/commands.js';
import { plain } from './support/plain.js';

const directory = temporaryDirectory();

describe('a replayed command', () => {
  it.for(CASES)('gives what the recorded one gave: %s', async ([name, act]) => {
    const file = join(directory, `${name.replace(/\W/g, '-')}.json`);
    const recorded = await withShell(name, { file, mode: 'record' }, () => act(directory));
    const replayed = await withShell(name, { file, mode: 'replay' }, () => act(directory));
    expect(plain(replayed)).toEqual(plain(recorded));
  });

  it('takes no time', async () => {
    const file = join(directory, 'time.json');
    const act = () => run('sleep 2');
    await withShell('x', { file, mode: 'record' }, act);
    const start = performance.now();
    await withShell('x', { file, mode: 'replay' }, act);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  it('has no path of a file of its session', async () => {
    const file = join(directory, 'session.json');
    const act = async () => {
      await using session = new ShellSession();
      const { output } = await session.run('echo "open');
      // The private directory of a session has another path in each run.
      return output.replace(/\/\S*\/agent-bash\.[\w.]+\//, '');
    };
    const recorded = await withShell('x', { file, mode: 'record' }, act);
    expect(readFileSync(file, 'utf8')).not.toMatch(/agent-bash\.\d/);
    expect(await withShell('x', { file, mode: 'replay' }, act)).toBe(recorded);
  });

  it('is recorded again without a change of the file', async () => {
    const file = join(directory, 'again.json');
    const record = () =>
      withShell('x', { file, mode: 'record' }, async () => {
        for (const [, act] of CASES.slice(0, 20)) await act(directory);
      });
    await record();
    const before = readFileSync(file, 'utf8');
    await record();
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});
