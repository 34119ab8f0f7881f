import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { check, type Policy } from 'agent-bash';
import { expect, test } from 'vitest';

// The table of docs/permissions.md is the test: what it says of each published bypass is what `check` says.
const page = readFileSync(fileURLToPath(new URL('../../docs/permissions.md', import.meta.url)), 'utf8');
const [, table = ''] = page.split('## Published bypasses');
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| published'))
  .map((line) => line.slice(2, -2).split(' | '))
  .map(([name = '', example = '', verdict = '']) => ({ name, example, verdict }));

function policyOf(example: string): Policy {
  const mode = /mode: '(\w+)'/.exec(example)?.[1] as Policy['mode'];
  const list = (key: string) =>
    new RegExp(`${key}: \\[([^\\]]*)\\]`)
      .exec(example)?.[1]
      ?.split(', ')
      .map((rule) => rule.slice(1, -1));
  const [allow, deny] = [list('allow'), list('deny')];
  if (mode !== undefined) return { mode };
  if (allow !== undefined) return { allow };
  return { mode: 'bypassPermissions', deny: deny ?? ['Bash(rm:*)'] };
}

test('the table has every row', () => expect(rows.length).toBeGreaterThan(15));

test.each(rows)('$name: $example is $verdict', ({ example, verdict }) => {
  const commands = [...(example.split(' with ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(
    ([, text = '']) => text,
  );
  expect(commands.length).toBeGreaterThan(0);
  for (const command of commands) {
    const text = command.replaceAll('⏎', '\n');
    expect({ text, verdict: check(text, { policy: policyOf(example) }).verdict }).toEqual({
      text,
      verdict: verdict.split(' ')[0],
    });
  }
});
