import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { withShell } from 'agent-bash/testing';
import { createTools, dialects } from 'agent-bash/tools';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';

const directory = temporaryDirectory();

/** The arguments by which a dialect takes a command line. */
function argumentsFor(dialect: string, command: string): object {
  if (dialect === 'openai-shell') return { commands: [command] };
  if (dialect === 'openai-local-shell') return { command: ['bash', '-lc', command] };
  return dialect === 'codex-exec' ? { cmd: command } : { command, description: 'Runs a command' };
}

/** Hides times and ids in an answer. */
const plain = (text: string) =>
  text.replace(/\d[\d.]* ?(?:s|ms|seconds)\b/g, '<time>').replace(/(chunk id: )\w+/i, '$1<id>');

it.for(dialects)('the tool of %s answers from a recording as it did', async (dialect) => {
  const file = join(directory, `${dialect}.json`);
  const root = join(directory, 'root');
  mkdirSync(root, { recursive: true });
  const act = async () => {
    const toolset = createTools(dialect, { root });
    const answers = [];
    for (const command of ['mkdir -p sub && cd sub && echo one', 'pwd; echo two >&2; exit 3']) {
      const name = toolset.tools[0]?.name ?? '';
      const { text, isError } = await toolset.call(name, argumentsFor(dialect, command));
      answers.push([plain(text), isError]);
    }
    await toolset.dispose();
    return answers;
  };
  const recorded = await withShell('x', { file, mode: 'record' }, act);
  const replayed = await withShell('x', { file, mode: 'replay' }, act);
  expect(JSON.stringify(recorded)).toContain('one');
  expect(replayed).toEqual(recorded);
});

it('a job of a tool is started, read and ended in a replay', async () => {
  const file = join(directory, 'job.json');
  const act = async () => {
    const toolset = createTools('claude-code', {});
    const started = await toolset.call('Bash', {
      command: 'echo up; sleep 0.2; echo done',
      run_in_background: true,
    });
    const id = /ID: (\S+?)\.?(?:\s|$)/.exec(started.text)?.[1] ?? '';
    const [job] = toolset.jobs.list();
    await job?.result;
    const read = await toolset.call('BashOutput', { bash_id: id });
    await toolset.dispose();
    return [started.isError, read.isError];
  };
  const recorded = await withShell('x', { file, mode: 'record' }, act);
  expect(await withShell('x', { file, mode: 'replay' }, act)).toEqual(recorded);
});
