import { bash, run } from 'agent-bash';
import { createTools } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { SHELLS } from '../session/support.js';

/** A mark that no other process has in its arguments. */
let last = 0;
const mark = () => `61.${process.pid}${last++}`;

const WAYS: [string, (pattern: string) => string][] = [
  ['pkill', (pattern) => `pkill -f 'sleep ${pattern}'`],
  ['pgrep and kill', (pattern) => `pgrep -f 'sleep ${pattern}' | xargs kill`],
  [
    'ps and kill',
    (pattern) => `ps -eo pid,args | grep 'sleep ${pattern}' | grep -v grep | awk '{print $1}' | xargs kill`,
  ],
];

describe.each(SHELLS)('in %s', { tags: ['ps'] }, (shell) => {
  it.each(WAYS)('a command that ends processes by their arguments with %s goes on', async (_, way) => {
    const pattern = mark();
    const command = `sleep ${pattern} & pid=$!\nuntil ps -o args= $pid | grep -q 'sleep ${pattern}'; do :; done\n${way(pattern)}\nwait $pid; echo "ended by $?"; env | grep __agent_bash; echo alive`;
    const { status, stdout } = await run(command, { shell: [shell, '-c'], timeout: 20_000 });
    expect({ status, stdout }).toEqual({ status: 'exited', stdout: 'ended by 143\nalive\n' });
  });
});

describe('pkill -f with the text of its own command', { tags: ['ps'] }, () => {
  it('leaves the shell of bash() alive', async () => {
    const text = await bash({ command: `pkill -f 'sleep ${mark()}'; echo alive` }, '/tmp', false);
    expect(text).toContain('alive');
  });

  it.each(['bash', 'claude-code', 'oh-my-pi', 'anthropic-bash', 'gemini', 'codex-exec'] as const)(
    'leaves the shell of the dialect %s alive',
    async (dialect) => {
      await using toolset = createTools(dialect, { root: '/tmp' });
      const command = `pkill -f 'sleep ${mark()}'; echo al""ive`;
      const { text } = await toolset.call(toolset.tools[0]?.name ?? '', {
        command,
        cmd: command,
        description: 'x',
      });
      expect(text).toContain('alive');
    },
  );
});
