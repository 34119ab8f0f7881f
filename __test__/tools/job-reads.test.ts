import { createTools } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';

/** The number of jobs, one after the other: the moments that matter are short. */
const TRIES = 30;

describe('bash_read', () => {
  it('says that a job runs or how it ended, at any moment of its life', async () => {
    await using toolset = createTools('bash', { jobs: { maxRunning: TRIES } });
    const command = 'echo one; sleep 0.1; echo two; exit 4';
    const lives = Array.from({ length: TRIES }, async () => {
      const ends: (string | undefined)[] = [];
      const { text, data } = await toolset.call('bash', { command, background: true });
      // On a busy machine, the job may be over before the answer.
      if (text.endsWith('[exit code: 4]')) return [];
      expect(text).toContain(`[goes on as ${data.job}`);
      for (let end: string | undefined; end !== '[exit code: 4]'; ends.push(end)) {
        const read = await toolset.call('bash_read', { job: data.job, wait_ms: 30_000 });
        end = read.text.split('\n').at(-1);
      }
      return ends.slice(0, -1);
    });
    const ends = (await Promise.all(lives)).flat();
    expect(ends.filter((end) => !/^\[running, pid \d+\]$/.test(String(end)))).toEqual([]);
  });

  it('waits for output that no earlier answer had', async () => {
    await using toolset = createTools('bash', { jobs: { maxRunning: TRIES } });
    const command = 'echo one; sleep 0.1; echo two; sleep 0.1; echo three';
    const answers = Array.from({ length: TRIES }, async () => {
      const { text: start, data } = await toolset.call('bash', { command, background: true });
      const texts = [start];
      while (!texts.at(-1)?.endsWith('[exit code: 0]')) {
        const { text } = await toolset.call('bash_read', { job: data.job, wait_ms: 30_000 });
        texts.push(text);
      }
      return texts;
    });
    for (const texts of await Promise.all(answers)) {
      // The end is news too, but may come without output.
      expect(texts.slice(1, -1).join('\n')).not.toContain('(no new output)');
      expect(texts.join('\n').match(/^(one|two|three)$/gm)).toEqual(['one', 'two', 'three']);
    }
  });
});
