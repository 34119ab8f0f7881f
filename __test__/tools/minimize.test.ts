import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTool, dialects } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { argumentsOf } from './arguments.js';

const TESTS =
  'cargo() { echo "running 90 tests"; for i in $(seq 90); do echo "test case_$i ... ok"; done; echo "test result: ok. 90 passed"; }; cargo test';

const MARKER = '[lines 2-91 left out: 90 lines, 1,791 bytes, passed tests]';

describe('a toolset that minimizes', () => {
  it.each(dialects)('leaves out passed tests and names the file in %s', async (dialect) => {
    await using tool = createTool(dialect, { output: { minimize: true } });
    const { text, run } = await tool.execute(argumentsOf(dialect, TESTS));
    expect(text).toContain(MARKER);
    expect(text).toContain('test result: ok. 90 passed');
    expect(text).not.toContain('case_50');
    expect(text).not.toMatch(/Showing|WARNING|omitted/);
    expect(text).toContain(run?.spillPath);
    expect(readFileSync(run?.spillPath ?? '', 'utf8').split('\n')).toHaveLength(93);
  });

  it.each(['none', 'live', 'carry', 'cwd'] as const)('does so with the session %s', async (session) => {
    await using tool = createTool('bash', { session, output: { minimize: { except: ['npm'] } } });
    const { text } = await tool.execute({ command: TESTS });
    expect(text).toContain(MARKER);
    const { text: short, run } = await tool.execute({ command: 'seq 500' });
    expect(short).toContain('\n250\n');
    expect(run?.spillPath).toBeNull();
  });

  it('leaves nothing out without a file', async () => {
    await using tool = createTool('bash', { output: { minimize: true, spill: false } });
    const { text } = await tool.execute({ command: TESTS });
    expect(text).toContain('case_50');
  });

  it('refuses what contradicts it', () => {
    expect(() => createTool('bash', { output: { minimize: true, view: false } })).toThrow(
      "'options.output.minimize': expected none with view: false",
    );
    expect(() => createTool('bash', { output: { minimize: { only: ['x'] } } })).toThrow(
      "'options.output.minimize.only[0]': expected 'cargo', 'pytest',",
    );
  });
});

describe('artifacts of oh-my-pi', () => {
  it('are named in the last line of the output', async () => {
    const directory = temporaryDirectory();
    const saveArtifact = (path: string) => {
      copyFileSync(path, join(directory, '7'));
      return Promise.resolve('7');
    };
    await using tool = createTool('oh-my-pi', { saveArtifact, output: { minimize: true } });
    const { text } = await tool.execute({ command: TESTS });
    expect(text).toContain(
      `running 90 tests\n${MARKER}\ntest result: ok. 90 passed\n[raw output: artifact://7]\n`,
    );
    expect(text).not.toContain('[output: ');
    expect(readFileSync(join(directory, '7'), 'utf8').split('\n')).toHaveLength(93);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('no room'))],
    ['has no id', () => undefined],
    ['has an id of several lines', () => 'a\nb'],
  ])('are needed to leave lines out: saveArtifact %s', async (_, saveArtifact) => {
    const options = { saveArtifact: saveArtifact as () => string, output: { minimize: true } };
    await using tool = createTool('oh-my-pi', options);
    const { text } = await tool.execute({ command: TESTS });
    expect(text).toContain('\ntest case_50 ... ok\n');
    expect(text).not.toContain('left out');
  });
});
