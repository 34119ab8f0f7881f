import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run, Target } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { living, until } from '../support/processes.mjs';

/** A target whose transport is a line of shell; in it, `there` runs the words with a home of their own. */
function behind(line: string, home = temporaryDirectory()): { home: string; target: Target } {
  mkdirSync(join(home, 'tmp'), { recursive: true });
  const script = join(home, 'transport');
  const variables = `PATH="$PATH" HOME='${home}' TMPDIR='${home}/tmp'`;
  writeFileSync(script, `#!/bin/sh\nthere() { env -i ${variables} "$@"; }\n${line}\n`, { mode: 0o700 });
  return { home, target: new Target({ exec: [script], connectTimeout: 20_000 }) };
}

/** Expects that nothing is left but a whole cached helper. */
async function expectNothing(home: string): Promise<void> {
  await until(() => living(home).length === 0, 'no process is left', 15_000);
  const cache = join(home, '.cache/agent-bash');
  const files = readdirSync(home).includes('.cache') ? readdirSync(cache) : [];
  for (const file of files) expect(file).toMatch(/^helper-[0-9a-f]{64}$/);
  expect(readdirSync(join(home, 'tmp'))).toEqual([]);
}

describe.skipIf(process.platform !== 'linux')('a stream', { timeout: 120_000 }, () => {
  it('may be split at every byte, and be late', async () => {
    const slow = 'dd bs=1 2>/dev/null';
    const { home, target } = behind(`(sleep 0.3; ${slow}) | there "$@" | (sleep 0.3; ${slow})`);
    const result = await run('cat; echo err >&2; exit 9', { target, input: 'ä'.repeat(2_000) });
    expect(result).toMatchObject({ exitCode: 9, stdout: 'ä'.repeat(2_000), stderr: 'err\n' });
    await target.dispose();
    await expectNothing(home);
  });
});

describe.skipIf(process.platform !== 'linux')('a hostile server', () => {
  it.each([
    ['garbage', 'head -c 300000 /dev/urandom; cat >/dev/null', /^TARGET_(BANNER|SHELL)$/],
    ['an endless banner', 'yes', 'TARGET_BANNER'],
    ['silence', 'exec cat >/dev/null', 'TARGET_TIMEOUT'],
    ['an end', 'exit 0', 'TARGET_SHELL'],
    [
      'another helper',
      `read -r x; n=\${x#*n=}; n=\${n%%;*}; printf '\\nagent-bash %s have\\n' "$n"; exec cat`,
      /^TARGET_/,
    ],
    [
      'wants for ever',
      `read -r x; n=\${x#*n=}; n=\${n%%;*}; while :; do printf '\\nagent-bash %s want x\\n' "$n"; done`,
      /^TARGET_/,
    ],
  ])('gets nothing but an error: %s', async (_, line, code) => {
    const home = temporaryDirectory();
    const target = new Target({ exec: ['sh', '-c', line, home], connectTimeout: 1_500 });
    const before = process.memoryUsage().rss;
    const result = await run('true', { target });
    expect(result.status).toBe('failed');
    expect(result.error?.code).toMatch(code);
    expect(result.error?.message).not.toMatch(/[\x00-\x08\x1b]/);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 << 20);
    await target.dispose();
    await until(() => living(home).length === 0, 'its processes are gone');
  });
});
