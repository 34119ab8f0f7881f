// Nothing in a sandbox has the value.

import { describe, expect, it } from 'vitest';
import { guarded, inGuardedWorld, VALUE } from './world.js';

const URL_OF = 'https://registry.test:8443';

describe('a sandbox with credentials has the value in', { tags: ['root', 'sandbox', 'curl'] }, () => {
  it.each([
    ['no variable', 'env; cat /proc/*/environ | tr "\\0" "\\n"'],
    ['no argument', 'cat /proc/*/cmdline | tr "\\0" "\\n"'],
    ['no descriptor', 'for f in /proc/*/fd/*; do timeout 1 head -c 100000 "$f" 2>/dev/null; done </dev/null'],
    ['no file of its own', 'cat ~/.npmrc /dev/agent-bash/* /tmp/* 2>/dev/null; git config -l'],
  ])('%s', async (_, command) => {
    const { stdout, seen } = await guarded(
      `curl -sS ${URL_OF}/a >/dev/null; ${command}`,
      `{ own: { ...CREDENTIAL, files: { '~/.npmrc': 'token={}' } }, output: { maxBytes: 1e6 } }`,
    );
    expect(seen).toHaveLength(1);
    expect(stdout).not.toContain(VALUE);
    expect(stdout).not.toContain('[redacted:own]');
  });

  it('no variable of another name, unless the caller sets it', async () => {
    const { stdout } = await inGuardedWorld<{ stdout: string }>(`
      process.env.PLAIN = 'https://' + VALUE + '.example';
      process.env.ENCODED = Buffer.from('me:' + VALUE).toString('base64');
      process.env.OTHER = 'other';
      const environment = { include: ['PLAIN'] };
      const line = 'echo \${PLAIN-none} \${ENCODED-none} \${GIVEN-none} \${OTHER-none}';
      report(await guarded(line, { environment, env: { GIVEN: VALUE } }));
    `);
    expect(stdout).toBe('none none [redacted:own] other\n');
  });

  it('no variable of another name that has what a function gave', async () => {
    const stdout = await inGuardedWorld<string[]>(`
      const own = { value: async () => VALUE };
      process.env.PLAIN = VALUE;
      process.env.OTHER = 'other';
      const line = 'echo \${PLAIN+set} $OTHER; curl -sS ${URL_OF}/a';
      report([(await guarded(line, { own })).stdout, (await guarded(line, { own })).stdout]);
    `);
    expect(stdout).toEqual(['set other\n{"ok":true}\n', 'other\n{"ok":true}\n']);
  });

  it('no memory that a process can read', { tags: ['python3'] }, async () => {
    // Finds a marker in the memory of another process, so it would find the value there too.
    const [marker, reversed] = ['marker-of-this-test', [...VALUE].reverse().join('')];
    const script = `
import os, re
for pid in filter(str.isdigit, os.listdir("/proc")):
    if int(pid) == os.getpid():
        continue
    try:
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
            for line in maps:
                start, end, mode = re.match(r"(\\w+)-(\\w+) (..)", line).groups()
                if mode[0] != "r" or "[v" in line:
                    continue
                memory.seek(int(start, 16))
                found = memory.read(int(end, 16) - int(start, 16))
                for name, text in (("marker", b"${marker}"), ("value", b"${reversed}"[::-1])):
                    if text in found:
                        print(name)
    except OSError:
        pass
`;
    const line = `curl -sS ${URL_OF}/a; M=${marker} sleep 60 & python3 - <<'END'\n${script}END\nkill %1`;
    const { stdout, seen } = await guarded(line);
    expect(seen).toHaveLength(1);
    expect(stdout).toContain('marker\n');
    expect(stdout).not.toContain('value\n');
  });

  it('no file of the engine, also while a session keeps its state', async () => {
    const found = await inGuardedWorld<string[]>(`
      import { spawnSync } from 'node:child_process';
      import { existsSync } from 'node:fs';
      const { ShellSession } = await import(process.env.INDEX);
      const sandbox = { level: 'workspace-write', network: { allow: [RULE] } };
      const session = new ShellSession({ root: ROOT, sandbox, credentials: { own: CREDENTIAL }, keep: 'state' });
      const { stdout } = await session.run('T=$OWN_TOKEN; f() { echo $OWN_TOKEN; }; curl -sS ${URL_OF}/a');
      const places = ['/var/tmp', '/run/user/' + process.getuid(), '/dev/shm', '/tmp'].filter(existsSync);
      const own = places.flatMap((place) => readdirSync(place)
        .filter((name) => name.startsWith('agent-bash.' + process.pid + '.')).map((name) => place + '/' + name));
      const grep = (text) => spawnSync('grep', ['-rlaF', text, ...own]).stdout.toString().split('\\n').length - 1;
      report([stdout, own.length > 0, grep('BEGIN CERTIFICATE') > 0, grep(VALUE)]);
      await session.close();
    `);
    expect(found).toEqual(['{"ok":true}\n', true, true, 0]);
  });

  it('no key of the authority, which signs the listed names alone', async () => {
    const { stdout } = await guarded(
      `cat /dev/agent-bash/ca.pem; openssl x509 -noout -text -in <(tac /dev/agent-bash/ca.pem |
        sed '/BEGIN/q' | tac)`,
      '{ output: { maxBytes: 1e6 } }',
    );
    expect(stdout).not.toContain('PRIVATE KEY');
    expect(stdout).toContain('DNS:registry.test');
  });

  it('no file of the home that was hidden before, which has the placeholder', async () => {
    const { result, again } = await inGuardedWorld<{ result: string; again: string }>(`
      const file = process.env.HOME + '/.npmrc';
      writeFileSync(file, '//registry.test:8443/:_authToken=' + VALUE);
      const own = { ...CREDENTIAL, files: { '~/.npmrc': '//registry.test:8443/:_authToken={}' } };
      const { stdout } = await guarded('cat ~/.npmrc; echo; echo x > ~/.npmrc; echo $?', { own });
      const next = await guarded('cat ~/.npmrc; echo x > ~/.npmrc 2>&1; cat ~/.npmrc', { own });
      report({ result: stdout, again: next.stdout });
    `);
    expect(result).toMatch(/:_authToken=[a-z]{3}_[A-Za-z0-9]{20}\n1\n$/);
    expect(again).not.toContain(VALUE);
    expect(again.startsWith(result.split('\n')[0] ?? '?')).toBe(true);
  });
});
