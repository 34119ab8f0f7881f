import {
  check,
  checkPolicy,
  explainDecision,
  type Policy,
  policyFromClaudeSettings,
  policyFromCodexRules,
  readOnly,
} from 'agent-bash';
import { expect, test } from 'vitest';

test('a decision has every command with its own verdict and rule', () => {
  const policy = { allow: ['Bash(ls:*)'], deny: ['Bash(rm:*)'] };
  const { verdict, commands } = check('A=1 ls -la > /dev/null; sudo rm "$x"', { policy });
  expect(verdict).toBe('deny');
  expect(commands[0]).toMatchObject({
    name: 'ls',
    argv: ['ls', '-la'],
    assignments: [{ name: 'A', value: '1' }],
    redirections: ['> /dev/null'],
    verdict: 'allow',
    rule: { list: 'allow', index: 0, rule: 'Bash(ls:*)' },
  });
  expect(commands.find(({ name }) => name === 'rm')).toMatchObject({
    argv: ['rm', null],
    wrappers: ['sudo'],
    verdict: 'deny',
  });
});

test('a decision is explained line by line', () => {
  const text = explainDecision(check('ls; rm x', { policy: { allow: ['Bash(ls)'], deny: ['Bash(rm:*)'] } }));
  expect(text.split('\n')).toHaveLength(3);
  expect(text).toContain('deny[0] is Bash(rm:*)');
});

test.each([
  ['Bash(git', 'missing closing'],
  ['(git)', 'tool name is empty'],
  ['Bash()', 'pattern inside parentheses is empty'],
  ['bash(git)', "written 'Bash'"],
  ['Bash(a && b)', 'one command'],
])('the rule %s is an error that names its place', (rule, fault) => {
  const message = (() => {
    try {
      checkPolicy({ deny: ['Bash(ls)', rule] });
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  })();
  expect(message).toContain('policy.deny[1]');
  expect(message).toContain(fault);
});

test('the tests of a policy are run', () => {
  const tests = [
    { command: 'npm test', expect: 'allow' as const },
    { command: 'npm publish', expect: 'deny' as const },
  ];
  const report = checkPolicy({ allow: ['Bash(npm test)'], tests });
  expect(report).toMatchObject({ ok: false, count: 2, failures: [{ index: 1, expected: 'deny' }] });
  expect(checkPolicy({ allow: ['Bash(npm test)'], deny: ['Bash(npm publish:*)'], tests }).ok).toBe(true);
});

test('rules of Claude Code and codex are converted, and those that are not are reported', () => {
  const claude = policyFromClaudeSettings(
    JSON.stringify({
      permissions: {
        defaultMode: 'plan',
        allow: ['Bash(npm run test:*)', 'Read(~/x)'],
        deny: ['Bash(rm:*)'],
      },
    }),
  );
  expect(claude.policy).toEqual({
    mode: 'default',
    allow: ['Bash(npm run test:*)'],
    ask: [],
    deny: ['Bash(rm:*)'],
  });
  expect(claude.skipped.map(({ from }) => from)).toEqual(['permissions.defaultMode', 'permissions.allow[1]']);
  const codex = policyFromCodexRules([
    { pattern: ['git', ['push', 'fetch']], decision: 'prompt' },
    { pattern: [1] },
  ]);
  expect(codex.policy.ask).toEqual(['Bash(git push:*)', 'Bash(git fetch:*)']);
  expect(codex.skipped).toHaveLength(1);
});

test('a policy that changes is read again', () => {
  const policy = { mode: 'default' as Policy['mode'], allow: ['Bash(ls)'] };
  expect(check('pwd', { policy }).verdict).toBe('ask');
  policy.allow.push('Bash(pwd)');
  expect(check('pwd', { policy }).verdict).toBe('allow');
  policy.allow[1] = 'Bash(id)';
  expect(check('pwd', { policy }).verdict).toBe('ask');
  policy.mode = 'strict';
  expect(check('pwd', { policy }).verdict).toBe('deny');
});

test('a zsh that was asked for, and a shell that is not known, are not read as bash', () => {
  const policy = { mode: 'bypassPermissions' as const };
  expect(check('=ls', { policy, shell: '/bin/zsh' }).code).toBe('UNPARSEABLE');
  expect(check('ls', { policy, shell: '/bin/zsh' }).verdict).toBe('allow');
  expect(check('ls', { policy, shell: '/usr/bin/fish' }).code).toBe('UNPARSEABLE');
  expect(check('((ls))', { policy, shell: '/bin/sh' }).code).toBe('UNPARSEABLE');
});

test('words without a shell are judged as they are', () => {
  const policy = { deny: ['Bash(rm:*)'], mode: 'bypassPermissions' as const };
  expect(check(['echo', '$(rm x)'], { policy }).verdict).toBe('allow');
  expect(check(['rm', 'x'], { policy }).verdict).toBe('deny');
});

test('what only reads is known by its arguments', () => {
  expect(readOnly('git log --oneline | head -5', { cwd: '/tmp' })).toBe(true);
  expect(readOnly('git log --output=x', { cwd: '/tmp' })).toBe(false);
  expect(readOnly('cat /etc/passwd', { cwd: '/tmp' })).toBe(false);
});

test.each(['allow', 'ask', 'deny'])('the name of a command alone is no rule: %s', (list) => {
  expect(() => check('rm x', { policy: { mode: 'bypassPermissions', [list]: ['rm'] } })).toThrow(
    `Invalid option 'options.policy.${list}[0]': expected 'Bash(rm:*)' for a command, got 'rm'`,
  );
});

test('rules of other tools have no effect', () => {
  const deny = ['Read(x)', 'WebFetch', 'read_file', 'mcp__server__tool'];
  expect(check('rm x', { policy: { mode: 'bypassPermissions', deny } }).verdict).toBe('allow');
});

test.each([
  [
    'Bash(npm run deploy*)',
    ['npm run deploy', 'npm run deploy:prod', 'npm run deployx --y'],
    ['npm run dep'],
  ],
  ['Bash(npm run deploy:*)', ['npm run deploy', 'npm run deploy --x'], ['npm run deploy:prod']],
  ['Bash(ls*)', ['ls', 'lsof', 'ls -l x'], ['l']],
  ['Bash(git * main)', ['git push main', 'git push origin main'], ['git push']],
])('the rule %s of Claude Code is converted as strict as it is', (rule, matched, others) => {
  const { policy, skipped } = policyFromClaudeSettings({ permissions: { deny: [rule] } });
  expect(skipped).toEqual([]);
  const verdictOf = (command: string) =>
    check(command, { policy: { ...policy, mode: 'bypassPermissions' } }).verdict;
  expect(matched.map(verdictOf)).toEqual(matched.map(() => 'deny'));
  expect(others.map(verdictOf)).toEqual(others.map(() => 'allow'));
});

test.each([
  'Bash(git log --format=* HEAD)',
  'Bash(FOO=1 npm test)',
  'Bash(git:push*)',
  "Bash(git commit -m 'x')",
])('the rule %s of Claude Code, which would be another one here, is reported', (rule) => {
  const { policy, skipped } = policyFromClaudeSettings({ permissions: { deny: [rule] } });
  expect(policy.deny).toEqual([]);
  expect(skipped).toHaveLength(1);
});

test('each command of a line that lacks a rule has a suggestion of its own', () => {
  const of = (command: string) => check(command, { policy: { allow: ['Bash(ls:*)'] } });
  expect(of('npm run build:prod -- --x && git commit -m "a b" | ls').suggestions).toEqual([
    'Bash(npm run build:prod:*)',
    'Bash(git commit:*)',
  ]);
  expect(of('npm test | grep x').commands.map(({ suggestion }) => suggestion)).toEqual([
    'Bash(npm test:*)',
    'Bash(grep x)',
  ]);
  expect(of('rm -rf build; pytest -k x').suggestions).toEqual(['Bash(rm -rf build)', 'Bash(pytest:*)']);
  expect(of('npm test; sudo ls').suggestions).toEqual([]);
  expect(of('npm test').suggestion).toBe('Bash(npm test:*)');
  expect(of('ls').suggestions).toEqual([]);
});

test.each([
  [{ queries: 'yes' }, "queries'"],
  [{ writable: '/tmp' }, "writable'"],
  [{ writable: [5] }, "writable[0]'"],
])('a wrong option of a policy is named: %j', (policy, name) => {
  expect(() => check('ls', { policy: policy as unknown as Policy })).toThrow(
    `Invalid option 'options.policy.${name}`,
  );
});
