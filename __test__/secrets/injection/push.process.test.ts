// A large push over HTTPS passes through the interceptor, which keeps none of it.
//
//   PUSH_MIB=200 npx vitest run --project forks __test__/secrets/injection/push.process.test.ts

import { describe, expect, it } from 'vitest';
import { type Guarded, inGuardedWorld } from './world.js';

/** The size of the pushed file (MiB), which git can't compress. */
const SIZE = Number(process.env.PUSH_MIB ?? 16);

/** The most memory of the interceptor (MiB): windows of both connections, and the program itself. */
const MAX_MEMORY = 16;

describe('git', { tags: ['root', 'sandbox', 'git'] }, () => {
  it(`pushes and fetches ${SIZE} MiB, of which the interceptor keeps nothing`, {
    timeout: 600_000,
  }, async () => {
    const { result, hash, pushed, memory } = await inGuardedWorld<{
      result: Guarded;
      hash: string;
      pushed: string;
      memory: number;
    }>(`
      import { execFileSync } from 'node:child_process';
      import { readFileSync } from 'node:fs';
      const text = (...words) => execFileSync(words[0], words.slice(1)).toString().trim();
      execFileSync('dd', ['if=/dev/urandom', 'of=' + ROOT + '/large', 'bs=1M', 'count=${SIZE}'], { stdio: 'pipe' });
      execFileSync('chmod', ['0666', ROOT + '/large']);
      const line = 'git init -q . && git config user.email a@b && git config user.name a && ' +
        'git config core.compression 0 && git add large && git commit -q -m one && ' +
        'git push -q https://registry.test:8443/repository.git HEAD:main && rm -rf .git/objects && ' +
        'git clone -q -b main https://registry.test:8443/repository.git again && git hash-object again/large';
      const own = { ...CREDENTIAL, header: { authorization: 'Basic me:{}' } };
      const allow = [{ ...RULE, paths: ['/repository.git/**'] }];
      const result = await guarded(line, { own, allow, timeout: 500_000 });
      const interceptor = text('pgrep', '-P', String(process.pid), '-f', 'agent-bash-interceptor');
      const peak = /^VmHWM:\\s+(\\d+) kB$/m.exec(readFileSync('/proc/' + interceptor + '/status', 'utf8'));
      const hash = text('git', 'hash-object', ROOT + '/large');
      const pushed = git('-C', DIRECTORY + '/repository.git', 'rev-parse', 'main:large').trim();
      report({ result, hash, pushed, memory: Number(peak[1]) / 1024 });
    `);
    expect(result).toMatchObject({ stderr: '', exitCode: 0, stdout: `${hash}\n` });
    expect(pushed).toBe(hash);
    expect(result.seen.filter(({ path }) => path.endsWith('/git-receive-pack'))).not.toHaveLength(0);
    expect(memory).toBeLessThan(MAX_MEMORY);
  });
});
