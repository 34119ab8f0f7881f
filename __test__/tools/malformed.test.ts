import { createTools, dialects } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { ONE_JOB } from './arguments.js';
import { faults } from './valid.js';

/** Arguments with which each tool does something that ends soon, by the name of their property. */
const USUAL: Record<string, unknown> = {
  command: 'true',
  commands: ['true'],
  cmd: 'true',
  ...ONE_JOB,
};

const STRANGE = [
  null,
  true,
  0,
  -1,
  1e-9,
  1e308,
  2 ** 53,
  '',
  ' ',
  '\0',
  '5000',
  '-0',
  'NaN',
  'Infinity',
  '\ud800',
  '../../..',
  'x'.repeat(200_000),
  [],
  ['\0'],
  [null, 1],
  {},
  { a: { b: [] } },
  { '': '' },
  { 'A=B': '1', 'C\0': '2', D: '\0' },
  JSON.parse('{"__proto__":{"command":"echo polluted"}}'),
];

const directory = temporaryDirectory();

describe.concurrent.each([...dialects])('the tools of %s', (dialect) => {
  it('answer every strange value of every argument, with text and valid data', async () => {
    const options = {
      cwd: directory,
      async: true,
      listTool: true,
      hasUI: true,
      timeoutArgument: true,
    };
    const known = ['cwd', ...(OWN[dialect] ?? [])];
    const own = Object.fromEntries(Object.entries(options).filter(([name]) => known.includes(name)));
    await using toolset = createTools(dialect, own);
    const wrong: unknown[] = [];
    for (const tool of toolset) {
      const names = Object.keys((tool.inputSchema as { properties?: object }).properties ?? {});
      const usual = Object.fromEntries(
        names.filter((name) => name in USUAL).map((name) => [name, USUAL[name]]),
      );
      if (names.includes('login')) usual.login = false;
      if (dialect === 'openai-local-shell' || tool.name === 'shell') usual.command = ['true'];
      const calls = [...names, 'nothing'].flatMap((name) =>
        STRANGE.map((value) => ({ ...usual, [name]: value })),
      );
      for (const args of calls) {
        const { text, data } = await tool.execute(args);
        const missing = faults(data, tool.outputSchema);
        if (text === '' || missing.length > 0 || text.includes('polluted'))
          wrong.push([tool.name, JSON.stringify(args).slice(0, 200), text.slice(0, 200), missing]);
      }
    }
    expect(wrong).toEqual([]);
  }, 300_000);
});

/** The own options of dialects that give their tools more arguments. */
const OWN: Record<string, string[]> = {
  'oh-my-pi': ['async', 'hasUI'],
  'anthropic-bash': ['timeoutArgument'],
  'claude-code': ['listTool'],
  'codex-exec': ['listTool'],
};
