import { describe, expect, it, vi } from 'vitest';
import { check, run } from '../../index.js';
import { VALUE } from './support.js';

const wrong = (redact: unknown) => run('true', { redact } as object);

describe('the option redact', () => {
  it.each([
    [{ values: { A: 'short' } }, "'options.redact.values.A': expected 6 to 8192 bytes, got 5"],
    [{ values: { A: 'x'.repeat(8193) } }, "'options.redact.values.A': expected 6 to 8192 bytes, got 8193"],
    [{ values: { A: 5 } }, "'options.redact.values.A': expected a string, got number"],
    [{ values: { 'a b': 'longer' } }, "'options.redact.values': expected names of up to 64 letters"],
    [{ values: { A: 'redacted' } }, "'options.redact.values.A': expected a value that no mark contains"],
    [{ environment: true }, "'options.redact.environment': expected 'secrets', false or a list of names"],
    [{ rules: ['jwt'] }, "'options.redact.rules[0]': expected 'tokens' or an object"],
    [
      { rules: [{ name: 'a', literal: 'abc', pattern: 'abc', max: 9 }] },
      "'options.redact.rules[0].literal': expected a string of 4 to 256 bytes",
    ],
    [
      { rules: ['tokens', { name: 'a', literal: 'abcd', pattern: '(', max: 9 }] },
      "'options.redact.rules[1].pattern': expected a pattern",
    ],
    [{ rules: [{ name: 'a', literal: 'abcd', pattern: 'abcd', max: 5000 }] }, 'from 1 to 4096 (bytes)'],
    [{ valuse: {} }, "did you mean 'values'?"],
  ])('refuses a wrong value by the name of the option (%#)', async (redact, message) => {
    await expect(wrong(redact)).rejects.toThrow(message);
    await expect(wrong(redact)).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' });
  });

  it('refuses more values than its bounds, and shows none of them', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 257 }, (_, index) => [`V${index}`, `value-${index}`]),
    );
    await expect(wrong({ values: many })).rejects.toThrow(
      'at most 256 values of 65536 bytes together, got 257',
    );
    const large = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`V${index}`, `${index}`.repeat(8000)]),
    );
    await expect(wrong({ values: large })).rejects.toThrow('got 9 of 72000 bytes');
  });

  it('finds the values of variables that look secret, and of named ones', async () => {
    vi.stubEnv('OWN_API_KEY', 'w83-kfu-2mx-oq9');
    vi.stubEnv('OWN_PLACE', 'somewhere-else-1');
    try {
      const command = 'echo $OWN_API_KEY $OWN_PLACE $GIVEN_TOKEN';
      const env = { GIVEN_TOKEN: VALUE };
      const some = await run(command, { env, redact: { environment: 'secrets' } });
      expect(some.stdout).toBe('[redacted:OWN_API_KEY] somewhere-else-1 [redacted:GIVEN_TOKEN]\n');
      const named = await run(command, { env, redact: { environment: ['OWN_P*'] } });
      expect(named.stdout).toBe(`w83-kfu-2mx-oq9 [redacted:OWN_PLACE] ${VALUE}\n`);
      expect((await run(command, { env, redact: {} })).stdout).toContain(VALUE);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('finds tokens and keys by their format, and what a rule describes', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const rule = { name: 'ticket', literal: 'TICKET-', pattern: 'TICKET-\\d{4,}', max: 40 };
    const { stdout } = await run(`echo ${token} TICKET-12 TICKET-123456.`, {
      redact: { rules: ['tokens', rule] },
    });
    expect(stdout).toBe('[redacted:github-token] TICKET-12 [redacted:ticket].\n');
  });

  it('leaves the token of a decision valid, and suggests no rule with a value', async () => {
    const redact = { values: { KEY: 'k7-q9xtz4' } };
    const policy = { ask: ['Bash(*)'] };
    const without = check('deploy --key k7-q9xtz4', { policy });
    expect(JSON.stringify(without)).toContain('k7-q9xtz4');
    const decision = check('echo k7-q9xtz4', { policy, redact });
    expect(JSON.stringify({ ...decision, token: '' })).not.toContain('k7-q9xtz4');
    expect(decision.suggestions.filter((text) => text.includes('redacted'))).toEqual([]);
    const { status, stdout } = await run('echo k7-q9xtz4', { policy, decision, redact });
    expect({ status, stdout }).toEqual({ status: 'exited', stdout: '[redacted:KEY]\n' });
  });
});
