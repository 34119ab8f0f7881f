import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BashJob, check, Jobs, type Policy, run } from 'agent-bash';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { within } from '../support/slowness.mjs';
import { deliberateDelay } from '../support/waits.mjs';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'policy-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const policy = (): Policy => ({ allow: ['Bash(echo:*)'], deny: ['Bash(touch:*)'], ask: ['Bash(pwd)'] });

test('an allowed command runs, and its result has the decision', async () => {
  const { stdout, decision } = await run('echo hi', { policy: policy() });
  expect(stdout).toBe('hi\n');
  expect(decision?.verdict).toBe('allow');
});

test.each([
  ['touch x', 'DENIED'],
  ['echo $(touch x)', 'DENIED'],
  ['ls', 'NOT_APPROVED'],
  ['pwd', 'NOT_APPROVED'],
  ['rm -rf /', 'DANGEROUS'],
  ["echo 'x", 'UNPARSEABLE'],
])('%s is denied with %s, and nothing is started', async (command, code) => {
  const { status, error, pid, decision } = await run(command, { policy: policy(), cwd: directory });
  expect({ status, code: error?.code, pid }).toEqual({ status: 'denied', code, pid: null });
  expect(decision?.code).toBe(code);
  expect(existsSync(join(directory, 'x'))).toBe(false);
});

test('a denied command rejects where that was asked for', async () => {
  await expect(run('ls', { policy: policy(), reject: true })).rejects.toMatchObject({ code: 'NOT_APPROVED' });
});

test('approve gets the decision, and the timeout starts after its answer', async () => {
  const seen: string[] = [];
  const approve = async ({ code }: { code: string }) => {
    seen.push(code);
    await deliberateDelay(within(1_500));
    return 'allow' as const;
  };
  const { stdout } = await run('pwd', { policy: policy(), approve, cwd: '/', timeout: within(1_000) });
  expect({ stdout, seen }).toEqual({ stdout: '/\n', seen: ['NOT_APPROVED'] });
});

test('an answer can remember a rule', async () => {
  const own = policy();
  const approve = () => ({ verdict: 'allow' as const, addRule: 'Bash(ls -d /)' });
  expect((await run('ls -d /', { policy: own, approve })).status).toBe('exited');
  expect(own.allow).toEqual(['Bash(echo:*)', 'Bash(ls -d /)']);
  expect((await run('ls -d /', { policy: own })).status).toBe('exited');
});

test.each([
  ['a denial', () => 'deny' as const],
  ['an error', () => Promise.reject(new Error('no'))],
  ['nonsense', () => 'yes' as never],
  ['a wrong rule', () => ({ verdict: 'allow' as const, addRule: 'Bash(' })],
])('%s of who approves denies', async (_, approve) => {
  const { status, error } = await run('pwd', { policy: policy(), approve });
  expect({ status, code: error?.code }).toEqual({ status: 'denied', code: 'NOT_APPROVED' });
});

test('the reason of a denial is text, whatever approve has given', async () => {
  const approve = () => ({ verdict: 'deny' as const, reason: 403 as unknown as string });
  const { error } = await run('pwd', { policy: policy(), approve });
  expect(error?.message).toBe('403');
});

test('an abort settles at once while approve is pending, and fires its signal', async () => {
  const controller = new AbortController();
  let wasAborted = false;
  const approve = (_: unknown, { signal }: { signal: AbortSignal }) => {
    signal.addEventListener('abort', () => {
      wasAborted = true;
    });
    queueMicrotask(() => controller.abort());
    return new Promise<never>(() => {});
  };
  const { status } = await run('pwd', { policy: policy(), approve, signal: controller.signal });
  expect({ status, wasAborted }).toEqual({ status: 'aborted', wasAborted: true });
});

test('a decision runs its command and nothing else', async () => {
  const own = policy();
  const options = { policy: own, cwd: directory };
  const decision = check('pwd', options);
  expect(decision.verdict).toBe('ask');
  expect((await run('pwd', { decision, cwd: directory })).status).toBe('exited');
  expect((await run('pwd', { decision, policy: own, cwd: directory })).status).toBe('exited');
  for (const [command, other] of [
    ['pwd ', { cwd: directory }],
    ['ls', { cwd: directory }],
    ['pwd', { cwd: '/' }],
    ['pwd', { cwd: directory, env: { X: '1' } }],
    ['pwd', { cwd: directory, shell: '/bin/sh' }],
    ['pwd', { cwd: directory, policy: { allow: ['Bash'] } }],
  ] as const) {
    const { status, error } = await run(command, { decision, ...other });
    expect({ command, other, status, code: error?.code }).toEqual({
      command,
      other,
      status: 'denied',
      code: 'DENIED',
    });
  }
});

test('a job that waits for its approval is ended by its own kill signal', async () => {
  await using jobs = new Jobs();
  const approve = () => new Promise<'allow'>(() => {});
  const job = jobs.start('pwd', { policy: policy(), approve, killSignal: 'SIGINT' });
  expect(job.kill()).toBe(true);
  expect((await job.result).status).toBe('aborted');
});

test('a job waits for its approval, and an aborted or killed one does not', async () => {
  await using jobs = new Jobs();
  const allowed = jobs.start('pwd', { policy: policy(), cwd: '/', approve: async () => 'allow' as const });
  expect(allowed.status).toBe('starting');
  expect((await allowed.result).stdout).toBe('/\n');
  expect((await jobs.start('touch x', { policy: policy() }).result).error?.code).toBe('DENIED');
  const waiting = jobs.start('pwd', { policy: policy(), approve: () => new Promise(() => {}) });
  waiting.kill();
  expect((await waiting.result).status).toBe('aborted');
});

test('a BashJob with a policy runs bash, and reports the reason of a denial', async () => {
  const job = new BashJob({ command: 'echo ${BASH_VERSION:+bash}' }, '/', false, { policy: policy() });
  expect((await job.result).stdout).toBe('bash\n');
  const denied = await new BashJob({ command: 'touch x' }, '/', false, { policy: policy() }).result;
  expect(denied).toMatchObject({ status: 'denied', error: { code: 'DENIED' } });
  expect(denied.output).toMatch(/^Error: Permission denied for tool "Bash"/);
});

test.each([
  ['that only reads', { mode: 'readOnly' }],
  ['of known queries', { queries: 'allow' }],
] as const)('a decision alone keeps git from running programs in a command %s', async (_, own: Policy) => {
  const cwd = mkdtempSync(join(directory, 'repo-'));
  const evil = join(cwd, 'program.sh');
  const proof = join(cwd, 'program-ran');
  writeFileSync(evil, `#!/bin/sh\ntouch ${proof}\n`, { mode: 0o755 });
  expect((await run(`git init -q . && git config core.fsmonitor ${evil}`, { cwd })).exitCode).toBe(0);
  const decision = check('git status', { policy: own, cwd });
  expect(decision.verdict).toBe('allow');
  expect((await run('git status', { decision, cwd })).exitCode).toBe(0);
  expect(existsSync(proof)).toBe(false);
  await run('git status', { cwd });
  expect(existsSync(proof)).toBe(true);
});

test('git runs no program of the repository in a command that only reads', async () => {
  const evil = join(directory, 'evil.sh');
  const proof = join(directory, 'proof');
  writeFileSync(evil, `#!/bin/sh\ntouch ${proof}\necho\n`, { mode: 0o755 });
  const setup = [
    'git init -q repo && cd repo && git config user.email a@b && git config user.name a && echo a > f',
    'echo "f diff=evil" > .gitattributes && git add . && git commit -qm a && echo b > f',
    `git config core.fsmonitor ${evil} && git config diff.external ${evil} && git config core.pager ${evil}`,
    `git config diff.evil.textconv ${evil} && git config diff.evil.command ${evil}`,
  ].join(' && ');
  expect((await run(setup, { cwd: directory })).exitCode).toBe(0);
  rmSync(proof, { force: true });
  const cwd = join(directory, 'repo');
  const readOnly: Policy = { mode: 'readOnly' };
  const queries = [
    'git status',
    'git diff',
    'git log -p',
    'git show',
    'git blame f',
    'git annotate f',
    'git reflog -p',
    'git reflog show -p',
    'git stash list -p',
    'git -C . log -p',
    'timeout 5 git log -p',
  ];
  const lines = [
    'git l"o"g -p',
    'for s in log diff; do git status; done',
    'for s in log; do git $s -p; done',
    'git "$(echo log)" -p',
    'cat <<< "$(git log -p)"',
    'echo $((1 + $(git log -p | wc -l)))',
  ];
  const arrays = queries.map((query) => query.split(' '));
  for (const command of [...queries, ...lines, ...arrays]) {
    const { status, exitCode } = await run(command, { cwd, policy: readOnly });
    expect({ command, status, exitCode }).toEqual({ command, status: 'exited', exitCode: 0 });
    expect(existsSync(proof), String(command)).toBe(false);
  }
  const rules: Policy = { queries: 'allow', allow: ['Bash(touch:*)'] };
  for (const command of [
    'git log -p',
    ['git', 'diff'],
    'touch x; git -C . diff; git status',
    'cd . && git log -p',
    's=log; git $s -p',
    'f() { git log -p; }; f',
  ]) {
    const { status, exitCode } = await run(command, { cwd, policy: rules });
    expect({ command, status, exitCode }).toEqual({ command, status: 'exited', exitCode: 0 });
    expect(existsSync(proof), String(command)).toBe(false);
  }
  for (const command of [
    "bash -c 'git log -p'",
    "eval 'git log -p'",
    'echo `git log -p`',
    'cat <<E\n$(git log -p)\nE',
    'git {log,-p}',
    '{git,log} -p',
    'f() { cd $1; git diff; }; f',
    'for s in log diff; do git $s -p; done',
  ]) {
    expect(check(command, { cwd, policy: rules }).verdict, command).toBe('ask');
    expect(check(command, { cwd, policy: readOnly }).verdict, command).toBe('deny');
  }
  await run('git diff', { cwd });
  expect(existsSync(proof), 'the trap is set').toBe(true);
});

test('git runs no filter of the repository in a command that only reads, wherever the repository is', async () => {
  const proof = join(directory, 'filtered');
  const evil = join(directory, 'filter.sh');
  writeFileSync(evil, `#!/bin/sh\ntouch ${proof}\ncat\n`, { mode: 0o755 });
  const setup = [
    'git init -q sub/nested && cd sub/nested && git config user.email a@b && git config user.name a',
    'echo a > f && git add f && git commit -qm a && echo b > f && mkdir -p .git/info',
    'echo "f filter=evil" > .git/info/attributes',
    `echo '[filter "evil"]' > .git/more && echo "clean = ${evil}" >> .git/more && git config include.path more`,
  ].join(' && ');
  expect((await run(setup, { cwd: directory })).exitCode).toBe(0);
  const cwd = join(directory, 'sub', 'nested');
  const readOnly: Policy = { mode: 'readOnly' };
  rmSync(proof, { force: true });
  for (const [command, place] of [
    ['git diff', cwd],
    ['git status', cwd],
    ['git -C nested diff', join(directory, 'sub')],
    ['cd nested && git diff', join(directory, 'sub')],
    [['git', 'diff'], cwd],
  ] as const) {
    const { status, exitCode } = await run(command, { cwd: place, policy: readOnly });
    expect({ command, status, exitCode }).toEqual({ command, status: 'exited', exitCode: 0 });
    expect(existsSync(proof), String(command)).toBe(false);
  }
  await run('touch f && git diff', { cwd });
  expect(existsSync(proof), 'the trap is set').toBe(true);
});

test('queries need no rule where the policy says so, and only in the root', async () => {
  const own: Policy = { queries: 'allow' };
  const { stdout } = await run('printf "a\\nb\\n" | head -n 1', { policy: own, cwd: directory });
  expect(stdout).toBe('a\n');
  for (const command of [
    'cat /etc/hosts',
    'ls ..',
    'sort -o x y',
    'find . -name x -delete',
    'curl x',
    'false && cd sub; cat ../x',
    'if test -f q; then cd sub; fi; [[ -f ../x ]] && ls ..',
  ]) {
    expect(check(command, { policy: own, cwd: directory }).verdict, command).toBe('ask');
  }
  expect(check('ls', { policy: { queries: 'ask' }, cwd: directory }).verdict).toBe('ask');
  expect(check('ls', { policy: {}, cwd: directory }).verdict).toBe('ask');
});

test('redirections write to the directories that are writable', async () => {
  const other = mkdtempSync(join(tmpdir(), 'writable-'));
  const own: Policy = { allow: ['Bash(echo:*)'], writable: [other] };
  expect((await run(`echo x > ${other}/f`, { policy: own, cwd: directory })).status).toBe('exited');
  expect(check(`echo x > ${other}/../f`, { policy: own, cwd: directory }).verdict).toBe('ask');
  expect(check(`echo x > ${other}/.git/config`, { policy: own, cwd: directory }).verdict).toBe('ask');
  rmSync(other, { recursive: true });
});

test('all rules that a command line lacks can be remembered at once', async () => {
  const own: Policy = { allow: [] };
  const approve = ({ suggestions }: { suggestions: string[] }) => ({
    verdict: 'allow' as const,
    addRule: suggestions,
  });
  const command = 'printf x | sort | tr x y';
  expect((await run(command, { policy: own, approve })).stdout).toBe('y\n');
  expect(own.allow).toEqual(['Bash(printf x)', 'Bash(sort)', 'Bash(tr:*)']);
  expect((await run(command, { policy: own })).status).toBe('exited');
});
